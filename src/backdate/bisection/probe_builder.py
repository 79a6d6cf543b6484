"""Resolving and building for a bisection. What fails is kept in the cache, so that it is not tried again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from backdate.environments import uv
from backdate.environments.build import Builder
from backdate.environments.environment import BuildFailure, BuildPhase, Environment, Lock
from backdate.environments.inputs import EnvironmentRequest
from backdate.recipes.repair.builds import tool_limits
from backdate.serial import digest

T = TypeVar("T", bound=Lock | Environment)

_FORMAT = 2
"""Part of every key of a kept failure: raise it when what is kept changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeFailure:
    """An environment that could not be had for a bisection."""

    phase: BuildPhase
    """The step that failed, or the limit that it met."""
    message: str

    @property
    def summary(self) -> str:
        """What failed."""
        return f"does not {self.phase}"

    @property
    def text(self) -> str:
        """What failed, and why."""
        return f"{self.summary}: {self.message}"


def probe_failure(failure: BuildFailure) -> ProbeFailure:
    """``failure`` without the machine's paths."""
    return ProbeFailure(phase=failure.phase, message=failure.message)


class ProbeBuilder:
    """Builds environments, or returns the reason why there is none. Safe to share between threads."""

    def __init__(self, builder: Builder, *, by_pip: bool = False) -> None:
        """``by_pip``: uv did not resolve the sides of the check either, so that a pip of the time builds what
        it does not resolve, to see what is in it."""
        self.builder, self.by_pip = builder, by_pip
        self._builds, self._counting = 0, threading.Lock()
        self._limits: dict[str, tuple[str, ...]] = {}

    @property
    def builds(self) -> int:
        """Environments that were built, or tried to be, and not taken from the cache."""
        return self._builds

    def count_build(self) -> None:
        """One more was built, or tried to be."""
        with self._counting:
            self._builds += 1

    def limits_of(self, environment: Environment) -> tuple[str, ...]:
        """What was kept back in the builds of ``environment``, which were not to be had without that."""
        return self._limits.get(environment.key, ())

    def resolve(self, request: EnvironmentRequest, *, older_tools: bool = True) -> Lock | ProbeFailure:
        """What ``request`` resolves to; nothing is built but ``by_pip``. ``older_tools``: see ``build``."""
        return self._with_older_tools(request, self._resolve) if older_tools else self._resolve(request)

    def build(self, request: EnvironmentRequest, *, older_tools: bool = True) -> Environment | ProbeFailure:
        """The environment that ``request`` asks for.

        ``older_tools``: an old release that the build tools of the instant do not build gets the older ones
        that the log asks for; whether the tools broke it is another question than what its tests say.
        """
        return self._with_older_tools(request, self._build) if older_tools else self._build(request)

    def _with_older_tools(
        self, request: EnvironmentRequest, make: Callable[[EnvironmentRequest], T | ProbeFailure]
    ) -> T | ProbeFailure:
        made: T | ProbeFailure = make(request)
        if not isinstance(made, ProbeFailure):
            return made
        limits = tuple(sorted({*request.build_constraints, *tool_limits(made.message)[0].values()}))
        if set(limits) == set(request.build_constraints):
            return made
        again = make(replace(request, build_constraints=limits))
        if isinstance(again, Environment):
            self._limits[again.key] = limits
        return made if isinstance(again, ProbeFailure) else again

    def _resolve(self, request: EnvironmentRequest) -> Lock | ProbeFailure:
        key = self._failure_key("resolve", request)
        failed = self.builder.cache.read(ProbeFailure, "probes", key)
        if failed is None:
            resolution = self.builder.resolve(request)
            if not isinstance(resolution, BuildFailure):
                return resolution.lock
            failed = self._keep(key, resolution)
        if not self.by_pip or failed.phase != "resolve":
            return failed
        built = self._build(request)
        return built.lock if isinstance(built, Environment) else built

    def _build(self, request: EnvironmentRequest) -> Environment | ProbeFailure:
        key = self._failure_key("install", request)
        failed = self.builder.cache.read(ProbeFailure, "probes", key)
        if failed is not None:
            return failed
        built = self.builder.prepare(request)
        if isinstance(built, Environment):
            if not built.reused:
                self.count_build()
            return built
        self.count_build()
        return self._keep(key, built)

    def _keep(self, key: str, failure: BuildFailure) -> ProbeFailure:
        """Remember a failure, except one that an idle or larger machine might not have had."""
        failed = probe_failure(failure)
        if failure.phase in ("resolve", "install"):
            self.builder.cache.write("probes", key, failed)
        return failed

    def _failure_key(self, step: str, request: EnvironmentRequest) -> str:
        interpreter = request.choice.interpreter
        return digest(
            *("failed", step, _FORMAT, uv.uv_version(), interpreter.version, str(interpreter.executable)),
            *(request.instant, request.steps, request.digest, request.name, request.version_variables),
            *(request.constraints, *request.build_variations, self.builder.index_url),
        )
