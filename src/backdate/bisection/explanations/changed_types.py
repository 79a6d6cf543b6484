"""Which two built-in types an error tells apart: bytes and text. Pure functions."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

_LONGEST = 2_000
_LITERAL = r"""(b?'(?:[^'\\\n]|\\.){0,200}'|b?"(?:[^"\\\n]|\\.){0,200}")"""
_COMPARED = re.compile(rf"(?:\A|\s){_LITERAL} (?:==|!=|not found in|in) {_LITERAL}(?=\s|\Z)")
_WANTED = re.compile(
    r"\ba bytes-like object is required, not 'str'|\bcan't concat (?:bytes to str|str to bytes)\b"
    r"|\bmust be (?:str,? not bytes|bytes,? not str)\b"
    r"|\bcannot use a (?:string pattern on a bytes|bytes pattern on a string)-like object"
)
TEXT_AND_BYTES = ("bytes", "str")


def types_told_apart(message: str) -> tuple[str, ...]:
    """The names of the two types, in alphabetical order; empty where an error is not about their difference.

    >>> types_told_apart("assert b'foo' == 'foo'")
    ('bytes', 'str')
    >>> types_told_apart("a bytes-like object is required, not 'str'")
    ('bytes', 'str')
    >>> types_told_apart("assert b'foo' == b'bar'"), types_told_apart("assert b'foo' == 'bar'")
    ((), ())
    """
    text = message[:_LONGEST]
    if _WANTED.search(text) or any(_is_same_but_for_its_type(*pair) for pair in _compared(text)):
        return TEXT_AND_BYTES
    return ()


def _compared(text: str) -> Iterator[tuple[object, object]]:
    for match in _COMPARED.finditer(text):
        try:
            yield ast.literal_eval(match[1]), ast.literal_eval(match[2])
        except (SyntaxError, ValueError):
            continue


def _is_same_but_for_its_type(left: object, right: object) -> bool:
    if isinstance(left, bytes) and isinstance(right, str):
        return left == right.encode("utf-8", "replace")
    return isinstance(left, str) and isinstance(right, bytes) and left.encode("utf-8", "replace") == right
