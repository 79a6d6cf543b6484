"""Proposals from what releases between the old and the new one say in their sources.

A name may be deprecated and dropped between two instants: neither side warns of it then, and the releases in
between do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.knowledge.changes import PYTHON
from backdate.mining.announcements import Announcement
from backdate.mining.between import ReleaseAnnouncements
from backdate.mining.candidates import said_replacement
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.rewrites import rewrite_to
from backdate.solvers.rules.sources.subjects import Subject, subjects_of

_LONGEST = 240


class AnnouncementSource:
    """The releases in between."""

    origin = ProposalOrigin.ANNOUNCEMENT

    def propose(self, group: FailureGroup, evidence: FixEvidence) -> Sequence[Proposal]:
        """See ``ProposalSource``. Of the newest release that says what to write, and is right about it."""
        for subject in subjects_of(group, evidence):
            if subject.named and _is_gone(subject, evidence):
                proposals = tuple(self._proposals(subject, evidence))
                if proposals:
                    return proposals
        return ()

    def _proposals(self, subject: Subject, evidence: FixEvidence) -> Iterator[Proposal]:
        old, new = evidence.versions_of(subject.distribution)
        if evidence.releases is None or not old or not new:
            return
        home = _home_of(subject, evidence)
        for release in evidence.releases.announced(subject.distribution, old, new):
            found: dict[str, Proposal] = {}
            for announcement in about(subject, home, release.announcements):
                said = said_replacement(announcement, subject.argument or subject.leaf)
                if subject.of_object and not subject.argument and not _is_beside(subject, said):
                    continue
                rewrite = rewrite_to(subject, said, evidence)
                if rewrite is not None and str(rewrite) not in found:
                    found[str(rewrite)] = Proposal(
                        origin=self.origin,
                        distribution=subject.distribution,
                        rewrite=rewrite,
                        places=subject.places,
                        why=(_why(release, announcement),),
                    )
            if found:
                yield from found.values()
                return


def _is_beside(subject: Subject, said: str) -> bool:
    """Whether what takes a method's place is another of its class: a function is called in another way."""
    owner = said.rpartition(".")[0].rpartition(".")[2]
    return not owner or owner in ("self", subject.owner.rpartition(".")[2])


def _is_gone(subject: Subject, evidence: FixEvidence) -> bool:
    """Whether a library that moved had it, and the new environment has it no more, as far as anybody knows.

    Only of what the failing tests run.
    """
    if evidence.pair is None or subject.distribution in ("", PYTHON):
        return False
    if evidence.executed is not None and not evidence.executed_of(subject.places):
        return False
    member = evidence.pair.ask_new((subject.name,)).get(subject.name)
    if subject.argument:
        return member is None or not member.present or subject.argument not in member.keywords
    return member is None or not member.present


def _home_of(subject: Subject, evidence: FixEvidence) -> str:
    """Where the old environment says that it is defined; "" where that is not known."""
    if evidence.pair is None:
        return ""
    member = evidence.pair.ask_old((subject.name,)).get(subject.name)
    return member.home if member is not None and member.present and member.qualified else ""


def about(subject: Subject, home: str, announcements: Iterable[Announcement]) -> tuple[Announcement, ...]:
    """Those about the subject itself; else, as modules move, those of its last name that agree."""
    fitting = [one for one in announcements if one.argument == subject.argument and one.name]
    exact = [one for one in fitting if one.name in (subject.name, home)]
    if exact:
        return tuple(exact)
    top = subject.name.partition(".")[0]
    alike = [one for one in fitting if one.name.rpartition(".")[2] == subject.leaf]
    if subject.of_object:
        owners = {subject.owner.rpartition(".")[2], *home.split(".")[-2:-1]}
        return tuple(one for one in alike if one.name.split(".")[-2:-1] in ([owner] for owner in owners))
    alike = [one for one in alike if one.name.partition(".")[0] == top and not _is_member(one.name)]
    said = {said_replacement(one, subject.argument or subject.leaf).rpartition(".")[2] for one in alike}
    return tuple(alike) if len(said - {""}) == 1 else ()


def _is_member(name: str) -> bool:
    """Whether it is of a class, as far as its spelling tells."""
    return any(part[:1].isupper() for part in name.split(".")[:-1])


def _why(release: ReleaseAnnouncements, announcement: Announcement) -> AdviceEvidence:
    words = announcement.words or f"{announcement.name}: {announcement.new}"
    return AdviceEvidence(
        kind=EvidenceKind.ANNOUNCED,
        text=words[:_LONGEST],
        since=release.series,
        source=release.filename,
    )
