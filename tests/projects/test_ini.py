from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.errors import ConfigurationError
from backdate.projects.ini import parse_ini


def test_sections_keys_and_values_as_setuptools_reads_them() -> None:
    text = "[Metadata]\nName = %(a)s\nname: b\n[options]\ninstall_requires =\n    c\n    d>1\n"
    assert parse_ini(text) == {"Metadata": {"name": "b"}, "options": {"install_requires": "\nc\nd>1"}}


@pytest.mark.parametrize("text", ["no section", "[a", "[a]\n= 1\n"])
def test_invalid_ini_is_reported_in_one_line(text: str) -> None:
    with pytest.raises(ConfigurationError, match=r"\Anot in INI format: [^\n]+\Z"):
        parse_ini(text)


@given(st.text(alphabet="[]=:#; \n\tab%("))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = parse_ini(text)
    except ConfigurationError:
        return
    assert all(isinstance(value, str) for keys in found.values() for value in keys.values())
