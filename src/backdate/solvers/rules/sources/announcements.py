"""Proposals from what releases between the old and the new one say in their sources.

A name may be deprecated and dropped between two instants: neither side warns of it then, and the releases in
between do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from backdate.mining.about import AskedName, announcements_about, said_by_release
from backdate.mining.candidates import said_replacement
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.gone_names import gone_subjects, is_beside
from backdate.solvers.rules.sources.rewrites import rewrite_to
from backdate.solvers.rules.sources.subjects import Subject


class AnnouncementSource:
    """The releases in between."""

    origin = ProposalOrigin.ANNOUNCEMENT

    def propose(self, group: FailureGroup, evidence: FixEvidence) -> Sequence[Proposal]:
        """See ``ProposalSource``. Of the newest release that says what to write, and is right about it.

        Nothing is read for lines that may not be edited.
        """
        asked = (tuple(self._proposals(subject, evidence)) for subject in gone_subjects(group, evidence))
        return next(filter(None, asked), ())

    def _proposals(self, subject: Subject, evidence: FixEvidence) -> Iterator[Proposal]:
        old, new = evidence.versions_of(subject.distribution)
        if evidence.releases is None or not old or not new:
            return
        asked = AskedName(
            name=subject.name,
            argument=subject.argument,
            of_object=subject.of_object,
            home=_home_of(subject, evidence),
        )
        for release in evidence.releases.announced(subject.distribution, old, new):
            found: dict[str, Proposal] = {}
            for announcement in announcements_about(asked, release.announcements):
                said = said_replacement(announcement, subject.argument or subject.leaf)
                if subject.of_object and not subject.argument and not is_beside(subject, said):
                    continue
                rewrite = rewrite_to(subject, said, evidence, words=announcement.words)
                if rewrite is not None and str(rewrite) not in found:
                    found[str(rewrite)] = Proposal(
                        origin=self.origin,
                        distribution=subject.distribution,
                        rewrite=rewrite,
                        places=subject.places,
                        why=(said_by_release(release, announcement),),
                    )
            if found:
                yield from found.values()
                return


def _home_of(subject: Subject, evidence: FixEvidence) -> str:
    """Where the old environment says that it is defined; "" where that is not known."""
    if evidence.pair is None:
        return ""
    member = evidence.pair.ask_old((subject.name,)).get(subject.name)
    return member.home if member is not None and member.present and member.qualified else ""
