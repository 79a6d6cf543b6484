"""What sources of edits are asked with: texts of a project that is nowhere on disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from backdate.advising.project_uses import ProjectUses
from backdate.solvers.rules.proposals import FixEvidence


def evidence_of(texts: Mapping[str, str], **known: Any) -> FixEvidence:
    """A project's ``texts``, by their paths, and what else a test says is known."""
    return FixEvidence(tree=Path(), uses=ProjectUses(), texts=texts, **known)
