"""Proposals from the changelog of the release that fails: where no source announced what is to be written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from backdate.advice import AdviceEvidence
from backdate.advising.replacements import without_alias
from backdate.advising.wording import replacement_in
from backdate.bisection.result import Culprit
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.gone_names import gone_subjects, is_beside
from backdate.solvers.rules.sources.rewrites import rewrite_to
from backdate.solvers.rules.sources.subjects import Subject

_LONGEST = 240


class ChangelogSource:
    """What the changelog says since the old release, and before, where it said what to write."""

    origin = ProposalOrigin.CHANGELOG

    def propose(self, group: FailureGroup, evidence: FixEvidence) -> Sequence[Proposal]:
        """See ``ProposalSource``. Nothing is read for lines that may not be edited."""
        asked = (tuple(self._proposals(subject, evidence)) for subject in gone_subjects(group, evidence))
        return next(filter(None, asked), ())

    def _proposals(self, subject: Subject, evidence: FixEvidence) -> Iterator[Proposal]:
        old, new = evidence.versions_of(subject.distribution)
        if evidence.changelogs is None or not old or not new:
            return
        asked = subject.argument or subject.name
        culprit = Culprit(name=subject.distribution, old=old, new=new, released=None)
        found: set[str] = set()
        for words in evidence.changelogs.said_of(culprit, [asked]).get(asked, ()):
            said = replacement_in(words.text, asked)
            if said is None or (
                subject.of_object and not subject.argument and not is_beside(subject, said.replacement)
            ):
                continue
            rewrite = rewrite_to(subject, without_alias(said.replacement), evidence)
            if rewrite is None or str(rewrite) in found:
                continue
            found.add(str(rewrite))
            told = AdviceEvidence(kind=words.kind, text=said.sentence[:_LONGEST], source=words.source)
            yield Proposal(
                origin=self.origin,
                distribution=subject.distribution,
                rewrite=rewrite,
                places=subject.places,
                why=(told,),
            )
