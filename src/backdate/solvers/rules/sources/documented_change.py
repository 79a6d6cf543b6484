"""A change that a library tells of in prose and a source of its own mends: what its proposals have alike."""

from __future__ import annotations

from dataclasses import dataclass, replace

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.rewriting.rewrite import Rewrite
from backdate.solvers.rules.proposals import FileEdit, FixEvidence, Proposal, ProposalOrigin


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentedChange:
    """What changed, from which release on, and where its people say so."""

    library: str
    """The normalised name of the distribution, or ``knowledge.changes.PYTHON``."""
    said: str
    source: str
    """An address."""
    since: str = ""
    """A release; empty where no single one is named."""

    def lies_between(self, evidence: FixEvidence) -> bool:
        """Whether the library's release of the old side is from before it, and the new side's is not."""
        return evidence.moves_past(self.library, self.since)

    def mended(
        self, files: tuple[FileEdit, ...], *, key: str, places: tuple[SourcePlace, ...] = ()
    ) -> Proposal:
        """The proposal of edited files; ``key`` says what is edited, and is said of no other edit."""
        return replace(self._proposal(places), file_edits=files, edits_key=key)

    def rewritten(self, rewrite: Rewrite, places: tuple[SourcePlace, ...]) -> Proposal:
        """The proposal of a rewrite at ``places``."""
        return replace(self._proposal(places), rewrite=rewrite)

    def _proposal(self, places: tuple[SourcePlace, ...]) -> Proposal:
        why = AdviceEvidence(kind=EvidenceKind.KNOWN, text=self.said, since=self.since, source=self.source)
        return Proposal(
            origin=ProposalOrigin.RESTRUCTURING, distribution=self.library, places=places, why=(why,)
        )
