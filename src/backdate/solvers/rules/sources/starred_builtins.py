"""Builtin functions that ``from numpy import *`` hides since NumPy 2.0, whose ``max(0, x)`` takes an axis.

The builtin ones are imported behind all imports of everything, those that a file uses.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from backdate.editing.python_source import parsed_or_none
from backdate.solvers.rules.executed import statement_around
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import edited_files, line_behind

_LIBRARY = "numpy"
_HIDDEN = frozenset({"abs", "bool", "max", "min", "pow", "round"})
"""What ``numpy.__all__`` has since then; ``all``, ``any``, ``divmod`` and ``sum`` were in it before."""
_CHANGE = DocumentedChange(
    library=_LIBRARY,
    since="2.0.0",
    said="importing all of NumPy hides the builtin abs, bool, max, min, pow and round",
    source="https://github.com/numpy/numpy/pull/24234",
)


def starred_builtins(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """The builtin ones for each file that imports all of NumPy, where a failing line uses one of them."""
    if not _CHANGE.lies_between(evidence):
        return
    texts = {file: text for file, text in evidence.texts.items() if file not in evidence.kept_files}
    hidden = {file: found for file, text in texts.items() if (found := _hidden_in(text)) is not None}
    meant = [
        place
        for place in group.places
        if place.file in hidden
        and not hidden[place.file][2].isdisjoint(statement_around(texts[place.file], place.line))
    ]
    if not meant:
        return
    edits = {}
    for file, (last, names, _) in hidden.items():
        edit = line_behind(last, texts[file], f"from builtins import {', '.join(names)}")
        if edit is not None:
            edits[file] = [edit]
    yield _CHANGE.mended(
        edited_files(texts, edits), key="builtin functions behind all of NumPy", places=tuple(meant[:1])
    )


def _hidden_in(text: str) -> tuple[ast.stmt, tuple[str, ...], frozenset[int]] | None:
    """The last import of everything in a file that imports all of NumPy, the names that it hides and the file
    uses, and on which lines; None for another file."""
    tree = parsed_or_none(text) if "import *" in text and _LIBRARY in text else None
    stars = [one for one in tree.body if _is_star(one)] if tree is not None else []
    if tree is None or not any(isinstance(one, ast.ImportFrom) and one.module == _LIBRARY for one in stars):
        return None
    used = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in _HIDDEN]
    own = set(_bound(tree)) | {node.id for node in used if not isinstance(node.ctx, ast.Load)}
    used = [node for node in used if node.id not in own]
    names = tuple(sorted({node.id for node in used}))
    return (stars[-1], names, frozenset(node.lineno for node in used)) if names else None


def _is_star(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and any(alias.name == "*" for alias in statement.names)


def _bound(tree: ast.Module) -> Iterator[str]:
    """What a file itself imports, defines or takes as an argument."""
    for node in ast.walk(tree):
        if isinstance(node, ast.alias):
            yield node.asname or node.name
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
