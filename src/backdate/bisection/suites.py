"""Running the tests in question in environments, in whatever thread; every run is kept in the cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.checking.recipe_run import service_plan
from backdate.checking.resources import Resources
from backdate.checking.result import Side
from backdate.checking.rights import given_rights
from backdate.environments.environment import Environment
from backdate.environments.inputs import EnvironmentRequest
from backdate.recipes.recipe import SuitePlan
from backdate.sandboxes.interface import Sandbox
from backdate.sandboxes.services.plan import ServicePlan
from backdate.serial import digest
from backdate.testing.outcomes import SuiteRun
from backdate.testing.several import run_plans
from backdate.testing.tracing import SeenError, Trace, TraceRequest, TracingSandbox, read_trace


@dataclass(frozen=True, slots=True)
class SideContext:
    """A side's tree, and the request of which every environment built there is a variation."""

    side: Side
    request: EnvironmentRequest


@dataclass(frozen=True, slots=True)
class ProbeEnvironment:
    """An environment that tests can be run in."""

    environment: Environment
    context: SideContext
    number: int
    """The folders of its logs begin with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenErrors:
    """What is kept of a run that was traced for errors."""

    errors: tuple[SeenError, ...]
    whole: bool
    """Whether the tests came to their end, and nothing else wrote into the trace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinesRun:
    """What is kept of a run that was traced for lines."""

    lines: tuple[tuple[str, int], ...]
    whole: bool
    """Whether the tests came to their end, and the trace is theirs and all of it."""


_FORMAT = 1
_LONGEST_TRACED_S = 180.0
"""Of a run that is traced: it takes longer than the same one otherwise."""
_LONGEST_OF_LINES_S = 90.0
"""Of one that is traced for the lines of a library."""


def plans_of(side: Side) -> tuple[SuitePlan, ...]:
    """How the tests of a side are run, one plan after the other."""
    return (side.recipe.test, *side.recipe.further_tests)


class Suites:
    """Runs ``tests``, each time in a fresh copy of the tree."""

    def __init__(self, resources: Resources, tests: Sequence[str], folder: Path) -> None:
        """``folder`` gets the logs."""
        self._resources, self._tests, self._folder = resources, tuple(tests), folder
        self._rights = given_rights(resources.settings)
        self._begun: list[Path] = []

    @property
    def ran(self) -> int:
        """Suites that were run, and not taken from the cache."""
        return len(self._begun)

    def run(self, probe: ProbeEnvironment, number: int) -> SuiteRun:
        """Run the tests for the ``number``-th time there, or take what was kept of that."""
        plans, request = plans_of(probe.context.side), probe.context.request
        inputs = (
            *("probe", probe.environment.key, request.digest, request.name, plans),
            *(self._tests, self._resources.limits, self._resources.sandbox.name),
            *self._services(probe).key,
            *self._rights.key,
        )
        return self._resources.run_cache.get_or_run(
            inputs, lambda: self._run(probe, self._tests, str(number)), repeat=number
        )

    def run_with_warnings(self, probe: ProbeEnvironment, tests: Sequence[str]) -> SuiteRun:
        """Run ``tests`` once more there, with every Python warning in the log."""
        return self._run(probe, tests, "warnings", python_warnings=True)

    def errors_seen(self, probe: ProbeEnvironment, tests: Sequence[str], files: Sequence[str]) -> SeenErrors:
        """The errors that reach lines of ``files`` while ``tests`` run there, or what was kept of that."""
        key = self._key_of_trace("errors-seen", probe, tests, files)
        kept = self._resources.cache.read(SeenErrors, "probes", key)
        if kept is None:
            asked = TraceRequest(files=dict.fromkeys(files, ()), errors=True)
            run, trace = self._traced(probe, tests, asked, f"errors-{key[:12]}", _LONGEST_TRACED_S)
            kept = SeenErrors(errors=trace.errors, whole=run.status == "completed" and not trace.spoiled)
            self._resources.cache.write("probes", key, kept)
        return kept

    def lines_run(self, probe: ProbeEnvironment, tests: Sequence[str], files: Sequence[str]) -> LinesRun:
        """Which lines of ``files``, by their paths below ``site-packages``, run while ``tests`` do, or what
        was kept of that."""
        key = self._key_of_trace("lines-run", probe, tests, files)
        kept = self._resources.cache.read(LinesRun, "probes", key)
        if kept is None:
            asked = TraceRequest(files=dict.fromkeys(files, ()))
            run, trace = self._traced(probe, tests, asked, f"lines-{key[:12]}", _LONGEST_OF_LINES_S)
            whole = run.status == "completed" and not trace.spoiled and not trace.lost
            kept = LinesRun(lines=tuple(sorted(trace.lines)), whole=whole)
            self._resources.cache.write("probes", key, kept)
        return kept

    def _key_of_trace(
        self, kind: str, probe: ProbeEnvironment, tests: Sequence[str], files: Sequence[str]
    ) -> str:
        request = probe.context.request
        return digest(
            *(kind, _FORMAT, probe.environment.key, request.digest, request.name),
            *(plans_of(probe.context.side), tuple(tests), tuple(files), self._resources.limits),
            *(self._resources.sandbox.name, *self._services(probe).key, *self._rights.key),
        )

    def _traced(
        self, probe: ProbeEnvironment, tests: Sequence[str], asked: TraceRequest, name: str, most_s: float
    ) -> tuple[SuiteRun, Trace]:
        folder = self._folder / f"{probe.number:02d}-trace-{name}"
        folder.mkdir(parents=True)
        traced = TracingSandbox(self._resources.sandbox, asked, folder)
        return self._run(probe, tests, name, sandbox=traced, most_s=most_s), read_trace(folder)

    def _run(
        self,
        probe: ProbeEnvironment,
        tests: Sequence[str],
        name: str,
        *,
        python_warnings: bool = False,
        sandbox: Sandbox | None = None,
        most_s: float | None = None,
    ) -> SuiteRun:
        limits = self._resources.limits
        folder = self._folder / f"{probe.number:02d}-{name}"
        self._begun.append(folder)
        return run_plans(
            sandbox or self._resources.sandbox,
            probe.environment,
            probe.context.request.tree,
            plans_of(probe.context.side),
            limits=limits if most_s is None else replace(limits, wall_s=min(limits.wall_s, most_s)),
            log_folder=folder,
            only=tests,
            python_warnings=python_warnings,
            at=probe.context.request.at,
            services=self._services(probe),
            network=self._rights.network,
            host_variables=self._rights.variables,
        )

    def _services(self, probe: ProbeEnvironment) -> ServicePlan:
        return service_plan(probe.context.side.recipe, probe.environment.base, self._resources)
