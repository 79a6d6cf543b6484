"""Environments that have much in common with one that is made: it takes over what they compiled.

Which there are is kept in the cache, so that the next command and the next job of a build know it, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from backdate.environments.cache import Cache
from backdate.environments.cache_use import note_use
from backdate.environments.compiled import nearest
from backdate.environments.environment import Environment, Interpreter, Lock
from backdate.environments.finished import FinishedEnvironments
from backdate.serial import digest

_ROOM = "neighbours"
_MOST_KEPT = 32
"""Of an interpreter; older ones are forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptNeighbour:
    """An environment in which no foreign code ran, and what it holds of the index."""

    key: str
    holds: tuple[tuple[str, str], ...]
    """Names and versions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptNeighbours:
    """Those of one interpreter, the last one last."""

    environments: tuple[KeptNeighbour, ...] = ()


class Neighbours:
    """The neighbours that are known to a cache, and those that were used in this process."""

    def __init__(self, cache: Cache, finished: FinishedEnvironments) -> None:
        """``finished``: tells which environments are still as they were made."""
        self._cache = cache
        self._finished = finished
        self._used: dict[Interpreter, dict[str, KeptNeighbour]] = {}

    def note(self, environment: Environment) -> None:
        """Say that what is built next has much in common with ``environment``."""
        root, interpreter = environment.roots[-1], environment.choice.interpreter
        if root.parent != self._cache.environments:
            return
        noted = KeptNeighbour(key=root.name, holds=tuple(sorted(held(environment.lock))))
        known = self._used.setdefault(interpreter, {})
        known.pop(noted.key, None)
        known[noted.key] = noted
        if not (environment.dependencies or environment).reused:
            # What another process notes at the same time may be lost: it would have saved time, no more.
            others = [one for one in self._kept(interpreter) if one.key != noted.key]
            newest = KeptNeighbours(environments=(*others[1 - _MOST_KEPT :], noted))
            self._cache.write(_ROOM, _key(interpreter), newest)

    def of(self, interpreter: Interpreter, lock: Lock) -> list[Path]:
        """Environments that have much in common with what ``lock`` names, as they were made."""
        # Another thread may be adding to those in use.
        known = {
            one.key: one
            for one in (*self._kept(interpreter), *self._used.get(interpreter, {}).copy().values())
        }
        nearby = nearest(held(lock), {key: frozenset(one.holds) for key, one in known.items()})
        roots = [self._cache.environments / key for key in nearby]
        found = [root for root in roots if self._finished.is_as_made(root.name, root)]
        for root in found:
            note_use(self._cache.folder / "records" / f"{root.name}.json")  # or it might be removed meanwhile
        return found

    def _kept(self, interpreter: Interpreter) -> tuple[KeptNeighbour, ...]:
        kept = self._cache.read(KeptNeighbours, _ROOM, _key(interpreter))
        return () if kept is None else kept.environments


def held(lock: Lock) -> frozenset[tuple[str, str]]:
    """Name and version of what ``lock`` has from the index."""
    return frozenset((one.name, one.version) for one in lock.distributions if one.source is None)


def _key(interpreter: Interpreter) -> str:
    return digest(str(interpreter.executable), interpreter.version)
