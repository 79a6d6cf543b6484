"""Evidence of a project whose interpreter moved from 3.7, for sources of edits that ask for nothing else."""

from __future__ import annotations

from pathlib import Path

from backdate.advice import SourcePlace
from backdate.advising.project_uses import ProjectUses
from backdate.diagnosis.result import Cause
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence


def moved_python(
    text: str, cause: Cause, *, new: str, executed: frozenset[int], **more: object
) -> tuple[FailureGroup, FixEvidence]:
    """A test that fails with ``cause``, and a file ``a.py`` of which lines ran where it passed."""
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="test_a.py", line=1),))
    evidence = FixEvidence(
        tree=Path(),
        uses=ProjectUses(),
        texts={"a.py": text},
        versions={"python": ("3.7.16", new)},
        executed={"a.py": executed},
        **more,  # type: ignore[arg-type]
    )
    return group, evidence
