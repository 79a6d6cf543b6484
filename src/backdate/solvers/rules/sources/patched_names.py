"""What a file keeps of a module before it puts something else there: None, where the module has it no more.

A file that patches a library reads the original first (``original = ssl.wrap_socket``), to call it and to put
it back. Where the name is gone nothing has to be patched or put back, and all else goes on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.rewriting.rewrite import ExpressionRole, ReplaceExpression
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import library_behind

_KINDS = frozenset({CauseKind.MISSING_ATTRIBUTE, CauseKind.REMOVED})


def patched_names(group: FailureGroup, evidence: FixEvidence) -> tuple[Proposal, ...]:
    """The edit for lines that only keep the name of a module which the same file assigns to elsewhere."""
    cause = group.cause
    if cause.kind not in _KINDS or cause.owner_is != "module" or not cause.name:
        return ()
    places: dict[str, list[SourcePlace]] = {}
    for place in group.raised_at or group.places[:1]:
        owner = next(_kept_and_patched(evidence.texts.get(place.file, ""), place.line, cause.name), "")
        if owner:
            places.setdefault(owner, []).append(place)
    return tuple(
        Proposal(
            origin=ProposalOrigin.RESTRUCTURING,
            distribution=library_behind(group, evidence),
            rewrite=ReplaceExpression(
                expression=f"{owner}.{cause.name}",
                role=ExpressionRole.ASSIGNED,
                template=f"getattr({owner}, '{cause.name}', None)",
            ),
            places=tuple(at),
            why=(
                AdviceEvidence(
                    kind=EvidenceKind.ASKED,
                    text=f"{owner}.{cause.name} is gone, and is only kept here while it is replaced",
                ),
            ),
        )
        for owner, at in places.items()
    )


def _kept_and_patched(text: str, line: int, name: str) -> Iterator[str]:
    """The variable of the module whose ``name`` is kept on ``line``, and assigned to on another line."""
    tree = parsed_or_none(text) if name in text else None
    assignments = (
        [node for node in ast.walk(tree) if isinstance(node, ast.Assign)] if tree is not None else []
    )
    patched = {
        target.value.id
        for node in assignments
        for target in node.targets
        if isinstance(target, ast.Attribute) and target.attr == name and isinstance(target.value, ast.Name)
    }
    for node in assignments:
        value = node.value
        if (
            node.lineno == line
            and isinstance(value, ast.Attribute)
            and value.attr == name
            and isinstance(value.value, ast.Name)
            and value.value.id in patched
        ):
            yield value.value.id
