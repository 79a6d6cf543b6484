"""The finished environments of a cache: made once, sealed, and compared with their seals before each use."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from backdate.environments import seal
from backdate.environments.cache import Cache
from backdate.environments.cache_use import note_use
from backdate.environments.environment import BuildFailure, Environment
from backdate.environments.progress import EnvironmentDiscarded
from backdate.errors import ConfigurationError
from backdate.progress import NO_PROGRESS, Event, Reporter, StageReporter

_SEALS = "seals"

Make = Callable[[Path], Environment | BuildFailure]
"""Makes an environment at the root that it is given, or in ``Cache.environments``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedEnvironment:
    """What became of comparing an environment with its seal."""

    key: str
    folder: Path
    state: Literal["intact", "changed", "unsealed"]
    """Whether it is as it was made; it is gone where it was not. Unsealed are those of earlier versions, of
    which nothing tells how they were made; they are not used."""


@dataclass(frozen=True, slots=True)
class FinishedEnvironments:
    """What is kept in a cache. One that is not as it was sealed is removed, and said so."""

    cache: Cache

    def keep(self, key: str, stages: StageReporter, make: Make) -> Environment | BuildFailure:
        """The environment of that key; ``make`` makes it when there is none yet, or none as it was made."""
        stages.enter("waiting")
        with self.cache.guard(key):
            noted = _Noted(stages.progress)
            found = self._usable(key, noted)
            if found is not None:
                stages.enter("ready")
                return _reused(found)
            self.cache.discard_environment(key)  # what an interrupted build left
            built: Environment | BuildFailure | None = None
            try:
                built = make(self.cache.built / key)
                if isinstance(built, Environment):
                    built = self._sealed(built)
            finally:
                if not isinstance(built, Environment):  # failed or interrupted: leave nothing half-built
                    self.cache.discard_environment(key)
        if isinstance(built, Environment) and noted.discarded:
            return replace(built, replaced=(*noted.discarded, *built.replaced))
        return built

    def find(self, key: str, progress: Reporter) -> Environment | None:
        """The environment of that key, if it is there and as it was made."""
        if not self.cache.has("records", key):
            return None
        with self.cache.guard(key):
            found = self._usable(key, progress)
        return None if found is None else _reused(found)

    def is_as_made(self, key: str, root: Path) -> bool:
        """Whether the environment of that key, at ``root``, is as it was sealed; nothing is done about it."""
        kept = self.cache.read(seal.Seal, _SEALS, key)
        return kept is not None and seal.compare(kept, root) is not None

    def state_before_use(self, environment: Environment) -> str:
        """What ``environment`` was when it was made or compared with its seal, as ``seal.state_of`` tells it.

        Nothing is looked at again but where this cache does not keep it: one that is thrown away.
        """
        kept = self.cache.read(Environment, "records", environment.key)
        if kept is not None and kept.roots == environment.roots:
            below = environment.dependencies
            keys = (environment.key,) if below is None else (environment.key, below.key)
            seals = [self.cache.read(seal.Seal, _SEALS, key) for key in keys]
            states = [one.state for one in seals if one is not None]
            if len(states) == len(keys):
                self._note_use(environment)
                return seal.joined(states)
        return seal.state_of(environment.roots)

    def verify_all(self) -> Iterator[VerifiedEnvironment]:
        """Every finished environment, each of its files read. What is not as it was made is removed."""
        for key in self.cache.keys("records"):
            with self.cache.guard(key):
                found = self.cache.read(Environment, "records", key)
                if found is None:
                    continue
                sealed = self.cache.read(seal.Seal, _SEALS, key) is not None
                intact = self._is_intact(key, found.root, NO_PROGRESS, thoroughly=True)
            yield VerifiedEnvironment(
                key=key,
                folder=found.root,
                state="intact" if intact else "changed" if sealed else "unsealed",
            )

    def _usable(self, key: str, progress: Reporter) -> Environment | None:
        found = self.cache.read(Environment, "records", key)
        if found is None or not all(os.path.lexists(root) for root in found.roots):
            return None
        below = found.dependencies
        if below is not None:  # whoever asks for both holds the guard of the upper one first
            with self.cache.guard(below.key):
                if not self._is_intact(below.key, below.root, progress):
                    return None
        if not self._is_intact(key, found.root, progress):
            return None
        self._note_use(found)
        return found

    def _note_use(self, environment: Environment) -> None:
        below = environment.dependencies
        for key in (environment.key,) if below is None else (environment.key, below.key):
            note_use(self.cache.folder / "records" / f"{key}.json")

    def _is_intact(self, key: str, root: Path, progress: Reporter, *, thoroughly: bool = False) -> bool:
        """Whether the environment at ``root`` is as it was sealed; it is removed where it is not."""
        kept = self.cache.read(seal.Seal, _SEALS, key)
        now = None if kept is None else seal.compare(kept, root, thoroughly=thoroughly)
        if now is None:
            self.cache.discard_environment(key)
            progress.report(EnvironmentDiscarded(key=key, folder=root))
            return False
        if now != kept:
            self.cache.write(_SEALS, key, now)
        return True

    def _sealed(self, environment: Environment) -> Environment | BuildFailure:
        """The environment with its record, which is written last."""
        try:
            made = seal.seal(environment.root)
        except ConfigurationError as error:
            return BuildFailure(
                phase="install", message=str(error), choice=environment.choice, log=environment.log
            )
        self.cache.write(_SEALS, environment.key, made)
        self.cache.write("records", environment.key, replace(environment, replaced=()))
        return environment


class _Noted:
    """Passes events on, and notes which environments were discarded."""

    def __init__(self, progress: Reporter) -> None:
        self._progress = progress
        self.discarded: list[Path] = []

    def report(self, event: Event) -> None:
        if isinstance(event, EnvironmentDiscarded):
            self.discarded.append(event.folder)
        self._progress.report(event)


def _reused(environment: Environment) -> Environment:
    below = environment.dependencies
    return replace(
        environment, reused=True, dependencies=None if below is None else replace(below, reused=True)
    )
