"""What the parts of the rules solver hand to each other: breakages, evidence, and proposals to mend them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from backdate.advice import AdviceEvidence, SourcePlace
from backdate.advising.lost_names import EnvironmentPair
from backdate.advising.use_visitor import ProjectUses
from backdate.bisection.result import GivenWarning
from backdate.diagnosis.result import Cause
from backdate.rewriting.rewrite import Rewrite


class ProposalOrigin(StrEnum):
    """Where a proposal comes from."""

    WRITTEN_RULE = "written-rule"
    MINED_RULE = "mined-rule"
    MESSAGE = "message"
    """What the error's text says to write."""
    WARNING = "warning"
    """What the library warned of while the tests passed."""
    NEW_HOME = "new-home"
    """The object of the old name, found in the new environment."""
    SIGNATURE = "signature"
    """What differs between the function's signatures."""
    RECORDED_CALL = "recorded-call"
    """What the old call gave, beside what the new one gives."""
    RESTRUCTURING = "restructuring"
    """A method for a function, a call for a property, and their like."""
    FIXER = "fixer"
    """Another tool's edit: ruff, django-upgrade, bump-pydantic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureGroup:
    """Failures with one cause."""

    cause: Cause
    tests: tuple[str, ...]
    places: tuple[SourcePlace, ...]
    """The project's own lines in their tracebacks, the innermost first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEdit:
    """Another text for a whole file, as a fixer leaves it."""

    file: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One way to mend a breakage, with why."""

    origin: ProposalOrigin
    distribution: str = ""
    """Of the library that changed, normalised (PEP 503); "python" for the standard library."""
    rewrite: Rewrite | None = None
    file_edits: tuple[FileEdit, ...] = ()
    """In the place of ``rewrite``."""
    places: tuple[SourcePlace, ...] = ()
    """Where the rewrite is made: lines of traceback frames, and the lines that failing tests run."""
    why: tuple[AdviceEvidence, ...] = ()
    """The surest first."""
    rule: str = ""
    """The rule's name, for reports and counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FixEvidence:
    """What is known beside the failing run. Parts that could not be had are None or empty."""

    tree: Path
    """The tree as it is now, edits made."""
    uses: ProjectUses
    """Of that tree."""
    pair: EnvironmentPair | None = None
    """The last environment in which the tests passed, and the new one."""
    executed: Mapping[str, frozenset[int]] | None = None
    """Lines, by file, that the failing tests run where they pass; numbers are those of ``tree``."""
    warnings: tuple[GivenWarning, ...] = ()
    """What libraries warned of where the tests passed."""
    versions: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Old and new versions by normalised name of the distributions that moved; "python" for the interpreter;
    "" where a side has none."""


class ProposalSource(Protocol):
    """One source of proposals."""

    @property
    def origin(self) -> ProposalOrigin:
        """Of all that it proposes."""
        ...

    def propose(self, group: FailureGroup, evidence: FixEvidence) -> Sequence[Proposal]:
        """Ways to mend ``group``, the likeliest first; raises SandboxUnavailable."""
        ...
