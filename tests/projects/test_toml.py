"""Whatever a stranger's document holds: it is read, or one named error says why not."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.errors import ConfigurationError
from backdate.projects.toml import parse_toml


def test_a_document_is_read() -> None:
    assert parse_toml("[a.b.c]\nd = ['1.2.3.4', 'x']\n") == {"a": {"b": {"c": {"d": ["1.2.3.4", "x"]}}}}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a = ", "not TOML: "),
        ("a = " + "1" * 5000, "not TOML: "),  # a plain ValueError of int()
        ("a = " + "[" * 100_000, "nested too deep"),
        ("1." * 200_000, "a name of 32 parts in line 1"),  # minutes, with the standard library's reader
        ("x = 1\n[" + "a . " * 200_000 + "a]", "a name of 32 parts in line 2"),
    ],
)
def test_refused_documents_say_why(text: str, why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        parse_toml(text)


@pytest.mark.parametrize(
    "text",
    [
        "a = [" + "'b==1.2.3.4.5', " * 100 + "]",
        "a = '''\n" + "." * 500 + "\n'''",
        "a = '''\n" + "One sentence, and one more. " * 100 + "\n'''",
    ],
)
def test_many_points_are_no_long_name(text: str) -> None:
    assert parse_toml(text)["a"]


@given(st.text())
def test_only_configuration_errors_are_raised(text: str) -> None:
    with contextlib.suppress(ConfigurationError):
        parse_toml(text)
