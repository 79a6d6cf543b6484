"""Parsing the Python source of strangers: what may be raised, and whose warnings nobody wants to see."""

from __future__ import annotations

import ast
import warnings

UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What parsing a stranger's source may raise, or walking its tree: it may be Python 2 or no Python at all,
hold null bytes or too long a number, or be nested too deep."""


def parse_source(source: str | bytes) -> ast.Module:
    """The tree of ``source``, without the compiler's warnings about it. Raises one of ``UNPARSABLE``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


def parsed_or_none(source: str | bytes) -> ast.Module | None:
    """The tree of ``source``; None when this interpreter cannot parse it."""
    try:
        return parse_source(source)
    except UNPARSABLE:
        return None
