"""Progress events of making environments."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from backdate.progress import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class LockUnconfirmed(Event):
    """A lock names files that the index does not list, or could not be compared with it."""

    subject: str
    """Which environment, as in ``StageEntered``."""
    distributions: tuple[str, ...]
    """See ``Environment.unconfirmed``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentDiscarded(Event):
    """A finished environment is not as it was sealed, so it was removed; whoever asks for it builds it."""

    key: str
    folder: Path
    """Where it lay."""


class OneStepEnd(StrEnum):
    """Why resolving and installing in one step did not do."""

    NEEDS_BUILD = "needs-build"
    """An sdist has to be built, to know what it requires or to install it."""
    UV_BUILDS = "uv-builds"
    """uv resolves what would have to be built, although it has no place to build: it may run foreign code."""
    NOT_COVERED = "not-covered"
    """Where the step would run, that place cannot be taken from it."""
    FAILED = "failed"
    """It failed otherwise: the steps that follow say why, if they fail as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneStepEnded(Event):
    """What could have been resolved and installed in one step takes further ones."""

    subject: str
    """Which environment, as in ``StageEntered``."""
    reason: OneStepEnd
    distribution: str = ""
    """"NAME VERSION" of what has to be built; empty where that is not known."""
