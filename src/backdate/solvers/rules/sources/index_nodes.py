"""Trees of Python's syntax without ``ast.Index`` (Python 3.9): ``node.slice`` is what its ``value`` was."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from backdate.advice import SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.knowledge.changes import PYTHON
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import edited_files, leaf_of, span_of

_KINDS = frozenset(
    {
        CauseKind.ASSERTION,
        CauseKind.CHANGED_VALUE,
        CauseKind.CHANGED_TYPE,
        CauseKind.MISSING_ATTRIBUTE,
        CauseKind.OTHER_ERROR,
    }
)
_CHANGE = DocumentedChange(
    library=PYTHON,
    since="3.9",
    said="the index of a subscript is node.slice itself, without an ast.Index around it",
    source="https://docs.python.org/3/whatsnew/3.9.html#deprecated",
)


def index_nodes(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """For each file that reads trees and was run where the tests passed: all that it reads of an index."""
    if group.cause.kind not in _KINDS or not _CHANGE.lies_between(evidence):
        return
    for file, text in evidence.texts.items():
        if "ast" not in text or ".slice" not in text or file in evidence.kept_files:
            continue
        made = list(_edits(text))
        places = tuple(SourcePlace(file=file, line=line) for line, _ in made)
        if not evidence.executed_of(places):
            continue
        yield _CHANGE.mended(
            edited_files(evidence.texts, {file: [edit for _, edit in made]}),
            key=f"indices of subscripts in {file}",
            places=places,
        )


def _edits(text: str) -> Iterator[tuple[int, Edit]]:
    """The edits of a file, each with its line."""
    tree = parsed_or_none(text)
    source = SourceText(text)
    denied: set[ast.expr] = set()
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            if asked := _asks_of_slice(node.operand):
                denied.add(node.operand)  # which is walked later
                yield node.lineno, Edit(*span_of(node, source), asked)
        elif isinstance(node, ast.Attribute) and node.attr == "value" and _is_slice(node.value):
            _, start = span_of(node.value, source)
            yield node.lineno, Edit(start, span_of(node, source)[1], "")
        elif isinstance(node, ast.Call) and node not in denied and (asked := _asks_of_slice(node)):
            yield node.lineno, Edit(*span_of(node, source), f"not {asked}")


def _asks_of_slice(node: ast.expr) -> str:
    """For ``isinstance(node.slice, ast.Index)`` what is the contrary of it by now; "" for anything else."""
    if not isinstance(node, ast.Call) or leaf_of(node.func) != "isinstance" or len(node.args) != 2:
        return ""
    index, kind = node.args
    if not _is_slice(index) or leaf_of(kind) != "Index":
        return ""
    return f"isinstance({ast.unparse(index)}, {ast.unparse(kind).removesuffix('Index')}Slice)"


def _is_slice(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "slice"
