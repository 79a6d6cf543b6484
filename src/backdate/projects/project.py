"""A project: a source tree, where it came from, and when that was."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from backdate.timeline.instants import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a source tree came from: enough to fetch the same tree again."""

    kind: Literal["folder", "git", "sdist"]
    location: str
    """The folder's path, the repository's URL or path, or ``NAME==VERSION``."""
    revision: str | None = None
    """The full commit hash, or the sdist's SHA-256; None for a folder that is not a repository."""
    modified: bool = False
    """Whether the tree differs from that revision (a folder with uncommitted changes)."""
    dated: Instant | None = None
    """The commit's committer date or the sdist's upload time, in UTC; None when there is neither."""
    version_hint: str | None = None
    """The version (PEP 440) that the tree's history gives it, or the sdist's own; None when unknown. The tree
    has no ``.git``, so a build that asks setuptools_scm or pbr for the version needs to be given it."""
    missing: tuple[str, ...] = ()
    """What the origin names but could not give, each with the reason: "data/big.bin (Git LFS)"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedTag:
    """A tag of a repository."""

    name: str
    made: Instant
    """When it was made; its commit's date where it does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What a project's repository says of it: foreign data, of which only dates and names are believed."""

    tags: tuple[DatedTag, ...] = ()
    """The newest first."""
    shallow: bool = False
    """Whether the copy of the repository was cut off, and may lack its tags."""
    problem: str = ""
    """Why the tags could not be read."""
    remotes: tuple[str, ...] = ()
    """The addresses that it is fetched from and pushed to, as git's configuration writes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A source tree that backdate owns (a copy: the user's folder is never written)."""

    name: str
    """A short name that is safe as a folder name."""
    root: Path
    origin: Origin
    history: History | None = None
    """None for what is no part of a repository."""
