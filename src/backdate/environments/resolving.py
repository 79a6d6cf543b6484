"""What a request resolves to, from the cache where it was resolved before.

What names distributions of the index alone is resolved by a step in which nothing foreign runs. Another lock
is compared with the index.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from backdate.environments.built_wheels import BuiltWheels
from backdate.environments.environment import BuildFailure, Lock
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.keys import Keys
from backdate.environments.lock import is_local
from backdate.environments.lock_check import compare_with_index
from backdate.environments.packaging_inputs import PackagingInputs, read_packaging_inputs
from backdate.environments.private_view import PrivateView
from backdate.environments.progress import LockUnconfirmed
from backdate.environments.steps import Resolution, Steps
from backdate.progress import StageReporter
from backdate.serial import digest

_ATTRIBUTES_PARSED = datetime(2020, 5, 17, tzinfo=UTC)
"""Setuptools 46.4.0, the first that does not import the module that ``attr:`` names, was a day old."""
_TREES = 32
"""Of the last ones it is remembered what their builds read: one command asks several times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolutionCache:
    """Resolves requests at their instants; what was resolved once is kept."""

    steps: Steps
    keys: Keys
    built_wheels: BuiltWheels
    layered: bool
    """Whether resolutions are shared by trees that differ in what no build reads."""

    def packaging_inputs(self, request: EnvironmentRequest) -> PackagingInputs | None:
        """What builds read of the request's tree; None where that is everything."""
        if not self.layered or any(
            step.kind == "project" and step.file not in (None, ".") for step in request.steps
        ):
            return None
        named = tuple(step.file for step in request.steps if step.file)
        parses = request.instant >= _ATTRIBUTES_PARSED and not request.build_constraints
        return _inputs_of(request.tree, request.digest, named, parses)

    def resolve(
        self,
        request: EnvironmentRequest,
        inputs: PackagingInputs | None,
        stages: StageReporter,
        view: PrivateView,
    ) -> Resolution | BuildFailure:
        """What ``request``, with these ``packaging_inputs``, resolves to; told where the index disagrees.

        Raises as ``Builder.prepare`` does.
        """
        resolution = self._resolve(request, inputs, stages, view)
        if isinstance(resolution, Resolution) and resolution.unconfirmed is not None:
            stages.progress.report(
                LockUnconfirmed(subject=stages.subject, distributions=resolution.unconfirmed)
            )
        return resolution

    def is_known(self, request: EnvironmentRequest) -> bool:
        """Whether what the request resolves to is kept."""
        return self.steps.cache.has("locks", self._key(request, self.packaging_inputs(request)))

    def log_of(self, request: EnvironmentRequest, inputs: PackagingInputs | None) -> Path:
        """What the resolver said, where the request was resolved on this machine."""
        return self.steps.cache.logs / f"{self._key(request, inputs)}.resolve.log"

    def keep(self, request: EnvironmentRequest, resolution: Resolution) -> None:
        """Keep what was resolved elsewhere in the request's own manner."""
        self.steps.cache.write("locks", self._key(request, self.packaging_inputs(request)), resolution)

    def _key(self, request: EnvironmentRequest, inputs: PackagingInputs | None) -> str:
        if inputs is not None:
            return self.keys.resolution(request, inputs.metadata_digest)
        from backdate.environments.named_requirements import named_requirements

        asked = named_requirements(request)
        if asked is None or asked.project is None:
            return self.keys.resolution(request, request.digest)
        # Whatever else builds read of the tree.
        return self.keys.resolution(request, digest("by name", asked.asked, asked.limits, asked.project))

    def _resolve(
        self,
        request: EnvironmentRequest,
        inputs: PackagingInputs | None,
        stages: StageReporter,
        view: PrivateView,
    ) -> Resolution | BuildFailure:
        cache = self.steps.cache
        key = self._key(request, inputs)
        with cache.guard(key):
            resolution = cache.read(Resolution, "locks", key)
            if resolution is None:
                log = cache.logs / f"{key}.resolve.log"
                resolved = self._by_name(request, log, stages) or self._compared(
                    request, key, log, stages, view
                )
                if isinstance(resolved, BuildFailure):
                    return resolved
                resolution = resolved
                cache.write("locks", key, resolution)
        if inputs is None or is_alone(resolution.lock):
            return resolution
        # What is read of other projects in the tree is not known.
        return self._resolve(request, None, stages, view)

    def _by_name(self, request: EnvironmentRequest, log: Path, stages: StageReporter) -> Resolution | None:
        """What is asked for by name alone, from the index's own word; None where that does not do."""
        from backdate.environments.named_requirements import named_requirements
        from backdate.environments.one_step import OneStepInstaller

        asked = named_requirements(request)
        if asked is None:
            return None
        return (
            OneStepInstaller(self.steps, self.built_wheels).make(request, asked, None, log, stages).resolution
        )

    def _compared(
        self, request: EnvironmentRequest, key: str, log: Path, stages: StageReporter, view: PrivateView
    ) -> Resolution | BuildFailure:
        """What a resolver says beside which foreign code may have run, and whether the index agrees."""
        stages.enter("resolving")
        resolved = self.steps.resolve(request, log, view)
        if isinstance(resolved, BuildFailure):
            return resolved
        check = compare_with_index(
            self.steps, request, resolved.pylock, self.steps.cache.logs / f"{key}.check.log"
        )
        return replace(resolved, checked=check.agrees, differing=check.differing)


def is_alone(lock: Lock) -> bool:
    """Whether nothing of the tree is built but the project itself."""
    return all(one.source == "." for one in lock.distributions if is_local(one))


@lru_cache(maxsize=_TREES)
def _inputs_of(
    tree: Path, content: str, named: tuple[str, ...], parses_attributes: bool
) -> PackagingInputs | None:
    """What the build of ``tree``, whose digest is ``content``, reads."""
    del content  # it tells the trees apart that lie at one path in turn
    return read_packaging_inputs(tree, named=named, parses_attributes=parses_attributes)
