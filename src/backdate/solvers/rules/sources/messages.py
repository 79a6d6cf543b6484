"""Proposals from the error's own words: "use X instead", and the same name in another case."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.advising.wording import replacement_in
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.rewrites import rewrite_to
from backdate.solvers.rules.sources.subjects import Subject, subjects_of

_DID_YOU_MEAN = re.compile(r"Did you mean:? [`'\"]?\.?(\w{1,120})[`'\"]?\?")
_LONGEST = 240


class MessageSource:
    """Hints in the text of an error."""

    origin = ProposalOrigin.MESSAGE

    def propose(self, group: FailureGroup, evidence: FixEvidence) -> Sequence[Proposal]:
        """See ``ProposalSource``. A hint has to name what the new environment has."""
        return tuple(self._proposals(group, evidence))

    def _proposals(self, group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
        message = group.cause.message
        for subject in subjects_of(group, evidence):
            if not subject.named:
                continue
            for replacement, sentence in _said(message, subject):
                rewrite = rewrite_to(subject, replacement, evidence)
                if rewrite is not None:
                    why = AdviceEvidence(kind=EvidenceKind.MESSAGE, text=sentence[:_LONGEST])
                    yield Proposal(
                        origin=self.origin,
                        distribution=subject.distribution,
                        rewrite=rewrite,
                        places=subject.places,
                        why=(why,),
                    )


def _said(message: str, subject: Subject) -> Iterator[tuple[str, str]]:
    """What the message says takes the place of a subject, and the words."""
    name = subject.argument or subject.name
    said = replacement_in(message, name)
    if said is not None and not said.expression:
        yield said.replacement, said.sentence
    for match in _DID_YOU_MEAN.finditer(message[:4_000]):
        leaf = subject.argument or subject.leaf
        if _spelling(match[1]) == _spelling(leaf) and match[1] != leaf:
            yield match[1], match[0]


def _spelling(name: str) -> str:
    """A name without what distinguishes camelCase from snake_case."""
    return name.replace("_", "").casefold()
