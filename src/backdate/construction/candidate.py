"""A candidate: one revision of one project, as a source of candidates names it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

from backdate.timeline.instants import Instant

Kind = Literal["git", "folder", "sdist"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """What is known of a project before anything of it was fetched. None: the source does not say."""

    kind: Kind
    name: str
    """``owner/name`` of a repository, the name of a folder, the normalised name of a distribution."""
    location: str
    """The address to clone from, the folder's path, or the distribution's name."""
    revision: str = ""
    """A commit, a branch or a tag; for an sdist its version. Empty: the last before the origin instant."""
    dated: Instant | None = None
    """The committer date."""
    stars: int | None = None
    licenses: tuple[str, ...] | None = None
    """As the source writes them; empty when it knows that there is none."""
    language: str | None = None

    @property
    def key(self) -> str:
        """Equal for candidates that mean the same files: 32 hex digits over kind, location and revision."""
        text = f"{self.kind}\0{self.location}\0{self.revision}"
        return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:32]


@dataclass(frozen=True, slots=True, kw_only=True)
class BadRow:
    """An entry of a source that names no candidate."""

    name: str
    """What can be told of it: its repository where it names one, else its place."""
    reason: str


Entry = Candidate | BadRow

ExclusionStage = Literal[
    "row",
    "repeated",
    "language",
    "licence",
    "stars",
    "window",
    "source",
    "stated-licence",
    "configuration",
    "tests",
    "encoding",
    "duplicate",
    "interpreter",
    "old-environment",
    "old-tests",
    "new-environment",
    "new-tests",
    "timed-out",
    "cause-outside-user-code",
    "missing-top-level-module",
    "only-tests-affected",
    "flaky",
    "trouble",
]
"""Where a candidate may leave; ``funnel.STAGES`` has their order and what is true of what passes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """Why a candidate is no task."""

    stage: ExclusionStage
    reason: str
    """In one line and without anything that belongs to this candidate alone: reasons are counted."""
    detail: str = ""
    """What belongs to it: the error's own words, names of files."""
