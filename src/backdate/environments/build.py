"""Environments from the cache, or built now.

``Builder.prepare`` is the one way to an environment. A resolution is kept under a key of all its
inputs and an environment under a key of its lock, so that what was made once is not made again,
by whichever installer builds it.
"""

from __future__ import annotations

import time
import uuid
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from backdate.environments import uv
from backdate.environments.build_limits import BUILD_LIMITS
from backdate.environments.built_wheels import BuiltWheels, built_apart
from backdate.environments.cache import Cache
from backdate.environments.environment import BuildFailure, Environment, with_incidents
from backdate.environments.filling import FolderFiller
from backdate.environments.finished import FinishedEnvironments
from backdate.environments.inputs import EnvironmentRequest, can_be_layered
from backdate.environments.keys import Keys
from backdate.environments.lock import split_by_origin
from backdate.environments.packaging_inputs import PackagingInputs
from backdate.environments.private_view import PrivateView
from backdate.environments.references.types import DEFAULT_POLICY, ReferencePolicy
from backdate.environments.resolving import ResolutionCache, is_alone
from backdate.environments.step_files import give_with_lock
from backdate.environments.steps import Resolution, Steps
from backdate.progress import NO_PROGRESS, ONLY, Reporter, StageReporter
from backdate.projects.hostile import move_out
from backdate.sandboxes.interface import Limits, Sandbox
from backdate.sandboxes.scratch import clear_stale
from backdate.text import first_line, with_few_versions

