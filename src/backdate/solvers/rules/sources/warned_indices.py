"""Proposals for lists of indices that NumPy took for a tuple until 1.23: nothing fails there now.

What is taken is another thing since, which shows wherever it is used. While the tests passed NumPy warned of
it where the items are taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.rewriting.expressions import expressions_on
from backdate.rewriting.rewrite import ExpressionRole, ReplaceExpression
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin

_NO_TUPLE = re.compile(r"Using a non-tuple sequence for multidimensional indexing is deprecated")
_KINDS = (CauseKind.ASSERTION, CauseKind.CHANGED_VALUE, CauseKind.CHANGED_TYPE, CauseKind.OTHER_ERROR)


def warned_indices(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """For each index of the project's lines that were warned of: as a tuple, at all of these lines at once.

    Of a line with several expressions that may be lists nothing is known.
    """
    if group.cause.kind not in _KINDS:
        return
    places: dict[str, list[SourcePlace]] = {}
    said = ""
    for given in evidence.warnings:
        match = _NO_TUPLE.search(given.message)
        for place in given.places if match is not None else ():
            text = evidence.texts.get(place.file)
            found = expressions_on(text, frozenset({place.line})) if text is not None else ()
            indices = {
                one.code for one in found if one.role is ExpressionRole.INDEX and _may_be_list(one.code)
            }
            if match is not None and len(indices) == 1:
                places.setdefault(indices.pop(), []).append(place)
                said = f"{given.category}: {match[0]}"
    for index, warned in places.items():
        yield Proposal(
            origin=ProposalOrigin.RESTRUCTURING,
            distribution="numpy",
            rewrite=ReplaceExpression(expression=index, role=ExpressionRole.INDEX, template="tuple({self})"),
            places=tuple(dict.fromkeys(warned)),
            why=(AdviceEvidence(kind=EvidenceKind.WARNING, text=said),),
        )


def _may_be_list(code: str) -> bool:
    """Whether an index may be a list: no number, text, slice, tuple or new tuple."""
    return code[:1] not in "\"'(:-0123456789" and not code.startswith("tuple(") and ":" not in code
