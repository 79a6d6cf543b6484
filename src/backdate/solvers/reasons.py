"""Why a hunk of a patch is there: what failed, what the library changed, and who says so."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from backdate.advice import AdviceEvidence
from backdate.timeline.instants import Instant


class ProposalOrigin(StrEnum):
    """Where an edit comes from."""

    WRITTEN_RULE = "written-rule"
    MINED_RULE = "mined-rule"
    MESSAGE = "message"
    """What the error's text says to write."""
    WARNING = "warning"
    """What the library warned of while the tests passed."""
    ANNOUNCEMENT = "announcement"
    """What a release between the old and the new one said."""
    CHANGELOG = "changelog"
    """What the changelog of the new release says."""
    UNUSED_IMPORT = "unused-import"
    """What is gone and nothing uses, so that its import goes too."""
    NEW_HOME = "new-home"
    """The object of the old name, found in the new environment."""
    SIGNATURE = "signature"
    """What differs between the function's signatures."""
    CHANGED_DEFAULT = "changed-default"
    """What an argument was where a call leaves it out, which has another default now."""
    RECORDED_CALL = "recorded-call"
    """What the old call gave, beside what the new one gives."""
    RESTRUCTURING = "restructuring"
    """A method for a function, a call for a property, and their like."""
    KEPT_DEFINITION = "kept-definition"
    """What is gone without a successor, as the library defined it."""
    FIXER = "fixer"
    """Another tool's edit: ruff, django-upgrade, bump-pydantic."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HunkReason:
    """Why lines of a file are changed."""

    file: str
    first_line: int
    """Of the file before; of lines that are added, the line that they follow."""
    last_line: int
    """``first_line`` - 1 where lines are only added."""
    origin: ProposalOrigin
    rule: str = ""
    """The rule's name, where there is one."""
    cause: str = ""
    """The error, in one line: "AttributeError: module 'numpy' has no attribute 'product'"."""
    tests: tuple[str, ...] = ()
    """Tests that failed with it, at most twenty; none where the edit forestalls an error."""
    failed: int = 0
    """How many there are."""
    caught: bool = False
    """Whether the tests that fail catch it on the way."""
    distribution: str = ""
    """Of the library that changed; "python" for the standard library."""
    old_version: str = ""
    new_version: str = ""
    released: Instant | None = None
    """When the new version was uploaded, where that is known."""
    evidence: tuple[AdviceEvidence, ...] = ()
    """The surest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaughtError:
    """An error that failing tests meet on the way and that something catches, as no test did before."""

    error: str
    """In one line: "AttributeError: 'datetime.timezone' object has no attribute 'zone'"."""
    file: str
    line: int
    """The project's innermost line that it reached."""
