"""Items of what is no array any more: ``result.fun[0]`` of what SciPy gives as a number by now.

A library that gave an array with one value gives the value itself. The error says only of which type it is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.executed import statement_around
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import library_behind
from backdate.solvers.rules.sources.syntax_edits import edited_files

_NO_ARRAY = re.compile(
    r"'(?:numpy\.)?(?:int|float|complex|bool)(?:_|\d{1,3})?' object is not subscriptable|"
    r"invalid index to scalar variable|"
    r"too many indices for array: array is 0-dimensional"
)
_KINDS = (CauseKind.CHANGED_TYPE, CauseKind.OTHER_ERROR, CauseKind.CHANGED_VALUE)
_MOST = 4


def dropped_items(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """For each first item on the failing statement, the value itself."""
    match = _NO_ARRAY.search(group.cause.message[:2000]) if group.cause.kind in _KINDS else None
    place = next(iter(group.places), None)
    if match is None or place is None or place.file in evidence.kept_files:
        return
    text = evidence.texts.get(place.file, "")
    for edits in list(_first_items(text, statement_around(text, place.line)))[:_MOST]:
        yield Proposal(
            origin=ProposalOrigin.RESTRUCTURING,
            distribution=library_behind(group, evidence),
            file_edits=edited_files(evidence.texts, {place.file: edits}),
            edits_key=f"no item at {place.file}:{edits[0].start}",
            places=(place,),
            why=(AdviceEvidence(kind=EvidenceKind.MESSAGE, text=match[0]),),
        )


def _first_items(text: str, lines: range) -> Iterator[list[Edit]]:
    """The edits that leave out each ``[0]`` on some lines, of a name, an attribute or a call."""
    tree, source = parsed_or_none(text), SourceText(text)
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.Subscript) or node.lineno not in lines or not _is_first(node.slice):
            continue
        if isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name | ast.Attribute | ast.Call):
            value = node.value
            start = source.offset(value.end_lineno or value.lineno, value.end_col_offset or 0)
            end = source.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
            yield [Edit(start, end, "")]


def _is_first(index: ast.expr) -> bool:
    """Whether an index is 0, or one 0 for each dimension."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return bool(parts) and all(isinstance(part, ast.Constant) and part.value == 0 for part in parts)
