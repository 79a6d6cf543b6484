"""Environments from the cache, or built now.

``Builder.prepare`` is the one way to an environment. A resolution is kept under a key of all its
inputs and an environment under a key of its lock, so that what was made once is not made again,
by whichever road it is asked for.
"""

from __future__ import annotations

import os
import shutil
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

from backdate.environments import uv
from backdate.environments.cache import Cache
from backdate.environments.compiled import nearest
from backdate.environments.environment import BuildFailure, Environment, Lock
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.lock import is_local
from backdate.environments.pip_installer import install_with_pip
from backdate.environments.steps import BUILD_LIMITS, Resolution, Steps
from backdate.sandboxes.interface import Limits, Sandbox
from backdate.serial import digest
from backdate.text import first_line

_FORMAT = 2
"""Part of every key: raise it when what is made from the same inputs changes."""

Stage = Literal["waiting", "resolving", "building", "ready"]
OnStage = Callable[[Stage], None]


def _ignore(_stage: Stage) -> None:
    """Nobody watches."""


class Builder:
    """Makes environments in a cache, running every build step in a sandbox."""

    def __init__(
        self,
        cache: Cache,
        sandbox: Sandbox,
        *,
        index_url: str = uv.DEFAULT_INDEX,
        limits: Limits = BUILD_LIMITS,
    ) -> None:
        self.cache = cache
        self.sandbox = sandbox
        self.index_url = index_url
        self._neighbours: dict[Path, dict[Path, Lock]] = {}
        """The environments that were had, by interpreter; the last one last."""
        self._steps = Steps(
            cache=cache,
            sandbox=sandbox,
            index_url=index_url,
            limits=limits,
        )

    @property
    def steps(self) -> Steps:
        """Where and how this builder runs build steps, for roads of their own (``script_road.py``)."""
        return self._steps

    def keep(
        self, key: str, make: Callable[[Path], Environment | BuildFailure]
    ) -> Environment | BuildFailure:
        """The environment of that key from the cache; ``make`` makes it, at the root it is given, when there
        is none yet, and must raise as ``prepare`` does."""
        return self._kept(key, _ignore, make)

    def prepare(
        self, request: EnvironmentRequest, *, on_stage: OnStage = _ignore
    ) -> Environment | BuildFailure:
        """The environment that ``request`` asks for, shared with everyone who asks for the same.

        Raises SandboxUnavailable, IndexUnavailable or DiskFull when the machine is at fault.
        """
        second = self._second_key(request)
        found = self.cache.read(Environment, "records", second)
        if found is not None and found.python.exists():
            on_stage("ready")
            return replace(found, choice=request.choice, reused=True)
        built = self._by_uv(request, on_stage)
        if isinstance(built, BuildFailure) and built.phase in ("resolve", "install"):
            return self._by_pip(request, second, built, on_stage)
        return built

    def _by_uv(self, request: EnvironmentRequest, on_stage: OnStage) -> Environment | BuildFailure:
        started = time.monotonic()
        resolution = self.resolve(request, on_stage=on_stage)
        if isinstance(resolution, BuildFailure):
            return resolution
        local = any(is_local(one) for one in resolution.lock.distributions)
        interpreter = request.choice.interpreter
        key = digest(
            *("environment", _FORMAT, interpreter.version, str(interpreter.executable)),
            *(resolution.pylock, request.digest if local else None),
            *request.build_variations,
            *self.base_in_keys(request),
        )
        found = self._kept(
            key,
            on_stage,
            lambda root: self._fill(request, resolution, root, key, on_stage, started, shared=True),
        )
        if isinstance(found, BuildFailure):
            return found
        self.note_neighbour(found)
        return replace(found, choice=request.choice, lock=resolution.lock) if found.reused else found

    def note_neighbour(self, environment: Environment) -> None:
        """Say that what is built next has much in common with ``environment``."""
        if environment.root.is_relative_to(self.cache.environments):
            known = self._neighbours.setdefault(environment.choice.interpreter.executable, {})
            known.pop(environment.root, None)
            known[environment.root] = environment.lock

    def _by_pip(
        self, request: EnvironmentRequest, key: str, failure: BuildFailure, on_stage: OnStage
    ) -> Environment | BuildFailure:
        """What uv could not install (``failure``), by a pip of the time; both reasons if it cannot either."""
        started = time.monotonic()

        def make(root: Path) -> Environment | BuildFailure:
            on_stage("building")
            log = self.cache.logs / f"{key}.pip.log"
            answer = install_with_pip(self._steps, request, root, log)
            if isinstance(answer, BuildFailure):
                both = f"{failure.message}\n\nA pip of the time says:\n{answer.message}"
                return replace(failure, message=both)
            lock, pip = answer
            why = first_line(failure.message)
            return Environment(
                key=key,
                root=root,
                choice=request.choice,
                lock=lock,
                build_s=time.monotonic() - started,
                reused=False,
                log=log,
                base=request.base,
                road=f"pip {pip} through the index as of the instant, as uv could not: {why}",
            )

        return self._kept(key, on_stage, make)

    def _kept(
        self, key: str, on_stage: OnStage, make: Callable[[Path], Environment | BuildFailure]
    ) -> Environment | BuildFailure:
        """The environment of that key; ``make`` makes it, at the root it is given, when there is none yet."""
        root = self.cache.environments / key
        on_stage("waiting")
        with self.cache.guard(key):
            found = self.cache.read(Environment, "records", key)
            if found is not None and found.python.exists():
                on_stage("ready")
                return replace(found, reused=True)
            self.cache.discard(root)  # what an interrupted build left
            built: Environment | BuildFailure | None = None
            try:
                built = make(root)
                if isinstance(built, Environment):
                    self.cache.write("records", key, built)
            finally:
                if not isinstance(built, Environment):  # failed or interrupted: leave nothing half-built
                    self.cache.discard(root)
        return built

    def build_at(
        self, request: EnvironmentRequest, output: Path, *, on_stage: OnStage = _ignore
    ) -> Environment | BuildFailure:
        """As ``prepare``, but at ``output``, an empty folder or none, for the caller to keep and change."""
        started = time.monotonic()
        resolution = self.resolve(request, on_stage=on_stage)
        if isinstance(resolution, BuildFailure):
            return resolution
        # Made where uv can link files from its cache, then moved: it is made so that it can be.
        key = uuid.uuid4().hex
        root = self.cache.environments / key
        built: Environment | BuildFailure | None = None
        try:
            built = self._fill(request, resolution, root, key, on_stage, started, shared=False)
            if isinstance(built, Environment):
                _own(root)
                (root / "pylock.toml").write_text(resolution.pylock, encoding="utf-8")
                output.parent.mkdir(parents=True, exist_ok=True)
                if output.exists():
                    output.rmdir()
                shutil.move(root, output)
                return replace(built, root=output)
        finally:
            self.cache.discard(root)
        return built

    def resolve(
        self, request: EnvironmentRequest, *, on_stage: OnStage = _ignore
    ) -> Resolution | BuildFailure:
        """What ``request`` resolves to, from the cache where it was resolved before; nothing is built.

        Raises as ``prepare`` does.
        """
        key = digest("resolution", _FORMAT, uv.uv_version(), *self._asked(request))
        with self.cache.guard(key):
            found = self.cache.read(Resolution, "locks", key)
            if found is not None:
                return found
            on_stage("resolving")
            resolution = self._steps.resolve(request, self.cache.logs / f"{key}.resolve.log")
            if isinstance(resolution, Resolution):
                self.cache.write("locks", key, resolution)
            return resolution

    def _asked(self, request: EnvironmentRequest) -> tuple[object, ...]:
        """All that a resolution is a function of, besides the resolver."""
        interpreter = request.choice.interpreter
        return (
            *(interpreter.version, str(interpreter.executable)),
            *(request.instant, request.cutoff_overrides, self._steps.index_url),
            *(request.steps, request.digest, request.name, request.version_variables),
            *([request.constraints] if request.constraints else []),
            *request.build_variations,
            *self.base_in_keys(request),
        )

    def base_in_keys(self, request: EnvironmentRequest) -> tuple[object, ...]:
        """What every key holds of the system that is built in; nothing for this machine's own."""
        key = self._steps.base_key(request)
        return () if key is None else ("base", key)

    def _second_key(self, request: EnvironmentRequest) -> str:
        return digest("environment by pip", _FORMAT, *self._asked(request))

    def _fill(
        self,
        request: EnvironmentRequest,
        resolution: Resolution,
        root: Path,
        key: str,
        on_stage: OnStage,
        started: float,
        *,
        shared: bool,
    ) -> Environment | BuildFailure:
        on_stage("building")
        log = self.cache.logs / f"{key}.install.log"
        known = self._neighbours.get(request.choice.interpreter.executable, {})
        neighbours = nearest(resolution.lock, dict(known))  # another thread may be adding to it
        failure = self._steps.install(request, resolution, root, log, shared=shared, neighbours=neighbours)
        if failure is not None:
            return failure
        on_stage("ready")
        return Environment(
            key=key,
            root=root,
            choice=request.choice,
            lock=resolution.lock,
            build_s=time.monotonic() - started,
            reused=False,
            log=log,
            base=request.base,
        )


def _own(folder: Path) -> None:
    """Give what a sandbox made under another user id to the caller."""
    user, group = os.geteuid(), os.getegid()
    for parent, folders, files in os.walk(folder):
        for name in (".", *folders, *files):
            path = Path(parent, name)
            if path.lstat().st_uid != user:
                os.chown(path, user, group, follow_symlinks=False)
