"""The lock of another tree of a project, for a tree whose build says the same of itself.

Where it cannot be told which files the metadata of a project are made of (``packaging_inputs.py``), each of
its trees is built for its metadata, resolved, compared with the index, and built again. But a resolution
reads nothing of a tree but these metadata, the files that ask for requirements, and ``pyproject.toml``. So a
second tree with the same files of these kinds is built on the first one's lock, and the metadata which that
build left are compared with the first one's: where they are equal the lock is the second tree's own, and
where they are not the tree is resolved.

Code of the first tree ran beside the resolver. So its lock is given to another tree only when a step in which
nothing foreign runs resolves these metadata to the same files.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.environments.built_metadata import read_built
from backdate.environments.built_wheels import BuiltWheels
from backdate.environments.cache import Cache
from backdate.environments.environment import Environment, Lock
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.keys import Keys
from backdate.environments.lock import is_local, is_of_index, split_by_origin
from backdate.environments.lock_check import locked_files
from backdate.environments.lock_wheels import WheelFile, sdists_to_build
from backdate.environments.named_requirements import (
    NamedRequirements,
    requirements_in_files,
    with_project,
)
from backdate.environments.one_step import OneStepInstaller
from backdate.environments.resolving import is_alone
from backdate.environments.stated_metadata import StatedMetadata, installed_metadata
from backdate.environments.steps import Resolution, Steps
from backdate.errors import ConfigurationError
from backdate.progress import StageReporter
from backdate.projects.read import read_text
from backdate.serial import digest

_ROOM = "locks"


class OtherMetadata(Exception):
    """The build of a tree failed on the lock of another one, or says something else of itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedMetadata:
    """What trees with these metadata resolve to, when the same is asked for."""

    resolution: Resolution
    metadata: StatedMetadata
    confirmed: bool | None = None
    """Whether a step in which nothing foreign ran resolved them to the same; None where none was made yet."""


@dataclass(frozen=True, slots=True)
class SameMetadata:
    """The last tree of each project that was resolved for its whole content."""

    steps: Steps
    keys: Keys
    built_wheels: BuiltWheels

    def find(self, request: EnvironmentRequest, stages: StageReporter) -> ResolvedMetadata | None:
        """What a tree resolved to that asks for the same as the request's, but for its metadata."""
        asked = _asked_in_files(request)
        if asked is None:
            return None
        key = self._key(request, asked)
        with self._cache.guard(key):
            known = self._cache.read(ResolvedMetadata, _ROOM, key)
            if known is not None and known.confirmed is None:
                same = self._resolves_to(request, with_project(request, asked, known.metadata), known, stages)
                known = replace(known, confirmed=same)
                self._cache.write(_ROOM, key, known)
        return known if known is not None and known.confirmed else None

    def note(self, request: EnvironmentRequest, resolution: Resolution, environment: Environment) -> None:
        """Say what the request's tree resolved to, and which metadata its build left in ``environment``."""
        dependencies, _ = split_by_origin(resolution.pylock)
        if not resolution.checked or not is_alone(resolution.lock) or not is_of_index(dependencies):
            return
        asked = _asked_in_files(request)
        metadata = metadata_of_project(environment.root, resolution.lock)
        if asked is None or metadata is None:
            return
        key = self._key(request, asked)
        with self._cache.guard(key):
            known = self._cache.read(ResolvedMetadata, _ROOM, key)
            if known is None or (known.resolution, known.metadata) != (resolution, metadata):
                known = ResolvedMetadata(resolution=resolution, metadata=metadata)
                self._cache.write(_ROOM, key, known)

    def _resolves_to(
        self,
        request: EnvironmentRequest,
        asked: NamedRequirements | None,
        known: ResolvedMetadata,
        stages: StageReporter,
    ) -> bool:
        """Whether what is ``asked`` resolves to the files of a lock in steps that run none of its project."""
        if asked is None:
            return False
        pylock = known.resolution.pylock
        built = []
        for sdist in sdists_to_build(
            pylock, python=request.choice.interpreter.version, machine=platform.machine()
        ):
            wheel = self.built_wheels.wheel_of(request, sdist)
            stated = read_built(sdist, wheel) if isinstance(wheel, WheelFile) else None
            if stated is None:
                return False
            built.append(stated)
        log = self._cache.logs / f"{self._key(request, asked)}.check.log"
        made = OneStepInstaller(self.steps, self.built_wheels).make(request, asked, None, log, stages, built)
        return made.resolution is not None and locked_files(made.resolution.pylock) == locked_files(pylock)

    def _key(self, request: EnvironmentRequest, asked: NamedRequirements) -> str:
        """Of all that the resolution reads besides the metadata."""
        settings = read_text(request.tree, "pyproject.toml")
        return self.keys.resolution(request, digest("besides metadata", settings, asked.asked, asked.limits))

    @property
    def _cache(self) -> Cache:
        return self.steps.cache


def metadata_of_project(root: Path, lock: Lock) -> StatedMetadata | None:
    """What the one distribution of ``lock`` that is built from a tree says of itself at ``root``."""
    names = [one.name for one in lock.distributions if is_local(one)]
    return installed_metadata(root, lock.python, names[0]) if len(names) == 1 else None


def _asked_in_files(request: EnvironmentRequest) -> NamedRequirements | None:
    """What requirement files ask for besides the project at the tree's root; None where more may be read."""
    if request.allowed_files or request.resolution != "highest":
        return None
    projects = [step for step in request.steps if step.kind == "project"]
    if len(projects) != 1 or projects[0].file not in (None, "."):
        return None
    try:
        read_text(request.tree, "pyproject.toml")
    except ConfigurationError:
        return None
    return requirements_in_files(request)
