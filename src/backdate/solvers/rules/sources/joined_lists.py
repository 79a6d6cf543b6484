"""Lists that are joined to what was a list itself, and is another collection now: a list of it is joined.

``COLUMNS + ["id"]`` of what became a set, a tuple or a view. Which of the operands it is the error says.
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

_JOINED = re.compile(
    r"unsupported operand type\(s\) for (?P<sign>\+=?): '(?P<left>[\w.]{1,80})' and '(?P<right>[\w.]{1,80})'|"
    r"can only concatenate (?P<kind>list|tuple) \(not \"(?P<other>[\w.]{1,80})\"\) to (?P=kind)"
)
_KINDS = (CauseKind.CHANGED_TYPE, CauseKind.OTHER_ERROR)
_SEQUENCES = frozenset({"list", "tuple"})
_OF_NO_ITEMS = frozenset(
    {"NoneType", "str", "bytes", "int", "float", "bool", "complex", "method", "function"}
)
_BINDS_TIGHTER = (ast.List, ast.ListComp, ast.Tuple, ast.Call, ast.Name, ast.Attribute, ast.Subscript)
_LITERALS = (ast.Constant, ast.List, ast.Tuple)
_MOST = 4


def joined_lists(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """For each sum of the failing statement one in which a list is made of what is none any more."""
    match = _JOINED.search(group.cause.message[:2000]) if group.cause.kind in _KINDS else None
    place = next(iter(group.places), None)
    if match is None or place is None or place.file in evidence.kept_files:
        return
    left, right = match["left"] or match["kind"], match["right"] or match["other"]
    if _OF_NO_ITEMS & {left, right}:
        return
    kind = match["kind"] or next((one for one in (right, left) if one in _SEQUENCES), "list")
    text = evidence.texts.get(place.file, "")
    for edits in list(_sums(text, place.line, kind, left != kind, right != kind))[:_MOST]:
        yield Proposal(
            origin=ProposalOrigin.RESTRUCTURING,
            distribution=library_behind(group, evidence),
            file_edits=edited_files(evidence.texts, {place.file: edits}),
            edits_key=f"{kind} made at {place.file}:{place.line}:{edits[0].start}",
            places=(place,),
            why=(AdviceEvidence(kind=EvidenceKind.MESSAGE, text=match[0]),),
        )


def _sums(text: str, line: int, kind: str, left: bool, right: bool) -> Iterator[list[Edit]]:
    """The edits for each sum around a line, the innermost first.

    ``left``, ``right``: which of its operands are made a ``kind``.
    """
    tree, source = parsed_or_none(text), SourceText(text)
    lines = statement_around(text, line)
    within = (
        [node for node in ast.walk(tree) if getattr(node, "lineno", 0) in lines] if tree is not None else []
    )
    sums = [one for one in within if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add)]
    for one in sorted(sums, key=lambda one: (one.end_lineno or 0, one.end_col_offset or 0)):
        made = [operand for operand, wanted in ((one.left, left), (one.right, right)) if wanted]
        written = [operand for operand in (one.left, one.right) if isinstance(operand, _LITERALS)]
        if made and not set(written) & set(made):
            yield [edit for operand in made for edit in _made(operand, kind, source)]
        elif made and len(written) == 1 and isinstance(written[0], ast.List | ast.Tuple):
            other = one.left if written[0] is one.right else one.right
            own = "list" if isinstance(written[0], ast.List) else "tuple"
            yield list(_made(other, own, source))  # what is written beside it says what it was
    for grown in within:
        if isinstance(grown, ast.AugAssign) and isinstance(grown.op, ast.Add) and left:
            yield from filter(None, [list(_grown(grown, kind, text, source))])


def _made(operand: ast.expr, kind: str, source: SourceText) -> Iterator[Edit]:
    start = source.offset(operand.lineno, operand.col_offset)
    end = source.offset(operand.end_lineno or operand.lineno, operand.end_col_offset or 0)
    yield Edit(start, start, f"{kind}(")
    yield Edit(end, end, ")")


def _grown(statement: ast.AugAssign, kind: str, text: str, source: SourceText) -> Iterator[Edit]:
    """``x += […]`` as ``x = list(x) + […]``."""
    target, value = statement.target, statement.value
    if not isinstance(value, _BINDS_TIGHTER):
        return
    start = source.offset(target.lineno, target.col_offset)
    end = source.offset(target.end_lineno or target.lineno, target.end_col_offset or 0)
    sign = text.index("+=", end)
    yield Edit(sign, sign + 2, f"= {kind}({text[start:end]}) +")
