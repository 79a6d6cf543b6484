"""Literals in source: read, and varied for further cases."""

from __future__ import annotations

import ast
from typing import Any, AnyStr

VARIATIONS = 4
_LONGEST = 400


def literal(node: ast.expr) -> Any:
    """The value of a literal expression. Raises ValueError for what is none."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError("no literal") from error


def is_literal(node: ast.expr) -> bool:
    """Whether an expression is a number, a text, bytes, or a display of literals."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float | complex | str | bytes) and not isinstance(
            node.value, bool
        )
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant)
    if isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict):
        try:
            return bool(literal(node)) and len(ast.unparse(node)) <= _LONGEST
        except ValueError:
            return False
    return False


def varied(value: Any, number: int) -> Any:
    """A value of the same type and nearly the same shape; another for each ``number`` from 1."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value + (number if value >= 0 else -number)
    if isinstance(value, float):
        return value * (1 + number) if value else float(number)
    if isinstance(value, complex):
        return value * (1 + number)
    if isinstance(value, str):
        return _varied_text(value, number)
    if isinstance(value, bytes):
        return _varied_text(value, number)
    if isinstance(value, list | tuple):
        return _varied_items(value, number)
    if isinstance(value, dict):
        return {key: varied(item, number) for key, item in value.items()}
    if isinstance(value, set):
        return {varied(item, number) for item in value}
    return value


def _varied_text(value: AnyStr, number: int) -> AnyStr:
    twice, first_twice, last_twice = value + value, value[:1] + value, value + value[-1:]
    return (twice, value.upper(), value[::-1], first_twice, value.title(), last_twice)[number % 6]


def _varied_items(value: list[Any] | tuple[Any, ...], number: int) -> Any:
    items = list(value)
    if number % 3 == 1:
        items.reverse()
    elif number % 3 == 2:
        items = [varied(item, number) if not isinstance(item, str) else item for item in items]
    elif (
        len(items) > 2
        and len({_length(item) for item in items}) == 1
        and not isinstance(items[0], list | tuple)
    ):
        items = items[:-1]
    else:
        items = [varied(item, 1) if not isinstance(item, str) else item for item in items]
    return type(value)(items) if type(value) in (list, tuple) else value


def _length(item: Any) -> int:
    return len(item) if isinstance(item, list | tuple) else -1
