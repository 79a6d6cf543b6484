"""Building what a lock has as sdists alone, each by itself: any number of environments share the wheel.

Each build has a private view of uv's cache of its own: the code of one distribution cannot touch what is made
of another. What it is a function of is in ``Keys.built_wheel``. The environment is then installed from wheels
alone, in a step that runs no foreign code.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, replace

from backdate.environments.environment import BuildFailure
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.keys import Keys
from backdate.environments.lock_wheels import LockedSdist, WheelFile, sdists_to_build
from backdate.environments.private_view import PrivateView
from backdate.environments.steps import Steps
from backdate.environments.wheel_store import WheelStore
from backdate.sandboxes.threads import in_threads

_MOST_AT_A_TIME = 8


@dataclass(frozen=True, slots=True)
class BuiltWheels:
    """Wheels of sdists, from the cache or built now."""

    steps: Steps
    keys: Keys

    def of_lock(
        self, request: EnvironmentRequest, pylock: str
    ) -> Mapping[str, WheelFile] | BuildFailure | None:
        """By name a wheel for each distribution of the lock that has to be built; the first failure instead.

        None where a build left no wheel that can be taken over. Raises as ``Builder.prepare`` does.
        """
        interpreter = request.choice.interpreter
        sdists = sdists_to_build(pylock, python=interpreter.version, machine=platform.machine())
        made = in_threads(
            [lambda sdist=sdist: self._wheel(request, sdist) for sdist in sdists],  # type: ignore[misc]
            jobs=min(len(os.sched_getaffinity(0)), _MOST_AT_A_TIME),
            name="wheel",
        )
        wheels = {}
        for sdist, wheel in zip(sdists, made, strict=True):
            if not isinstance(wheel, WheelFile):
                return wheel
            wheels[sdist.name] = wheel
        return wheels

    def _wheel(self, request: EnvironmentRequest, sdist: LockedSdist) -> WheelFile | BuildFailure | None:
        cache = self.steps.cache
        store, key = WheelStore(cache), self.keys.built_wheel(request, sdist)
        with cache.guard(key):
            kept = store.find(key)
            if kept is not None:
                return kept
            with PrivateView(cache) as view:
                failure = self.steps.install(
                    replace(request, version_variables={}),  # they are the project's
                    sdist.lock,
                    view.environment,
                    cache.logs / f"{key}.wheel.log",
                    shared=False,
                    view=view,
                    with_tree=False,
                )
                return failure or store.take(key, sdist, view.changed)
