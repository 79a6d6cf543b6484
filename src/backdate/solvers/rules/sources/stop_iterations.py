"""Proposals for generators that ended by a ``StopIteration``, an error since Python 3.7 (PEP 479)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from backdate.advice import SourcePlace
from backdate.editing.encodings import split_lines
from backdate.editing.python_source import parsed_or_none
from backdate.knowledge.changes import PYTHON
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import leaf_of
from backdate.text import version_numbers

_SINCE = (3, 7)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_CHANGE = DocumentedChange(
    library=PYTHON,
    since="3.7",
    said="a generator ends by return, and a StopIteration raised in it is a RuntimeError",
    source="https://peps.python.org/pep-0479/",
)


def ended_generators(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """``return`` for ``raise StopIteration``, and after any other statement through which one came.

    Of each traceback the innermost generator of the project. None where Python did not move past 3.7.
    """
    old, new = map(version_numbers, evidence.versions_of(PYTHON))
    if group.cause.type != "StopIteration" or not old or not new or not old[:2] < _SINCE <= new[:2]:
        return None
    for place in group.places:
        text = evidence.texts.get(place.file, "")
        edited = _returning(text, place.line)
        if edited is not None:
            return _CHANGE.mended(
                (FileEdit(file=place.file, text=edited),),
                key=f"StopIteration at {place.file}:{place.line}",
                places=(SourcePlace(file=place.file, line=place.line),),
            )
    return None


def _returning(text: str, line: int) -> str | None:
    """The text with the statement on ``line`` of a generator changed; None where there is none to change."""
    tree = parsed_or_none(text)
    found = None if tree is None else _statement(tree, line)
    if found is None:
        return None
    lines = split_lines(text)
    first, last = found.lineno - 1, (found.end_lineno or found.lineno) - 1
    indentation = lines[first][: found.col_offset]
    behind = lines[last].encode()[found.end_col_offset :].decode()
    if indentation.strip() or (behind.strip() and not behind.lstrip().startswith("#")):
        return None  # it shares its lines with others
    newline = lines[first][len(lines[first].rstrip("\r\n")) :] or "\n"
    if isinstance(found, ast.Raise):
        value = found.exc.args[0] if isinstance(found.exc, ast.Call) and found.exc.args else None
        given = "" if value is None else f" {ast.get_source_segment(text, value)}"
        made = [f"{indentation}return{given}{behind}"]
    elif any(_spans_lines(node) for node in ast.walk(found)):
        return None
    else:
        step = "\t" if indentation.endswith("\t") else "    "
        body = [f"{step}{each}" if each.strip() else each for each in lines[first : last + 1]]
        if not body[-1].endswith(("\n", "\r")):
            body[-1] += newline
        made = [f"{indentation}try:{newline}", *body]
        made += [f"{indentation}except StopIteration:{newline}", f"{indentation}{step}return{newline}"]
    return "".join((*lines[:first], *made, *lines[last + 1 :]))


def _statement(tree: ast.Module, line: int) -> ast.stmt | None:
    """The simple statement on ``line`` whose function is a generator; one that raises again what it caught
    there, where it does."""
    inside = [node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS) and _holds(node, line)]
    innermost = max(inside, key=lambda node: node.lineno, default=None)
    if not isinstance(innermost, ast.FunctionDef) or not any(map(_is_yield, _own_nodes(innermost))):
        return None
    again = next(filter(None, (_raises_again(node, line) for node in _own_nodes(innermost))), None)
    if again is not None:
        return again
    for node in _own_nodes(innermost):
        simple = isinstance(node, ast.Expr | ast.Assign | ast.AnnAssign | ast.AugAssign)
        stops = isinstance(node, ast.Raise) and node.exc is not None and _is_stop(node.exc)
        if isinstance(node, ast.stmt) and (simple or stops) and _holds(node, line):
            return node
    return None


def _raises_again(node: ast.AST, line: int) -> ast.Raise | None:
    """The statement at the end of a handler of StopIteration around ``line`` that raises it again."""
    if not isinstance(node, ast.Try) or not any(_holds(tried, line) for tried in node.body):
        return None
    for handler in node.handlers:
        last = handler.body[-1]
        if handler.type is not None and leaf_of(handler.type) == "StopIteration":
            return last if isinstance(last, ast.Raise) and last.exc is None else None
    return None


def _is_stop(raised: ast.expr) -> bool:
    called = raised.func if isinstance(raised, ast.Call) else raised
    return leaf_of(called) == "StopIteration"


def _own_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """What is in a function, without what is in functions within it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _FUNCTIONS):
            waiting += ast.iter_child_nodes(node)


def _is_yield(node: ast.AST) -> bool:
    return isinstance(node, ast.Yield | ast.YieldFrom)


def _holds(node: ast.stmt | ast.expr, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _spans_lines(node: ast.AST) -> bool:
    """Whether it is a text of several lines, which other indentation would change."""
    is_text = isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )
    return is_text and isinstance(node, ast.expr) and node.end_lineno != node.lineno