if TYPE_CHECKING:
    from backdate.environments.layered import LayeredBuild
    from backdate.environments.same_metadata import SameMetadata
    from backdate.environments.stated_metadata import StatedMetadata


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
        self.steps = Steps(
            cache=cache,
            sandbox=sandbox,
            index_url=index_url,
            limits=limits,
            open_network=open_network,
            reference_policy=reference_policy,
            references_of=references_of,
        )
        self.keys = Keys(self.steps)
        self.finished = FinishedEnvironments(cache)
        self._built_wheels = BuiltWheels(self.steps, self.keys)
        self.filler = FolderFiller(self.steps, self._built_wheels, self.finished)
        self._resolver = ResolutionCache(
            steps=self.steps, keys=self.keys, built_wheels=self._built_wheels, layered=layered
        )

    def prepare(
        self, request: EnvironmentRequest, *, progress: Reporter = NO_PROGRESS, subject: str = ONLY
    ) -> Environment | BuildFailure:
        """The environment that ``request`` asks for, shared with everyone who asks for the same.

        Raises SandboxUnavailable, IndexUnavailable or DiskFull when the machine is at fault.
        """
        stages = StageReporter(progress, subject)
        second = self.keys.by_pip(request)
        found = self.finished.find(second, progress)
        if found is not None:
            stages.enter("ready")
            return replace(found, choice=request.choice)
        built = self._by_uv(request, stages)
        if isinstance(built, BuildFailure) and _may_be_had_by_pip(request, built):
            return self._by_pip(request, second, built, stages)
        return built

    @cached_property
    def _same_metadata(self) -> SameMetadata:
        from backdate.environments.same_metadata import SameMetadata  # a warm check needs none of it

        return SameMetadata(self.steps, self.keys, self._built_wheels)

    def _by_uv(self, request: EnvironmentRequest, stages: StageReporter) -> Environment | BuildFailure:
        inputs = self.packaging_inputs(request)
        is_new = inputs is None and self._layered and not self._resolver.is_known(request)
        with PrivateView(self.cache) as view:
            if is_new and (known := self._on_known_lock(request, stages, view)) is not None:
                return self._handed_out(request, *known)
            resolution = self._resolver.resolve(request, inputs, stages, view)
            if isinstance(resolution, BuildFailure):
                return with_incidents(resolution, view.incidents())
            if request.allowed_files:
                from backdate.environments.allowed_files import held_to_files

                held = held_to_files(resolution, request, self._resolver.log_of(request, inputs))
                if isinstance(held, BuildFailure):
                    return held
                resolution = held
            dependencies, project = split_by_origin(resolution.pylock)
            if self._layered and dependencies and project and can_be_layered(request):
                if not is_alone(resolution.lock):
                    inputs = None
                environment = self._in_layers(
                    request, resolution, dependencies, project, inputs, stages, view
                )
                if is_new and isinstance(environment, Environment):
                    self._same_metadata.note(request, resolution, environment)
            else:
                content = request.digest if project else None
                environment = self._whole(request, resolution, resolution.pylock, content, stages)
            made = with_incidents(environment, view.incidents())
        return made if isinstance(made, BuildFailure) else self._handed_out(request, resolution, made)

    def _handed_out(
        self, request: EnvironmentRequest, resolution: Resolution, made: Environment
    ) -> Environment:
        self.filler.neighbours.note(made)
        return replace(made, choice=request.choice, lock=resolution.lock, unconfirmed=resolution.unconfirmed)

    def _on_known_lock(
        self, request: EnvironmentRequest, stages: StageReporter, view: PrivateView
    ) -> tuple[Resolution, Environment] | None:
        """The environment on the lock of another tree, which is this one's too by what its build says."""
        from backdate.environments.same_metadata import OtherMetadata

        if not can_be_layered(request):
            return None
        known = self._same_metadata.find(request, stages)
        dependencies, project = ("", "") if known is None else split_by_origin(known.resolution.pylock)
        if known is None or not dependencies or not project:
            return None
        try:
            made = self._in_layers(
                *(request, known.resolution, dependencies, project, None, stages, view),
                expected_metadata=known.metadata,
            )
        except OtherMetadata:
            return None
        if isinstance(made, BuildFailure):
            return None
        self._resolver.keep(request, known.resolution)
        return known.resolution, with_incidents(made, view.incidents())

    def _in_layers(
        self,
        request: EnvironmentRequest,
        resolution: Resolution,
        dependencies: str,
        project: str,
        inputs: PackagingInputs | None,
        stages: StageReporter,
        view: PrivateView,
        expected_metadata: StatedMetadata | None = None,
    ) -> Environment | BuildFailure:
        """The environment with what ``dependencies`` names below and what ``project`` names on top.

        ``expected_metadata``: see ``LayeredBuild``.
        """
        builds = self._builds(request, resolution, dependencies, stages)
        if isinstance(builds, BuildFailure):
            return builds
        below = self.keys.whole(request, dependencies, None, builds)
        key, _ = self._layered_keys(request, below, project, inputs)

        def make(root: Path) -> Environment | BuildFailure:
            lower = self._whole(request, resolution, dependencies, None, stages)
            if isinstance(lower, BuildFailure):
                return lower
            stages.enter("building")
            build = self.layered_build(request, resolution, below, project, inputs, view)
            environment = replace(build, expected_metadata=expected_metadata).make(
                root,
                lower,
                lambda root: self.filler.fill(request, resolution.lock, resolution.pylock, root, key),
            )
            stages.enter("ready")
            return with_incidents(environment, (*lower.incidents, *view.incidents()))

        return self.finished.keep(key, stages, make)

    def layered_build(
        self,
        request: EnvironmentRequest,
        resolution: Resolution,
        below: str,
        project: str,
        inputs: PackagingInputs | None,
        view: PrivateView,
    ) -> LayeredBuild:
        """How the upper layer of that environment is built. ``below``: the key of the lower one."""
        from backdate.environments.layered import LayeredBuild

        key, layer_key = self._layered_keys(request, below, project, inputs)
        return LayeredBuild(
            finished=self.finished,
            steps=self.steps,
            request=request,
            resolution=resolution,
            project_lock=project,
            inputs=inputs,
            view=view,
            key=key,
            layer_key=layer_key,
        )

    def _layered_keys(
        self, request: EnvironmentRequest, below: str, project: str, inputs: PackagingInputs | None
    ) -> tuple[str, str]:
        return self.keys.layered(request, below, project, inputs.digest if inputs else request.digest)

    def _whole(
        self,
        request: EnvironmentRequest,
        resolution: Resolution,
        pylock: str,
        content: str | None,
        stages: StageReporter,
    ) -> Environment | BuildFailure:
        """One folder with all that ``pylock`` names. ``content``: the tree's digest, if it is built from."""
        builds = self._builds(request, resolution, pylock, stages)
        if isinstance(builds, BuildFailure):
            return builds
        key = self.keys.whole(request, pylock, content, builds)

        def make(_root: Path) -> Environment | BuildFailure:
            stages.enter("building")
            with_tree = content is not None or not can_be_layered(request)
            environment = self.filler.fill_anywhere(request, resolution, pylock, key, with_tree=with_tree)
            stages.enter("ready")
            return environment

        return self.finished.keep(key, stages, make)

    def _builds(
        self, request: EnvironmentRequest, resolution: Resolution, pylock: str, stages: StageReporter
    ) -> tuple[object, ...] | BuildFailure:
        """What decides what the lock's sdists are built into; they are built for that, each by itself."""
        if not resolution.checked:  # an environment of this tree alone
            return ("unconfirmed", request.digest, *self.keys.instant(request))
        apart = built_apart(request, resolution, pylock)
        return self._built_wheels.identity(
            request, pylock, apart=apart, before_building=lambda: stages.enter("building")
        )

    def packaging_inputs(self, request: EnvironmentRequest) -> PackagingInputs | None:
        """What builds read of the request's tree; None where that is everything."""
        return self._resolver.packaging_inputs(request)

    def _by_pip(
        self, request: EnvironmentRequest, key: str, failure: BuildFailure, stages: StageReporter
    ) -> Environment | BuildFailure:
        """What uv could not install (``failure``), by a pip of the time; both reasons if it cannot either."""
        from backdate.environments.pip_installer import install_with_pip

        started = time.monotonic()

        def make(root: Path) -> Environment | BuildFailure:
            stages.enter("building")
            log = self.cache.logs / f"{key}.pip.log"
            with PrivateView(self.cache) as view:
                answer = install_with_pip(self.steps, request, root, log, view)
                incidents = view.incidents()
            if isinstance(answer, BuildFailure):
                of_pip = with_few_versions(answer.message)
                both = f"{failure.message}\n\nA pip released before the instant says:\n{of_pip}"
                return with_incidents(replace(failure, message=both, tried_pip=True), incidents)
            lock, pip = answer
            installer = f"pip {pip} through the index as of the instant, as uv could not: "
            made = self.steps.built(request, key=key, root=root, lock=lock, log=log, started=started)
            return with_incidents(replace(made, installer=installer + first_line(failure.message)), incidents)

        return self.finished.keep(key, stages, make)

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
        key = uuid.uuid4().hex  # moved when it is done: it is made so that it can be
        built: Environment | BuildFailure | None = None
        try:
            resolution, built = self._resolved_and_filled(request, stages, key)
            if isinstance(resolution, BuildFailure):
                return resolution
            stages.enter("building")
            if built is None:
                pylock = resolution.pylock
                built = self.filler.fill_anywhere(request, resolution, pylock, key, shared=False)
            if isinstance(built, Environment):
                built = with_incidents(built, give_with_lock(built.root, resolution.pylock))
                output.parent.mkdir(parents=True, exist_ok=True)
                if output.exists():
                    output.rmdir()
                move_out(built.root, output)
                stages.enter("ready")
                took = time.monotonic() - started
                return replace(built, root=output, build_s=took, unconfirmed=resolution.unconfirmed)
        finally:
            self.cache.discard_environment(key)
        return built

    def _resolved_and_filled(
        self, request: EnvironmentRequest, stages: StageReporter, key: str
    ) -> tuple[Resolution | BuildFailure, Environment | None]:
        """What it resolves to, and the movable environment if it was made in the same step."""
        from backdate.environments.named_requirements import named_requirements
        from backdate.environments.one_step import OneStepInstaller

        asked = named_requirements(request)
        if asked is not None and asked.project is None and not self._resolver.is_known(request):
            root, log = self.cache.environments / key, self.cache.logs / f"{key}.install.log"
            made = OneStepInstaller(self.steps, self._built_wheels).make(request, asked, root, log, stages)
            if made.resolution is not None:
                self._resolver.keep(request, made.resolution)
            if made.resolution is not None and made.installed:
                at, lock = time.monotonic(), made.resolution.lock
                env = self.steps.built(request, key=key, root=root, lock=lock, log=log, started=at)
                return made.resolution, with_incidents(env, made.incidents)
        return self.resolve(request, stages), None

    def resolve(
        self, request: EnvironmentRequest, stages: StageReporter | None = None
    ) -> Resolution | BuildFailure:
        """What ``request`` resolves to, from the cache where it was resolved before; nothing is built.

        Raises as ``prepare`` does.
        """
        stages = stages or StageReporter(NO_PROGRESS, ONLY)
        with PrivateView(self.cache) as view:
            return self._resolver.resolve(request, self.packaging_inputs(request), stages, view)


def _may_be_had_by_pip(request: EnvironmentRequest, failure: BuildFailure) -> bool:
    """Whether a pip of the time may succeed: of some versions it would install other files than allowed."""
    if failure.phase == "install" and request.allowed_files:
        return False
    return failure.phase in ("resolve", "install") and not failure.certain
