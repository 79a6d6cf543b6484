"""Building what a lock has as sdists alone, each by itself: any number of environments share the wheel.

Each build has a private view of uv's cache of its own: the code of one distribution cannot touch what is made
of another. What it is a function of is in ``Keys.built_wheel``; a wheel of another instant serves where its
build took the same (``shared_builds.py``). The environment is then installed from wheels alone, in a step
that runs no foreign code.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from backdate.environments.environment import BuildFailure
from backdate.environments.inputs import EnvironmentRequest, can_be_layered
from backdate.environments.keys import Keys
from backdate.environments.lock import is_of_index, needs_no_build
from backdate.environments.lock_wheels import LockedSdist, WheelFile, sdists_to_build
from backdate.environments.private_view import PrivateView
from backdate.environments.steps import Resolution, Steps
from backdate.environments.wheel_store import WheelStore
from backdate.sandboxes.interface import MIB
from backdate.sandboxes.threads import in_threads
from backdate.serial import digest
from backdate.text import end_of_file

if TYPE_CHECKING:
    from backdate.environments.shared_builds import SharedBuilds

_MOST_AT_A_TIME = 8
_MOST_LOG = 64 * MIB


@dataclass(frozen=True, slots=True, kw_only=True)
class SdistsOfLock:
    """The record of what of a lock has to be built: reading a large lock takes longer than this."""

    sdists: tuple[LockedSdist, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutWheel:
    """The record of an sdist whose build left no wheel that can be taken over: it is not tried again."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class BuiltWheels:
    """Wheels of sdists, from the cache or built now."""

    steps: Steps
    keys: Keys

    def sdists(self, request: EnvironmentRequest, pylock: str) -> tuple[LockedSdist, ...]:
        """What of the lock has to be built for the interpreter of ``request``."""
        cache, python, machine = self.steps.cache, request.choice.interpreter.version, platform.machine()
        key = digest("sdists of a lock", pylock, python, machine)
        known = cache.read(SdistsOfLock, "locks", key)
        if known is None:
            known = SdistsOfLock(sdists=sdists_to_build(pylock, python=python, machine=machine))
            cache.write("locks", key, known)
        return known.sdists

    def identity(
        self, request: EnvironmentRequest, pylock: str, *, apart: bool, before_building: Callable[[], None]
    ) -> tuple[object, ...] | BuildFailure:
        """What decides what the sdists of the lock are built into: part of the key of what holds them.

        ``apart``: whether each is built by itself, as happens now where there is no wheel yet; else it is the
        instant. Raises as ``Builder.prepare`` does.
        """
        sdists = self.sdists(request, pylock)
        if not sdists:
            return ()
        if apart:
            store = WheelStore(self.steps.cache)
            keys = [self.keys.built_wheel(request, one) for one in sdists]
            if not all(map(store.built_as, keys)):
                before_building()
                made = self.of_lock(request, pylock)
                if isinstance(made, BuildFailure):
                    return made
            built = tuple(store.built_as(key) for key in keys)
            if all(built):
                return built
        return self.keys.instant(request)

    def of_lock(
        self, request: EnvironmentRequest, pylock: str
    ) -> Mapping[str, WheelFile] | BuildFailure | None:
        """By name a wheel for each distribution of the lock that has to be built; the first failure instead.

        None where a build left no wheel that can be taken over. Raises as ``Builder.prepare`` does.
        """
        sdists = self.sdists(request, pylock)
        made = in_threads(
            [lambda sdist=sdist: self.wheel_of(request, sdist) for sdist in sdists],  # type: ignore[misc]
            jobs=min(len(os.sched_getaffinity(0)), _MOST_AT_A_TIME),
            name="wheel",
        )
        wheels = {}
        for sdist, wheel in zip(sdists, made, strict=True):
            if not isinstance(wheel, WheelFile):
                return wheel
            wheels[sdist.name] = wheel
        return wheels

    def wheel_of(self, request: EnvironmentRequest, sdist: LockedSdist) -> WheelFile | BuildFailure | None:
        """The wheel of an sdist; None where its build left none that can be taken over."""
        from backdate.environments.shared_builds import SharedBuilds

        cache = self.steps.cache
        store, key = WheelStore(cache), self.keys.built_wheel(request, sdist)
        if cache.has("locks", _without_wheel(key)):
            return None
        shared = SharedBuilds(self.steps, self.keys)
        # Whoever asks for it at another instant waits: it may turn out to be the same.
        with cache.guard(self.keys.builds_of_sdist(request, sdist)):
            kept = store.find(key)
            if kept is not None:
                return kept
            other = shared.find(request, sdist)
            wheel = None if other is None else store.share(key, other)
            return wheel or self._build(request, sdist, key, shared)

    def is_settled(self, request: EnvironmentRequest, sdist: LockedSdist) -> bool:
        """Whether nothing has to be built to say what ``wheel_of`` is."""
        key = self.keys.built_wheel(request, sdist)
        return (
            self.steps.cache.has("locks", _without_wheel(key))
            or WheelStore(self.steps.cache).built_as(key) is not None
        )

    def _build(
        self, request: EnvironmentRequest, sdist: LockedSdist, key: str, shared: SharedBuilds
    ) -> WheelFile | BuildFailure | None:
        from backdate.environments.build_inputs import LOGGED, read_build_inputs

        cache = self.steps.cache
        log = cache.logs / f"{key}.wheel.log"
        with PrivateView(cache) as view:
            failure = self.steps.install(
                replace(request, version_variables={}),  # they are the project's
                sdist.lock,
                view.environment,
                log,
                shared=False,
                view=view,
                with_tree=False,
                further_variables={"RUST_LOG": LOGGED},
            )
            seen = view.incidents()
            if failure is not None:
                return replace(failure, incidents=seen)
            wheel = WheelStore(cache).take(key, sdist, view.changed, seen)
            if wheel is None:
                cache.write(
                    "locks", _without_wheel(key), WithoutWheel(name=sdist.name, version=sdist.version)
                )
            else:
                inputs = read_build_inputs(sdist, view.changed, end_of_file(log, _MOST_LOG))
                shared.note(request, sdist, inputs, key)
        return wheel


def _without_wheel(key: str) -> str:
    return digest("without a wheel", key)


def built_apart(request: EnvironmentRequest, resolution: Resolution, pylock: str) -> bool:
    """Whether the sdists of ``pylock`` are built each by itself, and all is installed from wheels then."""
    apart = can_be_layered(request) or needs_no_build(pylock)
    return resolution.checked and is_of_index(pylock) and apart
