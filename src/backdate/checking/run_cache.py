"""Suite runs that were made before, under a key of all their inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from backdate.environments.cache import Cache
from backdate.serial import digest
from backdate.testing.outcomes import SuiteRun

_FORMAT = 7
"""Part of every key: raise it when what a run of the same inputs records changes."""
_ROOM = "suite-runs"


class RunStorage(Protocol):
    """Where runs are kept."""

    def read(self, key: str) -> SuiteRun | None:
        """The run under ``key``; None where there is none."""
        ...

    def write(self, key: str, run: SuiteRun) -> None:
        """Keep ``run`` under ``key``."""
        ...


class CachedRuns:
    """Runs kept in the cache of this machine."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    def read(self, key: str) -> SuiteRun | None:
        """See ``RunStorage``."""
        return self._cache.read(SuiteRun, _ROOM, key)

    def write(self, key: str, run: SuiteRun) -> None:
        """See ``RunStorage``."""
        self._cache.write(_ROOM, key, run)


class RunCache:
    """Runs a suite unless that was done before. Safe to share between threads."""

    def __init__(self, storage: RunStorage) -> None:
        self._storage = storage

    def get_or_run(
        self, inputs: tuple[object, ...], run: Callable[[], SuiteRun], *, repeat: int = 0
    ) -> SuiteRun:
        """The result of ``run``, kept under ``inputs``: all that it is a function of, besides chance.

        ``repeat``: which of several runs of the same inputs is asked for; each is kept by itself.
        """
        key = digest("suite run", _FORMAT, inputs, repeat)
        kept = self._storage.read(key)
        if kept is None:
            kept = run()
            self._storage.write(key, kept)
        return kept
