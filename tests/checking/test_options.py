"""What a check is asked: the value and the keywords that make it."""

from __future__ import annotations

from dataclasses import fields
from typing import get_type_hints

from backdate.checking.options import CheckKeywords, CheckOptions


def test_the_keywords_are_the_fields_of_the_value() -> None:
    assert get_type_hints(CheckKeywords) == get_type_hints(CheckOptions)


def test_whatever_is_not_asked_has_a_default() -> None:
    assert CheckOptions() == CheckOptions(**{field.name: field.default for field in fields(CheckOptions)})
