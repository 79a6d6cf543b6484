"""Names of a library's module that the project's own modules hand on."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.advice import SourcePlace
from backdate.advising.project_uses import ProjectUses
from backdate.diagnosis.result import Cause, CauseKind
from backdate.rewriting.rewrite import RenameAttribute, ReplaceName, Rewrite
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.solvers.rules.passed_on import for_passed_on
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin

OLD, NEW = "PIL.Image.ANTIALIAS", "PIL.Image.LANCZOS"
TEXT = "from .compat import Image\n\n\ndef small(image):\n    return image.resize((1, 1), Image.ANTIALIAS)\n"


def passed_on(text: str, rewrite: Rewrite, *, owner_is: str = "module", line: int = 5) -> Proposal | None:
    cause = Cause(
        kind=CauseKind.MISSING_ATTRIBUTE,
        type="AttributeError",
        message="module 'PIL.Image' has no attribute 'ANTIALIAS'",
        name="ANTIALIAS",
        owner="PIL.Image",
        owner_is=owner_is,
    )
    place = SourcePlace(file="own/small.py", line=line)
    group = FailureGroup(cause=cause, tests=("t",), places=(place,), raised_at=(place,))
    evidence = FixEvidence(tree=Path("/"), uses=ProjectUses(files=()), texts={"own/small.py": text})
    proposal = Proposal(origin=ProposalOrigin.WRITTEN_RULE, rewrite=rewrite, places=(place,))
    return for_passed_on(proposal, group, evidence)


def test_the_attribute_is_renamed_on_the_line_that_the_error_names() -> None:
    made = passed_on(TEXT, ReplaceName(old=OLD, new=NEW))
    assert made is not None
    assert made.rewrite == RenameAttribute(old="ANTIALIAS", new="LANCZOS", owner="Image")
    edits = rewrite_source(TEXT, made.rewrite, lines=frozenset({5})).edits
    assert [(edit.replacement, TEXT[edit.start : edit.end]) for edit in edits] == [("LANCZOS", "ANTIALIAS")]


@pytest.mark.parametrize(
    ("text", "rewrite", "owner_is"),
    [
        (TEXT.replace("from .compat", "from PIL"), ReplaceName(old=OLD, new=NEW), "module"),
        (TEXT, ReplaceName(old=OLD, new="PIL.Other.LANCZOS"), "module"),
        (TEXT, ReplaceName(old="PIL.Image.LINEAR", new="PIL.Image.BILINEAR"), "module"),
        (TEXT, ReplaceName(old=OLD, new=NEW), "type"),
        (TEXT.replace("Image.ANTIALIAS", "Image"), ReplaceName(old=OLD, new=NEW), "module"),
        ("", ReplaceName(old=OLD, new=NEW), "module"),
    ],
)
def test_whatever_else_stays_with_the_name(text: str, rewrite: Rewrite, owner_is: str) -> None:
    assert passed_on(text, rewrite, owner_is=owner_is) is None
