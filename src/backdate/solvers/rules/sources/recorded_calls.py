"""Proposals from what old calls gave: of a value that is of another class now nothing is asked any more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.rewriting.rewrite import ReplaceUse
from backdate.solvers.rules.object_uses import object_uses
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import library_behind

_KINDS = (CauseKind.CHANGED_TYPE, CauseKind.MISSING_ATTRIBUTE)
_CONVERSIONS = {("str", "decode"): "bytes", ("bytes", "encode"): "str"}
"""Of a value that is already what it was turned into: its class now and the method, and its class before."""

_CONTAINERS = ("dict", "list", "tuple", "set")
"""Of these nobody asked an attribute by mistake: another object stood here, which held one."""


class RecordedCallSource:
    """The classes of values that the traced run of the old side saw."""

    origin = ProposalOrigin.RECORDED_CALL

    def propose(self, group: FailureGroup, evidence: FixEvidence) -> Sequence[Proposal]:
        """See ``ProposalSource``."""
        cause = group.cause
        if cause.kind not in _KINDS or cause.owner_is != "type" or not cause.name:
            return ()
        library = library_behind(group, evidence)
        was = _CONVERSIONS.get((cause.owner, cause.name))
        if was is not None:
            why = f"the value is {cause.owner} now, as .{cause.name}() made it"
            return (self._without(group, library, group.places, why, called=True),)
        if not group.tests:
            return ()  # nobody saw what stands there now: of a class that moved the rest is as it was
        wrapper, places = _wrapper(group, evidence)
        if cause.owner not in _CONTAINERS:
            more = any(_asked_for_more(cause.name, place, evidence) for place in group.raised_at)
            if not wrapper or more:  # another object with most of what the gone one had, not what that held
                return ()
        why = f"{wrapper or 'its class'} is gone; what its .{cause.name} held is given itself"
        raised_at = group.raised_at or group.places[:1]  # a caller's line is about another object
        return (self._without(group, library, (*raised_at, *places), why, called=False),)

    def _without(
        self, group: FailureGroup, library: str, places: Sequence[SourcePlace], why: str, *, called: bool
    ) -> Proposal:
        return Proposal(
            origin=self.origin,
            distribution=library,
            rewrite=ReplaceUse(
                target=f".{group.cause.name}", template="{self}", called=called, drops_arguments=called
            ),
            places=tuple(dict.fromkeys(places)),
            why=(AdviceEvidence(kind=EvidenceKind.ASKED, text=why),),
        )


def _asked_for_more(attribute: str, place: SourcePlace, evidence: FixEvidence) -> bool:
    """Whether what is asked for ``attribute`` on a line is asked for other ones too, in that file."""
    uses = tuple(object_uses(evidence.texts.get(place.file, "")))
    at_line = (one for one in uses if one.line == place.line and one.attribute == attribute)
    asked = {one.expression for one in at_line} - {""}
    return any(one.expression in asked and one.attribute != attribute for one in uses)


def _wrapper(group: FailureGroup, evidence: FixEvidence) -> tuple[str, tuple[SourcePlace, ...]]:
    """A class whose objects had the attribute where the tests passed and that is gone; and where they had."""
    attribute = group.cause.name
    for class_name, places in _classes_with(attribute, evidence):
        near = any(place.file == other.file for place in places for other in group.places)
        if not near or class_name.rpartition(".")[2] == group.cause.owner or evidence.pair is None:
            continue
        asked = (class_name, f"{class_name}.{attribute}")
        new = evidence.pair.ask_new(asked).get(class_name)
        old = evidence.pair.ask_old(asked).get(class_name)
        if old is not None and old.present and new is not None and not new.present:
            return class_name, places
    return "", ()


def _classes_with(attribute: str, evidence: FixEvidence) -> Iterator[tuple[str, tuple[SourcePlace, ...]]]:
    """Classes whose objects were asked for ``attribute`` on executed lines, and where."""
    classes: dict[str, dict[SourcePlace, None]] = {}
    for file in dict.fromkeys(one.file for one in evidence.objects):
        seen = {
            (one.line, one.expression): one.class_name
            for one in evidence.objects
            if one.file == file and not one.member
        }
        for use in object_uses(evidence.texts.get(file, "")):
            class_name = seen.get((use.statement, use.expression)) or seen.get((use.line, use.expression))
            if use.attribute == attribute and class_name:
                place = SourcePlace(file=file, line=use.line)
                classes.setdefault(class_name, {})[place] = None
    return ((name, tuple(places)) for name, places in classes.items())
