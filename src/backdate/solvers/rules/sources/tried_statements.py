"""Statements of a file between ``try`` and what is done about an error."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from backdate.editing.encodings import split_lines
from backdate.editing.spans import Edit
from backdate.solvers.rules.sources.syntax_edits import line_behind

_INDENTATION = "    "


def tried(
    text: str, statement: ast.stmt, handler: Sequence[str], around: ast.Try | None = None
) -> tuple[Edit, ...]:
    """The edits that put a statement between ``try:`` and the lines of ``handler``, as far in as it.

    Empty where it shares its lines with others, or holds a text of several lines, which would change. Where
    it is all that is tried by ``around``, the handler goes behind the ones there.
    """
    if around is not None and around.body == [statement] and not (around.orelse or around.finalbody):
        caught = around.handlers[-1]
        edit = line_behind(caught, text, *handler) if caught.type else None
        return (edit,) if edit is not None else ()
    lines = list(split_lines(text))
    first, last = statement.lineno - 1, (statement.end_lineno or statement.lineno) - 1
    whole = lines[first : last + 1]
    before = whole[0][: statement.col_offset]
    if before.strip() or _holds_long_text(statement) or _goes_on(lines[last], statement):
        return ()
    head = whole[0]
    newline = head[len(head.rstrip("\r\n")) :] or "\n"
    moved = [f"{_INDENTATION}{line}" if line.strip() else line for line in whole]
    if not moved[-1].endswith(("\n", "\r")):
        moved[-1] += newline
    made = [f"{before}try:{newline}", *moved, *(f"{before}{line}{newline}" for line in handler)]
    start = sum(map(len, lines[:first]))
    return (Edit(start, start + sum(map(len, whole)), "".join(made)),)


def _holds_long_text(statement: ast.stmt) -> bool:
    return any(
        isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno
        for node in ast.walk(statement)
    )


def _goes_on(line: str, statement: ast.stmt) -> bool:
    """Whether something else than a comment stands behind a statement on its last line."""
    rest = line.encode()[statement.end_col_offset or 0 :].decode("utf-8", "replace").strip()
    return bool(rest) and not rest.startswith("#")
