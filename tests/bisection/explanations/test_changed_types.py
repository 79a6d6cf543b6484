"""Which types an error tells apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.bisection.explanations.changed_types import types_told_apart


@pytest.mark.parametrize(
    "message",
    [
        "assert b'foo' == 'foo'",
        "AssertionError: 'a' != b'a'\n",
        "can't concat str to bytes",
        "cannot use a string pattern on a bytes-like object",
        "write() argument must be str, not bytes",
    ],
)
def test_bytes_and_text(message: str) -> None:
    assert types_told_apart(message) == ("bytes", "str")


@pytest.mark.parametrize(
    "message", ["", "assert 'a' == 'b'", "assert b'a' == 'b'", "must be str, not int", "1 != 2"]
)
def test_nothing_else(message: str) -> None:
    assert types_told_apart(message) == ()


@given(st.text())
def test_any_text(message: str) -> None:
    assert types_told_apart(message) in ((), ("bytes", "str"))
