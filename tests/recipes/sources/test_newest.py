"""Which entry of a matrix has the newest dependencies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.recipes.sources.newest import (
    OLDEST,
    UNRELEASED,
    newest,
    rank_requirement,
    rank_word,
    ranks_of_entry,
)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("django18", "django111"),
        ("django111", "django20"),
        ("django3.2", "django4.0"),
        ("django>=1.11,<2.0", "django~=2.2.0"),
        ("django==2.2.*", "django<3.1"),
        ("django<3", "django>=3"),
        ("django>=3.2", "django>=4.0"),
        ("1.9", "1.10"),
        ("4.2", "latest"),
    ],
)
def test_order(older: str, newer: str) -> None:
    first, second = rank_word(older), rank_word(newer)
    assert first is not None
    assert second is not None
    assert first[1] < second[1]


@pytest.mark.parametrize("word", ["main", "djangomaster", "django-dev", "git+https://host/x", "nightly"])
def test_development_versions(word: str) -> None:
    assert rank_word(word) == ("", UNRELEASED)


@pytest.mark.parametrize("word", ["lowest", "mindeps", "oldestdeps", "minimum-versions"])
def test_oldest_versions(word: str) -> None:
    assert rank_word(word) == ("", OLDEST)


def test_interpreters_and_machines_are_no_dependencies() -> None:
    assert rank_word("py36") is None
    assert ranks_of_entry({"os": "ubuntu-20.04", "python": "3.8", "group": "3"}) == {}


def test_a_line_of_variables() -> None:
    ranks = ranks_of_entry({"env": "DJANGO=2.2 DRF=3.9 python=3"})
    assert ranks == {"env DJANGO": (2, (2, 2)), "env DRF": (2, (3, 9))}


def test_requirements_by_address_are_unreleased() -> None:
    assert rank_requirement("django @ git+https://host/django") == ("django", UNRELEASED)
    assert rank_requirement("-r file.txt") is None


def test_the_first_of_equals() -> None:
    assert newest([{}, {}]) == 0
    assert newest([]) == 0
    assert newest([{"a": (2, (1,)), "b": (2, (2,))}, {"a": (2, (2,)), "b": (2, (1,))}]) == 0


@given(st.text(max_size=600))
def test_any_text_is_read(text: str) -> None:
    rank_word(text)
    ranks_of_entry({"key": text})
