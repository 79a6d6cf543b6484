"""Proposals from what libraries warned of while the tests passed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.advising.wording import replacement_in, since_in
from backdate.bisection.result import GivenWarning
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.rewrites import rewrite_to
from backdate.solvers.rules.sources.subjects import Subject, subjects_of

_LONGEST = 240


class WarningSource:
    """Warnings of the old side."""

    origin = ProposalOrigin.WARNING

    def propose(self, group: FailureGroup, evidence: FixEvidence) -> Sequence[Proposal]:
        """See ``ProposalSource``. Of warnings those count that a line of the group, or its name, gave."""
        return tuple(self._proposals(group, evidence))

    def _proposals(self, group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
        subjects = [subject for subject in subjects_of(group, evidence) if subject.named]
        for subject in subjects:
            for given in warnings_about(subject, evidence):
                said = replacement_in(given.message, subject.argument or subject.name)
                if said is None or said.expression:
                    continue
                rewrite = rewrite_to(subject, said.replacement, evidence, words=given.message)
                if rewrite is not None:
                    yield Proposal(
                        origin=self.origin,
                        distribution=subject.distribution,
                        rewrite=rewrite,
                        places=subject.places,
                        why=(_why(given, said.sentence),),
                    )


def warnings_about(subject: Subject, evidence: FixEvidence) -> Iterator[GivenWarning]:
    """The warnings that a line which uses the subject gave, then those of other lines that spell its name."""
    places = {(place.file, place.line) for place in subject.places}
    near = [
        given
        for given in evidence.warnings
        if any((place.file, place.line) in places for place in given.places)
    ]
    yield from near
    yield from _given_on_lookup(subject, evidence)
    others = (given for given in evidence.warnings if given not in near)
    yield from (given for given in others if _spells(given.message, subject.argument or subject.leaf))


def _spells(message: str, name: str) -> bool:
    """Whether a message has ``name`` as a name: a short word may stand in it by chance ("multiple keys")."""
    if not name.isalpha() or not name.islower():
        return True
    word = re.escape(name)
    return re.search(rf"[`'\".]{word}(?!\w)|(?<!\w){word}(?:[`'\".(=]|$)|^{word}\b", message) is not None


def _given_on_lookup(subject: Subject, evidence: FixEvidence) -> Iterator[GivenWarning]:
    """What the old environment warns of where the name, or its module, is looked up."""
    if evidence.pair is None:
        return
    names = (subject.name, subject.name.partition(".")[0])
    for member in evidence.pair.ask_old(names).values():
        for given in member.warnings:
            yield GivenWarning(
                category=given.category, message=given.message, places=subject.places, names_it=True
            )


def _why(given: GivenWarning, sentence: str) -> AdviceEvidence:
    text = f"{given.category}: {sentence}"[:_LONGEST]
    return AdviceEvidence(kind=EvidenceKind.WARNING, text=text, since=since_in(given.message))
