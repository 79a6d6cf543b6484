"""Attributes of objects that are called as the argument is that made them, where that has another name now.

``JS("app.js").js`` of a class whose first parameter was ``js`` and is ``src`` by now: ``.src``.
"""

from __future__ import annotations

from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.diagnosis.result import CauseKind
from backdate.rewriting.rewrite import RenameAttribute
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import distribution_of_cause

_MOST_CLASSES = 8


def renamed_fields(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """The name of the parameter that stands by now where the one of the lacking attribute's name stood."""
    cause, pair = group.cause, evidence.pair
    if cause.kind is not CauseKind.MISSING_ATTRIBUTE or cause.owner_is != "type" or pair is None:
        return
    leaf = cause.owner.rpartition(".")[2]
    classes = [name for name in evidence.uses.names if name.rpartition(".")[2] == leaf][:_MOST_CLASSES]
    old, new = pair.ask_old(classes), pair.ask_new(classes)
    for name in classes:
        before, now = old.get(name), new.get(name)
        if before is None or now is None or before.kind != "class" or now.kind != "class":
            continue
        given, takes = (_without_self(one.parameters) for one in (before, now))
        at = given.index(cause.name) if cause.name in given else len(takes)
        if at >= len(takes) or takes[at] in given or takes[at].startswith("*"):
            continue
        said = f"{name}({cause.name}) is {name}({takes[at]}) by now"
        yield Proposal(
            origin=ProposalOrigin.SIGNATURE,
            distribution=evidence.distribution_of(name) or distribution_of_cause(cause),
            rewrite=RenameAttribute(old=cause.name, new=takes[at], owner=leaf),
            places=group.raised_at or group.places[:1],
            why=(AdviceEvidence(kind=EvidenceKind.ASKED, text=said),),
        )


def _without_self(parameters: tuple[str, ...]) -> list[str]:
    return [one for one in parameters if one != "self"]
