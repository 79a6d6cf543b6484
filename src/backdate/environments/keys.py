"""What makes two environments, or two resolutions, the same: the keys that they are kept under."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backdate.environments import uv
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.lock_wheels import LockedSdist
from backdate.environments.steps import Steps
from backdate.serial import digest

_FORMAT = 7
_RECORD_FORMAT = 2
"""Of environments that pip made; format 1 named the installer otherwise."""
"""Part of every key: raise it when what is made from the same inputs changes."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of what is made by ``steps``."""

    steps: Steps

    def resolution(self, request: EnvironmentRequest, content: str) -> str:
        """Of what ``request`` resolves to; ``content``: the digest of what is read of the tree."""
        return digest("resolution", _FORMAT, uv.uv_version(), *self._asked(request, content))

    def whole(
        self, request: EnvironmentRequest, pylock: str, content: str | None, builds: Sequence[object] = ()
    ) -> str:
        """Of one folder with all that ``pylock`` names. ``content``: the tree's digest, if built from.
        ``builds``: what decides what is built of sdists."""
        interpreter = request.choice.interpreter
        return digest(
            *("environment", _FORMAT, interpreter.version, str(interpreter.executable)),
            *(pylock, content),
            *(("builds", *builds) if builds else ()),
            *request.build_variations,
            *self.base(request),
        )

    def layered(self, request: EnvironmentRequest, below: str, project: str, content: str) -> tuple[str, str]:
        """Of an environment with what the lock ``project`` names on top of that with the key ``below``; and
        of what all trees share whose packaging inputs are ``content``."""
        shared = (_FORMAT, below, project, sorted(request.version_variables.items()))
        return (
            digest("environment in layers", *shared, request.digest),
            digest("project layer", *shared, content),
        )

    def built_wheel(self, request: EnvironmentRequest, sdist: LockedSdist) -> str:
        """Of the wheel that ``sdist`` is built into for ``request``.

        What its build requires is resolved at the instant.
        """
        return digest("built wheel", *self._of_build(request, sdist), *self.instant(request))

    def builds_of_sdist(self, request: EnvironmentRequest, sdist: LockedSdist) -> str:
        """Of all wheels that ``sdist`` is built into at any instant, with all else as ``request`` asks."""
        return digest("builds of an sdist", *self._of_build(request, sdist))

    def build_requirements(self, request: EnvironmentRequest, lines: Sequence[str]) -> str:
        """Of what the requirements ``lines`` of builds resolve to for ``request``."""
        return digest("build requirements", *self._for_builds(request), *lines, *self.instant(request))

    def instant(self, request: EnvironmentRequest) -> tuple[object, ...]:
        """Of what is cut when."""
        return (request.instant, request.cutoff_overrides)

    def _of_build(self, request: EnvironmentRequest, sdist: LockedSdist) -> tuple[object, ...]:
        return (sdist.name, sdist.version, sdist.sha256, *self._for_builds(request))

    def _for_builds(self, request: EnvironmentRequest) -> tuple[object, ...]:
        """What decides how sdists are built, besides the instant."""
        interpreter = request.choice.interpreter
        return (
            *(_FORMAT, uv.uv_version(), interpreter.version, str(interpreter.executable)),
            self.steps.index_url,
            *request.build_variations,
            *self.base(request),
        )

    def by_pip(self, request: EnvironmentRequest) -> str:
        """Of what a pip of the time makes of ``request``."""
        files = sorted((one.name, one.version, sorted(one.hashes)) for one in request.allowed_files)
        asked = (*self._asked(request, request.digest), *(("files", files) if files else ()))
        return digest("environment by pip", _FORMAT, _RECORD_FORMAT, *asked)

    def base(self, request: EnvironmentRequest) -> tuple[object, ...]:
        """What every key holds of the system that is built in; nothing for this machine's own."""
        key = self.steps.base_key(request)
        base = () if key is None else ("base", key)
        return (*base, "open network, repositories at the instant") if self.steps.open_network else base

    def _asked(self, request: EnvironmentRequest, content: str) -> tuple[object, ...]:
        """All that a resolution is a function of, besides the resolver; ``content``: what of the tree."""
        interpreter = request.choice.interpreter
        return (
            *(interpreter.version, str(interpreter.executable)),
            *(request.instant, request.cutoff_overrides, self.steps.index_url),
            *(request.steps, content, request.name, request.version_variables),
            *([request.constraints] if request.constraints else []),
            *([("resolution", request.resolution)] if request.resolution != "highest" else []),
            *request.build_variations,
            *self.base(request),
        )
