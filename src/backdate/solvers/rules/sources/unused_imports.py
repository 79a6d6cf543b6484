"""Proposals for imports of what is gone, where nothing uses it: they are left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.rewriting.rewrite import DropImport
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import subjects_of

_KINDS = frozenset({CauseKind.MISSING_NAME, CauseKind.MISSING_MODULE, CauseKind.REMOVED})
_MOST = 3


class UnusedImportSource:
    """What the imports on failing lines bind."""

    origin = ProposalOrigin.UNUSED_IMPORT

    def propose(self, group: FailureGroup, evidence: FixEvidence) -> Sequence[Proposal]:
        """See ``ProposalSource``. A package's ``__init__.py`` imports for others, and so may any module
        whose name another file has beside what it imports."""
        if group.cause.kind not in _KINDS or group.cause.owner_is == "type":
            return ()
        names = dict.fromkeys(one.name for one in subjects_of(group, evidence) if one.named)
        found: list[Proposal] = []
        for name in names:
            rewrite = DropImport(name=name)
            places = tuple(place for place in group.places if _goes(place, rewrite, evidence))
            if places:
                why = AdviceEvidence(
                    kind=EvidenceKind.ASKED, text=f"{name} is gone, and nothing in the file uses it"
                )
                found.append(
                    Proposal(
                        origin=self.origin,
                        distribution=evidence.distribution_of(name),
                        rewrite=rewrite,
                        places=places,
                        why=(why,),
                    )
                )
        return tuple(found[:_MOST])


def _goes(place: SourcePlace, rewrite: DropImport, evidence: FixEvidence) -> bool:
    """Whether the import at ``place`` can be left out, and no other file may take the name from there."""
    text, path = evidence.texts.get(place.file, ""), PurePosixPath(place.file)
    if path.name == "__init__.py" or not rewrite_source(text, rewrite, lines=frozenset({place.line})).edits:
        return False
    words = [re.compile(rf"\b{re.escape(word)}\b") for word in (rewrite.name.rpartition(".")[2], path.stem)]
    others = (other for file, other in evidence.texts.items() if file != place.file)
    return not any(all(word.search(other) for word in words) for other in others)
