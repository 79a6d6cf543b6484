"""Which wheel that was built at another instant is the one that would be built at this.

An instant decides nothing of a build but what its requirements resolve to. These are resolved at both
instants by a step in which no foreign code runs: what the sdist states, and by their names alone what its
back-end asked for while it ran. The wheel is shared only where both are the same files, in the versions that
the build had. What a back-end wants in other than the newest version (``setup_requires = ["x<2"]``) is not
known, so its sdist is built at every instant.
"""

from __future__ import annotations

import shlex
import uuid
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.utils import canonicalize_name

from backdate.environments import uv
from backdate.environments.build_inputs import BuildInputs
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.keys import Keys
from backdate.environments.lock_check import locked_files
from backdate.environments.lock_wheels import LockedSdist
from backdate.environments.step_files import build_files, handed_over, input_file, shown
from backdate.environments.steps import Steps
from backdate.errors import ConfigurationError, StoredDataError
from backdate.timeline.instants import Instant

_ROOM = "locks"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildAtInstant:
    """A wheel that was built."""

    instant: Instant
    inputs: BuildInputs
    key: str
    """Under which it is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildsOfSdist:
    """The record of all builds of an sdist that differ in the instant alone."""

    builds: tuple[BuildAtInstant, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedBuild:
    """What requirements of builds resolve to at an instant."""

    releases: tuple[str, ...] | None
    """"name==version"; None where no wheels do."""
    files: tuple[str, ...] = ()
    """The hashes of their files."""


@dataclass(frozen=True, slots=True)
class SharedBuilds:
    """Wheels of the same sdist at other instants."""

    steps: Steps
    keys: Keys

    def find(self, request: EnvironmentRequest, sdist: LockedSdist) -> str | None:
        """The key of a wheel that was built from the same inputs as this one would be."""
        known = self._known(request, sdist).builds
        for build in sorted(known, key=lambda one: abs(one.instant - request.instant)):
            now = self._resolved(request, sdist, build.inputs)
            if now.releases != build.inputs.taken:
                continue
            if now == self._resolved(replace(request, instant=build.instant), sdist, build.inputs):
                return build.key
        return None

    def note(
        self, request: EnvironmentRequest, sdist: LockedSdist, inputs: BuildInputs | None, key: str
    ) -> None:
        """Say that the wheel ``key`` was built now. With the whole network it may have taken more."""
        if inputs is None or self.steps.network == "on":
            return
        build = BuildAtInstant(instant=request.instant, inputs=inputs, key=key)
        others = (one for one in self._known(request, sdist).builds if one.key != key)
        record = BuildsOfSdist(builds=(*others, build))
        self.steps.cache.write(_ROOM, self.keys.builds_of_sdist(request, sdist), record)

    def _known(self, request: EnvironmentRequest, sdist: LockedSdist) -> BuildsOfSdist:
        key = self.keys.builds_of_sdist(request, sdist)
        return self.steps.cache.read(BuildsOfSdist, _ROOM, key) or BuildsOfSdist()

    def _resolved(
        self, request: EnvironmentRequest, sdist: LockedSdist, inputs: BuildInputs
    ) -> ResolvedBuild:
        whose = request.build_requirements
        further = {line for name, line in whose if canonicalize_name(name) == sdist.name}
        lines = tuple(sorted({*inputs.stated, *inputs.names, *further}))
        cache, key = self.steps.cache, self.keys.build_requirements(request, lines)
        with cache.guard(key):
            resolved = cache.read(ResolvedBuild, _ROOM, key)
            if resolved is None:
                resolved = self._resolve(request, lines, cache.logs / f"{key}.resolve.log")
                if resolved.releases is not None:  # else the index may not have answered
                    cache.write(_ROOM, key, resolved)
            return resolved

    def _resolve(self, request: EnvironmentRequest, lines: tuple[str, ...], log: Path) -> ResolvedBuild:
        if not lines:
            return ResolvedBuild(releases=())
        output = self.steps.cache.clean / f"pylock.{uuid.uuid4().hex}.toml"
        with input_file("builds.in", "\n".join(lines) + "\n") as asked, build_files(request) as builds:
            arguments = uv.resolve_arguments(
                python=request.choice.interpreter.executable,
                instant=request.instant,
                cutoff_overrides=request.cutoff_overrides,
                index_url=self.steps.index_url,
                inputs=[str(asked)],
                constraints=[str(builds.limits)],
                output=output,
                build=False,
            )
            mounts = [shown(asked.parent), shown(builds.limits.parent)]
            step = self.steps.run(request, [shlex.join(arguments)], mounts, log, with_tree=False)
        try:
            found = locked_files(handed_over(output)) if step.ok else None
        except (StoredDataError, ConfigurationError):
            found = None
        finally:
            self.steps.cache.discard(output)
        if found is None:
            return ResolvedBuild(releases=None)
        hashes = {sha256 for files in found.values() for _, sha256 in files}
        releases = sorted(f"{name}=={version}" for name, version in found)
        return ResolvedBuild(releases=tuple(releases), files=tuple(sorted(hashes)))
