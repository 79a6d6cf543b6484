"""Resolving and building for a bisection. What fails is remembered, so that it is not tried again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from backdate.environments import uv
from backdate.environments.build import Builder
from backdate.environments.environment import BuildFailure, Environment, Lock
from backdate.environments.inputs import EnvironmentRequest
from backdate.recipes.repair.builds import tool_limits
from backdate.serial import digest

T = TypeVar("T", bound=Lock | Environment)

_FORMAT = 1
"""Part of every key of a kept failure: raise it when what is kept changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failed:
    """Kept where an environment does not resolve or install."""

    message: str


def words_of(failure: BuildFailure) -> str:
    """What is said of a failure: which step failed, and why."""
    return f"does not {failure.phase}: {failure.message}"


class ProbeBuilder:
    """Makes environments, or says in a sentence why there is none; in several threads at once if need be."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
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

    def resolve(self, request: EnvironmentRequest, *, older_tools: bool = True) -> Lock | str:
        """What ``request`` resolves to; nothing is built. ``older_tools``: see ``build``."""
        return self._with_older_tools(request, self._resolve) if older_tools else self._resolve(request)

    def build(self, request: EnvironmentRequest, *, older_tools: bool = True) -> Environment | str:
        """The environment that ``request`` asks for.

        ``older_tools``: an old release that the build tools of the instant do not build gets the older ones
        that the log asks for; whether the tools broke it is another question than what its tests say.
        """
        return self._with_older_tools(request, self._build) if older_tools else self._build(request)

    def _with_older_tools(
        self, request: EnvironmentRequest, make: Callable[[EnvironmentRequest], T | str]
    ) -> T | str:
        made: T | str = make(request)
        if not isinstance(made, str):
            return made
        limits = tuple(sorted({*request.build_constraints, *tool_limits(made)[0].values()}))
        if set(limits) == set(request.build_constraints):
            return made
        again = make(replace(request, build_constraints=limits))
        if isinstance(again, Environment):
            self._limits[again.key] = limits
        return made if isinstance(again, str) else again

    def _resolve(self, request: EnvironmentRequest) -> Lock | str:
        key = self._failure_key("resolve", request)
        failed = self.builder.cache.read(_Failed, "probes", key)
        if failed is not None:
            return failed.message
        resolution = self.builder.resolve(request)
        return self._keep(key, resolution) if isinstance(resolution, BuildFailure) else resolution.lock

    def _build(self, request: EnvironmentRequest) -> Environment | str:
        key = self._failure_key("install", request)
        failed = self.builder.cache.read(_Failed, "probes", key)
        if failed is not None:
            return failed.message
        built = self.builder.prepare(request)
        if isinstance(built, Environment):
            if not built.reused:
                self.count_build()
            return built
        self.count_build()
        return self._keep(key, built)

    def _keep(self, key: str, failure: BuildFailure) -> str:
        """Remember a failure, but for one that a quieter or larger machine might not have had."""
        message = words_of(failure)
        if failure.phase in ("resolve", "install"):
            self.builder.cache.write("probes", key, _Failed(message=message))
        return message

    def _failure_key(self, step: str, request: EnvironmentRequest) -> str:
        interpreter = request.choice.interpreter
        return digest(
            *("failed", step, _FORMAT, uv.uv_version(), interpreter.version, str(interpreter.executable)),
            *(request.instant, request.steps, request.digest, request.name, request.version_variables),
            *(request.constraints, *request.build_variations, self.builder.index_url),
        )
