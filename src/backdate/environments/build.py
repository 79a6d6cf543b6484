"""Environments from the cache, or built now.

``Builder.prepare`` is the one way to an environment. A resolution is kept under a key of all its
inputs and an environment under a key of its lock, so that what was made once is not made again,
by whichever road it is asked for.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from backdate.environments import uv
from backdate.environments.cache import Cache
from backdate.environments.compiled import nearest
from backdate.environments.environment import BuildFailure, Environment, Lock
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.layered import LayeredBuild, can_be_layered
from backdate.environments.lock import is_local, needs_no_build, split_by_origin
from backdate.environments.packaging_inputs import PackagingInputs, read_packaging_inputs
from backdate.environments.pip_installer import install_with_pip
from backdate.environments.private_view import PrivateView
from backdate.environments.references.types import DEFAULT_POLICY, ReferencePolicy
from backdate.environments.steps import BUILD_LIMITS, Resolution, Steps
from backdate.progress import NO_PROGRESS, ONLY, Reporter, StageReporter
from backdate.projects.hostile import Folder, move_out
from backdate.sandboxes.interface import Limits, Sandbox
from backdate.sandboxes.scratch import clear_stale
from backdate.serial import digest
from backdate.text import first_line

_FORMAT = 5
"""Part of every key: raise it when what is made from the same inputs changes."""

_ATTRIBUTES_PARSED = datetime(2020, 5, 17, tzinfo=UTC)
"""Setuptools 46.4.0, the first that does not import the module that ``attr:`` names, was a day old."""


class Builder:
    """Makes environments in a cache, running every build step in a sandbox."""

    def __init__(
        self,
        cache: Cache,
        sandbox: Sandbox,
        *,
        index_url: str = uv.DEFAULT_INDEX,
        limits: Limits = BUILD_LIMITS,
        layered: bool = True,
        open_network: bool = False,
        reference_policy: ReferencePolicy = DEFAULT_POLICY,
        references_of: EnvironmentRequest | None = None,
    ) -> None:
        """``open_network``: whether builds get the whole network, not only the index.

        ``references_of``: what is built may have fetched by address what this names, and nothing else.

        ``layered``: whether the project lies in a layer of its own, as it should; without it every tree
        gets an environment that is built whole, with which layers are compared.
        """
        clear_stale(cache.builds)  # what builds that were killed have left
        self.cache = cache
        self.sandbox = sandbox
        self.index_url = index_url
        self._layered = layered
        self._neighbours: dict[Path, dict[Path, Lock]] = {}
        """The environments that were had, by interpreter; the last one last."""
        self._steps = Steps(
            cache=cache,
            sandbox=sandbox,
            index_url=index_url,
            limits=limits,
            open_network=open_network,
            reference_policy=reference_policy,
            references_of=references_of,
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
        return self._kept(key, StageReporter(NO_PROGRESS, ONLY), make)

    def prepare(
        self, request: EnvironmentRequest, *, progress: Reporter = NO_PROGRESS, subject: str = ONLY
    ) -> Environment | BuildFailure:
        """The environment that ``request`` asks for, shared with everyone who asks for the same.

        Raises SandboxUnavailable, IndexUnavailable or DiskFull when the machine is at fault.
        """
        stages = StageReporter(progress, subject)
        second = self._second_key(request)
        found = self.cache.read(Environment, "records", second)
        if found is not None and found.exists:
            stages.enter("ready")
            return replace(found, choice=request.choice, reused=True)
        built = self._by_uv(request, stages)
        if isinstance(built, BuildFailure) and built.phase in ("resolve", "install"):
            return self._by_pip(request, second, built, stages)
        return built

    def _by_uv(self, request: EnvironmentRequest, stages: StageReporter) -> Environment | BuildFailure:
        inputs = self.packaging_inputs(request)
        with PrivateView(self.cache) as view:
            resolution = self._resolve(request, inputs, stages, view)
            if isinstance(resolution, BuildFailure):
                return resolution
            dependencies, project = split_by_origin(resolution.pylock)
            if self._layered and dependencies and project and can_be_layered(request):
                if not _is_alone(resolution.lock):
                    inputs = None
                environment = self._in_layers(
                    request, resolution, dependencies, project, inputs, stages, view
                )
            else:
                content = request.digest if project else None
                environment = self._whole(request, resolution.lock, resolution.pylock, content, stages)
        if isinstance(environment, BuildFailure):
            return environment
        self.note_neighbour(environment)
        return replace(environment, choice=request.choice, lock=resolution.lock)

    def _in_layers(
        self,
        request: EnvironmentRequest,
        resolution: Resolution,
        dependencies: str,
        project: str,
        inputs: PackagingInputs | None,
        stages: StageReporter,
        view: PrivateView,
    ) -> Environment | BuildFailure:
        """The environment with what ``dependencies`` names below and what ``project`` names on top."""
        build = self.layered_build(request, resolution, dependencies, project, inputs, view)

        def make(root: Path) -> Environment | BuildFailure:
            lower = self._whole(request, resolution.lock, dependencies, None, stages)
            if isinstance(lower, BuildFailure):
                return lower
            stages.enter("building")
            environment = build.make(
                root,
                lower,
                lambda root: self._fill(request, resolution.lock, resolution.pylock, root, build.key),
            )
            stages.enter("ready")
            return environment

        return self._kept(build.key, stages, make)

    def layered_build(
        self,
        request: EnvironmentRequest,
        resolution: Resolution,
        dependencies: str,
        project: str,
        inputs: PackagingInputs | None,
        view: PrivateView,
    ) -> LayeredBuild:
        """How the upper layer of that environment is built."""
        below = self._whole_key(request, dependencies, None)
        shared = (_FORMAT, below, project, sorted(request.version_variables.items()))
        return LayeredBuild(
            cache=self.cache,
            steps=self._steps,
            request=request,
            resolution=resolution,
            project_lock=project,
            inputs=inputs,
            view=view,
            key=digest("environment in layers", *shared, request.digest),
            layer_key=digest("project layer", *shared, inputs.digest if inputs else request.digest),
        )

    def _whole(
        self, request: EnvironmentRequest, lock: Lock, pylock: str, content: str | None, stages: StageReporter
    ) -> Environment | BuildFailure:
        """One folder with all that ``pylock`` names. ``content``: the tree's digest, if it is built from."""
        key = self._whole_key(request, pylock, content)

        def make(_root: Path) -> Environment | BuildFailure:
            stages.enter("building")
            with_tree = content is not None or not can_be_layered(request)
            environment = self._fill_anywhere(request, lock, pylock, key, with_tree=with_tree)
            stages.enter("ready")
            return environment

        return self._kept(key, stages, make)

    def _whole_key(self, request: EnvironmentRequest, pylock: str, content: str | None) -> str:
        interpreter = request.choice.interpreter
        return digest(
            *("environment", _FORMAT, interpreter.version, str(interpreter.executable)),
            *(pylock, content),
            *request.build_variations,
            *self.base_in_keys(request),
        )

    def packaging_inputs(self, request: EnvironmentRequest) -> PackagingInputs | None:
        """What builds read of the request's tree; None where that is everything."""
        if not self._layered or any(
            step.kind == "project" and step.file not in (None, ".") for step in request.steps
        ):
            return None
        return read_packaging_inputs(
            request.tree,
            named=[step.file for step in request.steps if step.file],
            parses_attributes=request.instant >= _ATTRIBUTES_PARSED and not request.build_constraints,
        )

    def note_neighbour(self, environment: Environment) -> None:
        """Say that what is built next has much in common with ``environment``."""
        root = environment.roots[-1]
        if root.is_relative_to(self.cache.environments):
            known = self._neighbours.setdefault(environment.choice.interpreter.executable, {})
            known.pop(root, None)
            known[root] = environment.lock

    def _by_pip(
        self, request: EnvironmentRequest, key: str, failure: BuildFailure, stages: StageReporter
    ) -> Environment | BuildFailure:
        """What uv could not install (``failure``), by a pip of the time; both reasons if it cannot either."""
        started = time.monotonic()

        def make(root: Path) -> Environment | BuildFailure:
            stages.enter("building")
            log = self.cache.logs / f"{key}.pip.log"
            with PrivateView(self.cache) as view:
                answer = install_with_pip(self._steps, request, root, log, view)
            if isinstance(answer, BuildFailure):
                both = f"{failure.message}\n\nA pip released before the instant says:\n{answer.message}"
                return replace(failure, message=both, tried_pip=True)
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
                network=self._steps.network,
                road=f"pip {pip} through the index as of the instant, as uv could not: {why}",
            )

        return self._kept(key, stages, make)

    def _kept(
        self, key: str, stages: StageReporter, make: Callable[[Path], Environment | BuildFailure]
    ) -> Environment | BuildFailure:
        """The environment of that key; ``make`` makes it, at the root it is given, when there is none yet."""
        stages.enter("waiting")
        with self.cache.guard(key):
            found = self.cache.read(Environment, "records", key)
            if found is not None and found.exists:
                stages.enter("ready")
                return _reused(found)
            self.cache.forget("records", key)
            self.cache.discard_environment(key)  # what an interrupted build left
            built: Environment | BuildFailure | None = None
            try:
                built = make(self.cache.built / key)
                if isinstance(built, Environment):
                    self.cache.write("records", key, built)
            finally:
                if not isinstance(built, Environment):  # failed or interrupted: leave nothing half-built
                    self.cache.discard_environment(key)
        return built

    def build_at(
        self,
        request: EnvironmentRequest,
        output: Path,
        *,
        progress: Reporter = NO_PROGRESS,
        subject: str = ONLY,
    ) -> Environment | BuildFailure:
        """As ``prepare``, but at ``output``, an empty folder or none, for the caller to keep and change."""
        started = time.monotonic()
        stages = StageReporter(progress, subject)
        with PrivateView(self.cache) as view:
            resolution = self._resolve(request, self.packaging_inputs(request), stages, view)
        if isinstance(resolution, BuildFailure):
            return resolution
        # Moved when it is done: it is made so that it can be.
        key = uuid.uuid4().hex
        built: Environment | BuildFailure | None = None
        try:
            stages.enter("building")
            built = self._fill_anywhere(request, resolution.lock, resolution.pylock, key, shared=False)
            if isinstance(built, Environment):
                with Folder.at(built.root) as folder:
                    folder.give_to(os.geteuid(), os.getegid())
                    folder.replace("pylock.toml", resolution.pylock.encode())
                output.parent.mkdir(parents=True, exist_ok=True)
                if output.exists():
                    output.rmdir()
                move_out(built.root, output)
                stages.enter("ready")
                return replace(built, root=output, build_s=time.monotonic() - started)
        finally:
            self.cache.discard_environment(key)
        return built

    def resolve(self, request: EnvironmentRequest) -> Resolution | BuildFailure:
        """What ``request`` resolves to, from the cache where it was resolved before; nothing is built.

        Raises as ``prepare`` does.
        """
        stages = StageReporter(NO_PROGRESS, ONLY)
        with PrivateView(self.cache) as view:
            return self._resolve(request, self.packaging_inputs(request), stages, view)

    def _resolve(
        self,
        request: EnvironmentRequest,
        inputs: PackagingInputs | None,
        stages: StageReporter,
        view: PrivateView,
    ) -> Resolution | BuildFailure:
        content = request.digest if inputs is None else inputs.metadata_digest
        key = digest("resolution", _FORMAT, uv.uv_version(), *self._asked(request, content))
        with self.cache.guard(key):
            resolution = self.cache.read(Resolution, "locks", key)
            if resolution is None:
                stages.enter("resolving")
                resolved = self._steps.resolve(request, self.cache.logs / f"{key}.resolve.log", view)
                if isinstance(resolved, BuildFailure):
                    return resolved
                self.cache.write("locks", key, resolved)
                resolution = resolved
        if inputs is None or _is_alone(resolution.lock):
            return resolution
        # What is read of other projects in the tree is not known.
        return self._resolve(request, None, stages, view)

    def _asked(self, request: EnvironmentRequest, content: str) -> tuple[object, ...]:
        """All that a resolution is a function of, besides the resolver; ``content``: what of the tree."""
        interpreter = request.choice.interpreter
        return (
            *(interpreter.version, str(interpreter.executable)),
            *(request.instant, request.cutoff_overrides, self._steps.index_url),
            *(request.steps, content, request.name, request.version_variables),
            *([request.constraints] if request.constraints else []),
            *request.build_variations,
            *self.base_in_keys(request),
        )

    def base_in_keys(self, request: EnvironmentRequest) -> tuple[object, ...]:
        """What every key holds of the system that is built in; nothing for this machine's own."""
        key = self._steps.base_key(request)
        base = () if key is None else ("base", key)
        return (*base, "open network, repositories at the instant") if self._steps.open_network else base

    def _second_key(self, request: EnvironmentRequest) -> str:
        return digest("environment by pip", _FORMAT, *self._asked(request, request.digest))

    def _fill_anywhere(
        self,
        request: EnvironmentRequest,
        lock: Lock,
        pylock: str,
        key: str,
        *,
        shared: bool = True,
        with_tree: bool = True,
    ) -> Environment | BuildFailure:
        """All that ``pylock`` names in one folder: among the clean ones where nothing has to be built."""
        if needs_no_build(pylock):
            clean = self.cache.environments / key
            made = self._fill(request, lock, pylock, clean, key, shared=shared, build=False)
            if isinstance(made, Environment):
                return made
            self.cache.discard(clean)  # there is no wheel for this interpreter
        root = self.cache.built / key
        return self._fill(request, lock, pylock, root, key, shared=shared, with_tree=with_tree)

    def _fill(
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
    ) -> Environment | BuildFailure:
        started = time.monotonic()
        log = self.cache.logs / f"{key}.install.log"
        known = self._neighbours.get(request.choice.interpreter.executable, {})
        neighbours = nearest(lock, dict(known))  # another thread may be adding to it
        with PrivateView(self.cache) as view:
            failure = self._steps.install(
                request,
                pylock,
                root,
                log,
                shared=shared,
                neighbours=neighbours,
                view=view if build else None,
                with_tree=with_tree,
            )
        if failure is not None:
            return failure
        return Environment(
            key=key,
            root=root,
            choice=request.choice,
            lock=lock,
            build_s=time.monotonic() - started,
            reused=False,
            log=log,
            base=request.base,
            network=self._steps.network,
        )


def _is_alone(lock: Lock) -> bool:
    """Whether nothing of the tree is built but the project itself."""
    return all(one.source == "." for one in lock.distributions if is_local(one))


def _reused(environment: Environment) -> Environment:
    below = environment.dependencies
    return replace(
        environment, reused=True, dependencies=None if below is None else replace(below, reused=True)
    )
