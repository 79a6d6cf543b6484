"""Which lines of a file ran, by whole statements: of a long one each interpreter tells other lines."""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection, Iterator

from backdate.editing.python_source import parsed_or_none


def whole_statements(text: str, lines: Collection[int]) -> frozenset[int]:
    """``lines``, with all the lines of the statements that they are of.

    Of a statement with a body only its head counts, with its decorators. Lines of a text that cannot be
    parsed stay as they are.
    """
    ran = set(lines)
    for first, last in _heads(text):
        if not ran.isdisjoint(range(first, last + 1)):
            ran.update(range(first, last + 1))
    return frozenset(ran)


def statement_around(text: str, line: int) -> range:
    """The lines of the statement, or of the head of one, that holds a line; that line alone without one."""
    return _by_line(text).get(line, range(line, line + 1))


def function_body(text: str, line: int) -> range:
    """The lines of the body of the innermost function that holds a line; none outside of functions."""
    return min((body for body in _bodies(text) if line in body), key=len, default=range(0))


def function_around(tree: ast.Module, line: int) -> ast.AST:
    """The innermost function around ``line``, or the module."""
    scope: ast.AST = tree
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if node.lineno <= line <= (node.end_lineno or node.lineno):
            scope = node  # an inner one is walked after its outer one
    return scope


@functools.lru_cache(maxsize=256)
def _bodies(text: str) -> tuple[range, ...]:
    """The lines of the bodies of all functions. Kept, as each rule asks for each line of a traceback."""
    tree = parsed_or_none(text)
    return tuple(
        range(node.body[0].lineno, (node.end_lineno or node.body[-1].lineno) + 1)
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


@functools.lru_cache(maxsize=256)
def _by_line(text: str) -> dict[int, range]:
    """By line the smallest statement, or head of one, around it; of two alike the first."""
    found: dict[int, range] = {}
    for first, last in sorted(_heads(text), key=lambda head: (head[1] - head[0], head)):
        for line in range(first, last + 1):
            found.setdefault(line, range(first, last + 1))
    return found


@functools.lru_cache(maxsize=256)
def _heads(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(_find_heads(text))


def _find_heads(text: str) -> Iterator[tuple[int, int]]:
    tree = parsed_or_none(text)
    if tree is None:
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            continue
        body = getattr(node, "body", None)
        first = node.pattern.lineno if isinstance(node, ast.match_case) else node.lineno
        decorators = [decorator.lineno for decorator in getattr(node, "decorator_list", ())]
        last = (
            max(first, body[0].lineno - 1)
            if isinstance(body, list) and body
            else (first if isinstance(node, ast.match_case) else node.end_lineno or first)
        )
        yield min((first, *decorators)), last
