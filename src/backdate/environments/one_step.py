"""Environments that are made in as few steps as their sdists allow (``wheels_alone.py``).

Where the resolver meets an sdist whose metadata only a build tells, that sdist is built, by itself as always,
and the step is begun again with what its wheel says. So the resolver never runs foreign code, its lock is the
index's word, and each sdist is built once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.environments.built_metadata import BuiltSdist, read_built
from backdate.environments.built_wheels import BuiltWheels
from backdate.environments.environment import BuildFailure
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.lock_wheels import LockedSdist, WheelFile
from backdate.environments.named_requirements import NamedRequirements
from backdate.environments.prefetch import prefetch
from backdate.environments.progress import OneStepEnded
from backdate.environments.steps import Steps
from backdate.environments.wheels_alone import OneStep, install_wheels_alone
from backdate.progress import StageReporter
from backdate.sandboxes.threads import both

_MOST_BUILDS = 3
"""Each is met after the one before: of more of them the ordinary steps build several at a time."""


@dataclass(frozen=True, slots=True)
class OneStepInstaller:
    """Resolves and installs what is asked for by name alone."""

    steps: Steps
    built_wheels: BuiltWheels

    def make(
        self,
        request: EnvironmentRequest,
        asked: NamedRequirements,
        root: Path | None,
        log: Path,
        stages: StageReporter,
        known: Sequence[BuiltSdist] = (),
    ) -> OneStep:
        """The movable environment at ``root``, or as much of the way to it as was gone.

        ``known``: what was built before. Without a root what is ``asked`` is resolved alone. Why an
        environment is not made is reported. Raises as ``Builder.prepare`` does.
        """
        built = list(known)
        while True:
            stages.enter("resolving")
            more = len(built) - len(known)
            made = install_wheels_alone(self.steps, request, asked, root, log, built, try_uv=not more)
            if made.end is None:
                seen = (incident for one in built for incident in one.wheel.incidents)
                return replace(made, incidents=tuple(seen))
            sdist = made.needed
            if root is not None:
                self.steps.cache.discard(root)
                stages.progress.report(
                    OneStepEnded(
                        subject=stages.subject,
                        reason=made.end,
                        distribution=f"{sdist.name} {sdist.version}" if sdist else "",
                    )
                )
            if sdist is None or more == _MOST_BUILDS or any(one.sdist == sdist for one in built):
                return made
            stages.enter("building")
            wheel = self._wheel_of(request, asked, built, sdist, log)
            met = read_built(sdist, wheel) if isinstance(wheel, WheelFile) else None
            if met is None:
                return made
            built.append(met)

    def _wheel_of(
        self,
        request: EnvironmentRequest,
        asked: NamedRequirements,
        built: Sequence[BuiltSdist],
        sdist: LockedSdist,
        log: Path,
    ) -> WheelFile | BuildFailure | None:
        """See ``BuiltWheels.wheel_of``; while it is built the wheels of the others are downloaded."""
        if self.built_wheels.is_settled(request, sdist):
            return self.built_wheels.wheel_of(request, sdist)
        beside = log.with_name(f"{log.name.partition('.')[0]}.prefetch.log")
        wheel, _ = both(
            lambda: self.built_wheels.wheel_of(request, sdist),
            lambda: prefetch(self.steps, request, asked, tuple(built), sdist, beside),
            name="build",
        )
        return wheel
