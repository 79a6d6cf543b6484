"""What a check is asked besides its project and its question: one value, and the keywords that make it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from backdate.checking.settings import AuditOptions
from backdate.projects.locked_versions import LockedVersions
from backdate.timeline.instants import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """Which sides are compared, and what is done and kept besides."""

    from_instant: Instant | None = None
    """When the old side is; None for what ``locked`` says, else the settings, else ``choose_start.py``."""
    to_instant: Instant | None = None
    """When the new side is; None for what settings say, else now."""
    python: str | None = None
    """"3.8" or "3.8.18" on both sides instead of what the rules say."""
    move_python: bool = False
    """Whether the new side gets the interpreter that the project's rule gives for its instant
    (TimeMachine-bench, arXiv 2601.22597, step 2), not the old side's while that is supported."""
    audit: AuditOptions | None = None
    """How the tests are audited, that is, whether they assert something; None for not at all."""
    keep: Path | None = None
    """Where trees, logs, patch and result are kept, a folder that is empty or not there yet; None for what
    the settings say."""
    locked: LockedVersions | None = None
    """What the old side is held to; without ``from_instant`` it is then just after the newest of that."""


class SideKeywords(TypedDict, total=False):
    """The fields of ``CheckOptions`` that every verb with two sides takes as keywords (PEP 692)."""

    from_instant: Instant | None
    to_instant: Instant | None
    python: str | None
    move_python: bool
    locked: LockedVersions | None


class CheckKeywords(SideKeywords, total=False):
    """All fields of ``CheckOptions``, as keywords."""

    audit: AuditOptions | None
    keep: Path | None


class BisectKeywords(SideKeywords, total=False):
    """What a bisection is asked beside its question."""

    tests: Sequence[str]
    first: bool
    keep: Path | None
