"""Statements that use a database of Flask outside of an application's context: into the block of one.

Rules put what makes tables into such a block. What follows it in its function wants the same one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from backdate.editing.python_source import parsed_or_none
from backdate.editing.spans import Edit
from backdate.solvers.rules.executed import function_around
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import edited_files

_OUTSIDE = re.compile(r"Working outside of application context")
_MAKERS = frozenset({"Flask", "create_app", "make_app"})
_NAMES = frozenset({"app", "application"})
_NEAR = 5
"""Statements that a block before them is as far away as to hold them as well."""
_CHANGE = DocumentedChange(
    library="flask",
    said="what uses a database runs in the context of an application",
    source="https://flask-sqlalchemy.palletsprojects.com/en/stable/contexts/",
)


def app_contexts(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """A block of the application around the failing statement and all that follows it in its function.

    Where the block stands before it already, it holds them as well. None for another error, and where no
    application can be named there.
    """
    if _OUTSIDE.search(group.cause.message[:1000]) is None:
        return None
    edits: dict[str, set[Edit]] = {}
    for place in group.raised_at or group.places[:1]:
        text = evidence.texts.get(place.file, "")
        for edit in _into_context(text, place.line):
            edits.setdefault(place.file, set()).add(edit)
    if not edits:
        return None
    return _CHANGE.mended(
        edited_files(evidence.texts, edits),
        key=f"contexts of lines {', '.join(f'{one.file}:{one.line}' for one in group.raised_at)}",
        places=group.raised_at,
    )


def _into_context(text: str, line: int) -> Iterator[Edit]:
    tree = parsed_or_none(text)
    function = function_around(tree, line) if tree is not None else None
    if tree is None or not isinstance(function, ast.FunctionDef):
        return
    body = function.body
    first = next((n for n, one in enumerate(body) if one.lineno <= line <= (one.end_lineno or 0)), None)
    if first is None or _is_context(body[first]):
        return
    block = next((n for n in range(first - 1, max(first - _NEAR, 0) - 1, -1) if _is_context(body[n])), None)
    first = first if block is None else block + 1
    last = next((n for n in range(first + 1, len(body)) if _is_context(body[n])), len(body)) - 1
    lines = text.splitlines(keepends=True)
    start, end = body[first].lineno, body[last].end_lineno or body[last].lineno
    indentation = lines[start - 1][: len(lines[start - 1]) - len(lines[start - 1].lstrip())]
    if _has_long_text(body[first : last + 1]):
        return
    header = ""
    if block is None:
        application = _application(function, body[:first], tree)
        if not application:
            return
        header = f"{indentation}with {application}.app_context():\n"
    unit = "\t" if "\t" in indentation else "    "
    starts = [0]
    for one in lines:
        starts.append(starts[-1] + len(one))
    for number in range(start, end + 1):
        above = header if number == start else ""
        if lines[number - 1].strip() or above:
            yield Edit(starts[number - 1], starts[number - 1], above + unit)


def _is_context(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.With) and any(
        isinstance(item.context_expr, ast.Call)
        and isinstance(item.context_expr.func, ast.Attribute)
        and item.context_expr.func.attr in ("app_context", "test_request_context")
        for item in statement.items
    )


def _has_long_text(statements: Sequence[ast.stmt]) -> bool:
    """Whether a text of several lines stands there, which would change with its lines."""
    return any(
        isinstance(node, ast.Constant | ast.JoinedStr) and node.lineno != node.end_lineno
        for statement in statements
        for node in ast.walk(statement)
    )


def _application(function: ast.FunctionDef, before: Sequence[ast.stmt], tree: ast.Module) -> str:
    """How a function can name the application: its own, a parameter, or one of the module; "" for none."""
    parameters = {one.arg for one in (*function.args.args, *function.args.kwonlyargs)}
    imported = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    made = [*_made(before), *sorted(parameters & _NAMES), *_made(tree.body), *sorted(imported & _NAMES)]
    return next(iter(made), "")


def _made(statements: Sequence[ast.stmt]) -> Iterator[str]:
    for node in statements:
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        value = node.value if isinstance(node, ast.Assign) else None
        if isinstance(target, ast.Name) and isinstance(value, ast.Call):
            called = value.func
            if (called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")) in _MAKERS:
                yield target.id
