"""Filling one folder with all that a lock names: from wheels alone where they will do, else by building.

What was made before with the same interpreter lends the modules that it has compiled.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from backdate.environments.built_wheels import BuiltWheels, built_apart
from backdate.environments.environment import BuildFailure, Environment, Lock, with_incidents
from backdate.environments.finished import FinishedEnvironments
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.lock_wheels import with_wheels
from backdate.environments.neighbours import Neighbours
from backdate.environments.private_view import PrivateView
from backdate.environments.steps import Resolution, Steps


class FolderFiller:
    """Makes one folder an environment; which folders are kept, and under which key, is not its business."""

    def __init__(self, steps: Steps, built_wheels: BuiltWheels, finished: FinishedEnvironments) -> None:
        """``finished``: tells which environments are still as they were made."""
        self._steps = steps
        self._cache = steps.cache
        self._built_wheels = built_wheels
        self.neighbours = Neighbours(steps.cache, finished)

    def fill_anywhere(
        self,
        request: EnvironmentRequest,
        resolution: Resolution,
        pylock: str,
        key: str,
        *,
        shared: bool = True,
        with_tree: bool = True,
    ) -> Environment | BuildFailure:
        """All that ``pylock`` names in one folder: among the clean ones where wheels will do."""
        lock = resolution.lock
        if built_apart(request, resolution, pylock):
            made = self._of_wheels(request, lock, pylock, key, shared=shared)
            if made is not None:
                return made
        root = self._cache.built / key
        return self.fill(request, lock, pylock, root, key, shared=shared, with_tree=with_tree)

    def _of_wheels(
        self, request: EnvironmentRequest, lock: Lock, pylock: str, key: str, *, shared: bool
    ) -> Environment | BuildFailure | None:
        """The environment from wheels alone, in a step in which no foreign code runs: those of the index, and
        those that were built, each by itself. None where there are none for this interpreter."""
        wheels = self._built_wheels.of_lock(request, pylock)
        if wheels is None or isinstance(wheels, BuildFailure):
            return wheels
        root = self._cache.environments / key
        made = self.fill(
            *(request, lock, with_wheels(pylock, wheels), root, key),
            shared=shared,
            build=False,
            wheels=[wheel.path for wheel in wheels.values()],
        )
        if isinstance(made, Environment):
            return with_incidents(made, (one for wheel in wheels.values() for one in wheel.incidents))
        self._cache.discard(root)
        return None

    def fill(
        self,
        request: EnvironmentRequest,
        lock: Lock,
        pylock: str,
        root: Path,
        key: str,
        *,
        shared: bool = True,
        with_tree: bool = True,
        build: bool = True,
        wheels: Sequence[Path] = (),
    ) -> Environment | BuildFailure:
        """All that ``pylock`` names at ``root``, in one step.

        ``build``: whether anything may be built in it. ``wheels``: files of ours that the lock names.
        ``shared``: whether the environment stays where it is (``Steps.install``).
        """
        started = time.monotonic()
        log = self._cache.logs / f"{key}.install.log"
        neighbours = self.neighbours.of(request.choice.interpreter, lock)
        with PrivateView(self._cache) as view:
            failure = self._steps.install(
                request,
                pylock,
                root,
                log,
                shared=shared,
                neighbours=neighbours,
                view=view if build else None,
                with_tree=with_tree,
                wheels=wheels,
            )
            incidents = view.incidents()
        made = self._steps.built(request, key=key, root=root, lock=lock, log=log, started=started)
        return with_incidents(failure or made, incidents)
