"""What proposals of a change that a library tells of in prose have alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.advising.project_uses import ProjectUses
from backdate.rewriting.rewrite import ReplaceName
from backdate.solvers.rules.proposals import FileEdit, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.documented_change import DocumentedChange

CHANGE = DocumentedChange(library="sh", since="2.0.0", said="texts are given", source="https://example.org/")
WHY = AdviceEvidence(
    kind=EvidenceKind.KNOWN, text="texts are given", since="2.0.0", source="https://example.org/"
)
PLACES = (SourcePlace(file="a.py", line=3),)


@pytest.mark.parametrize(
    ("versions", "between"),
    [
        (("1.14.3", "2.2.2"), True),
        (("1.14.3", "2.0.0"), True),
        (("2.0.0", "2.2.2"), False),
        (("1.14.2", "1.14.3"), False),
        (("", "2.2.2"), False),
        (("1.14.3", ""), False),
    ],
)
def test_it_lies_between_an_older_release_and_one_that_has_it(
    versions: tuple[str, str], between: bool
) -> None:
    evidence = FixEvidence(tree=Path(), uses=ProjectUses(), versions={"sh": versions})
    assert CHANGE.lies_between(evidence) == between


def test_its_proposals_say_what_changed() -> None:
    files = (FileEdit(file="a.py", text="b"),)
    mended = CHANGE.mended(files, key="what is edited", places=PLACES)
    assert mended == Proposal(
        origin=ProposalOrigin.RESTRUCTURING,
        distribution="sh",
        file_edits=files,
        edits_key="what is edited",
        places=PLACES,
        why=(WHY,),
    )
    rewrite = ReplaceName(old="sh.a", new="sh.b")
    assert CHANGE.rewritten(rewrite, PLACES) == Proposal(
        origin=ProposalOrigin.RESTRUCTURING,
        distribution="sh",
        rewrite=rewrite,
        places=PLACES,
        why=(WHY,),
    )
