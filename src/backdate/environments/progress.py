"""Progress events of making environments."""

from __future__ import annotations

from dataclasses import dataclass
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
