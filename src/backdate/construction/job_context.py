"""What a job that sets projects up works with: its resources, what it holds, what it keeps and spends."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from backdate.checking.cpu_time import cpu_time_s
from backdate.checking.dated_project import DatedProject
from backdate.checking.recipe_run import build, run_tests, service_plan, with_own_frames
from backdate.checking.resources import Resources
from backdate.checking.result import Side
from backdate.checking.run_cache import RunCache
from backdate.construction.disk import Uses
from backdate.construction.plan import FORMAT, BuildPlan, WorkerConfig
from backdate.construction.store import Store, keep, read_kept
from backdate.environments.environment import BuildFailure, Environment, InterpreterChoice
from backdate.errors import MachineError
from backdate.recipes.recipe import Recipe
from backdate.testing.outcomes import SuiteRun
from backdate.version import __version__


def cpu_of(what: str) -> str:
    """Under which name the processor time of a step is kept, beside its time on the clock."""
    return f"{what} cpu"


@dataclass(slots=True, kw_only=True)
class JobContext:
    """The tools of one job, and the time that its steps take."""

    plan: BuildPlan
    config: WorkerConfig
    store: Store
    scratch: Path
    uses: Uses
    resources: Resources
    seconds: dict[str, float] = field(default_factory=dict)
    """By "build", "test" and the like, and by ``cpu_of`` these."""
    runs: int = 0

    @contextmanager
    def clock(self, what: str) -> Iterator[None]:
        """Record the time that the block takes, and the processor time."""
        started, computed = time.monotonic(), cpu_time_s()
        try:
            yield
        finally:
            self.spend(what, time.monotonic() - started)
            self.spend(cpu_of(what), cpu_time_s() - computed)

    def spend(self, what: str, seconds: float) -> None:
        """Record time that is measured elsewhere."""
        self.seconds[what] = self.seconds.get(what, 0.0) + seconds

    def prepare(
        self, dated: DatedProject, recipe: Recipe, choice: InterpreterChoice
    ) -> Environment | BuildFailure:
        """The environment, held until the job ends."""
        with self.clock("build"):
            for _ in range(3):
                built = build(recipe, dated, self.resources, choice)
                if isinstance(built, BuildFailure) or self.uses.hold(built):
                    return built
        raise MachineError(f"the environment of {dated.name} is removed as often as it is built")

    def run(
        self,
        dated: DatedProject,
        environment: Environment,
        recipe: Recipe,
        *,
        only: tuple[str, ...] | None = None,
    ) -> SuiteRun:
        """One run of the suite in a fresh sandbox, with frames named by the tree's files."""
        with self.clock("test"):
            run = run_tests(
                recipe, dated, self.resources, environment, log_folder=self.log_folder(), only=only
            )
        return with_own_frames(run, dated.tree)

    def services(self, recipe: Recipe, environment: Environment) -> tuple[object, ...]:
        """What a run is a function of besides ``recipe``: the services that are started, with versions."""
        return service_plan(recipe, environment.base, self.resources).key

    def log_folder(self) -> Path:
        """A new folder for the logs of a run; it goes with the job."""
        self.runs += 1
        return self.scratch / "runs" / f"{self.runs:03d}"

    @property
    def run_cache(self) -> RunCache:
        """Suite runs of this job and of earlier ones, on any machine."""
        return RunCache(_StoredRuns(self.store))

    def with_environment_here(self, dated: DatedProject, side: Side) -> Side | None:
        """``side`` with its environment on this machine, from the cache or built again; None if it fails."""
        if side.environment is None:
            return None
        choice = self.resources.interpreters.choose(
            dated.python_constraint, dated.instant, forced=side.choice.interpreter.version
        )
        built = self.prepare(dated, side.recipe, replace(side.choice, interpreter=choice.interpreter))
        if isinstance(built, BuildFailure):
            return None
        return replace(side, environment=built, choice=built.choice)


class _StoredRuns:
    """Suite runs in the store of a build, which its workers share."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def read(self, key: str) -> SuiteRun | None:
        return read_kept(self._store, SuiteRun, f"runs/{key}")

    def write(self, key: str, run: SuiteRun) -> None:
        keep(self._store, f"runs/{key}", run)


@contextmanager
def open_context(plan: BuildPlan, config: WorkerConfig, store: Store, scratch: Path) -> Iterator[JobContext]:
    """The tools of one job. Raises SandboxUnavailable."""
    with Resources(plan.settings(config.cache)) as resources, Uses(resources.cache) as uses:
        yield JobContext(
            plan=plan,
            config=config,
            store=store,
            scratch=scratch,
            uses=uses,
            resources=resources,
        )


def asked_of(plan: BuildPlan, dated: DatedProject) -> tuple[object, ...]:
    """What every side is a function of, whatever it is set up by."""
    return (
        *(
            FORMAT,
            __version__,
            dated.digest,
            dated.name,
            dated.version_hint,
            dated.instant,
            dated.python_constraint,
        ),
        *(plan.sandbox, plan.index_url, plan.test_limits, plan.build_limits),
        *(("apt",) if plan.apt else ()),
        *(("open network",) if plan.build_network else ()),
        *(() if plan.services else ("no services",)),
    )
