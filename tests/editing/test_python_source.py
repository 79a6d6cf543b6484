"""Parsing the Python source of strangers."""

from __future__ import annotations

import ast

import pytest

from backdate.editing.python_source import UNPARSABLE, parse_source, parsed_or_none


@pytest.mark.parametrize(
    "source",
    [
        "print 'Python 2'",
        "a = [",
        "x = '\0'",
        b"# coding: nothing\n",
        "x = " + "9" * 5000,
        "(" * 5000,
        "-" * 200_000 + "1",
    ],
    ids=["python-2", "unclosed", "null", "coding", "number", "brackets", "signs"],
)
def test_what_is_no_python_is_none_or_one_of_the_errors_that_are_named(source: str | bytes) -> None:
    assert parsed_or_none(source) is None
    with pytest.raises(UNPARSABLE):
        parse_source(source)


@pytest.mark.parametrize("source", ["x = '\\d'\n", b"x = '\\d'\n", "x = 1if 1else 2\n", "assert (1, 'x')\n"])
def test_the_compiler_does_not_warn(source: str | bytes) -> None:
    """A warning is an error in these tests."""
    assert isinstance(parse_source(source), ast.Module)
