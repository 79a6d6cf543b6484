"""The two sides of one candidate: set up, built, run, each kept as soon as it is known.

What is kept is keyed by everything that it depends on. The old side does not depend on the target instant,
so that another target costs the new side alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from backdate.checking.means import means_of
from backdate.checking.own_frames import with_own_frames
from backdate.checking.recipe_run import DatedProject, Means, RecipeRun, build, run_tests
from backdate.checking.result import Side
from backdate.construction.disk import Uses
from backdate.construction.migration.setup_step import set_up_tree, settings_of
from backdate.construction.plan import FORMAT, BuildPlan, WorkerConfig
from backdate.construction.store import Store, keep, read_kept
from backdate.environments.cache import Cache
from backdate.environments.environment import BuildFailure, Environment, InterpreterChoice
from backdate.errors import MachineError
from backdate.projects.python_constraint import read_python_constraint, without_upper_bound
from backdate.projects.tree import tree_digest
from backdate.recipes.recipe import Recipe
from backdate.sandboxes.choose import choose_sandbox
from backdate.serial import digest
from backdate.testing.outcomes import SuiteRun
from backdate.timeline.instants import Instant
from backdate.version import __version__


@dataclass(slots=True, kw_only=True)
class JobContext:
    """What one job builds and runs with, and what that took."""

    plan: BuildPlan
    place: WorkerConfig
    store: Store
    scratch: Path
    uses: Uses
    means: Means
    seconds: dict[str, float] = field(default_factory=dict)
    """By "build", "test" and the like."""
    runs: int = 0

    @contextmanager
    def clock(self, what: str) -> Iterator[None]:
        """Note the time that passes within."""
        started = time.monotonic()
        try:
            yield
        finally:
            self.spend(what, time.monotonic() - started)

    def spend(self, what: str, seconds: float) -> None:
        """Note time that somebody else measured."""
        self.seconds[what] = self.seconds.get(what, 0.0) + seconds

    def prepare(
        self, ground: DatedProject, recipe: Recipe, choice: InterpreterChoice
    ) -> Environment | BuildFailure:
        """The environment, held until the job ends."""
        with self.clock("build"):
            for _ in range(3):
                built = build(recipe, ground, self.means, choice)
                if isinstance(built, BuildFailure) or self.uses.hold(built):
                    return built
        raise MachineError(f"the environment of {ground.name} is removed as often as it is built")

    def run(
        self,
        ground: DatedProject,
        environment: Environment,
        recipe: Recipe,
        *,
        only: tuple[str, ...] | None = None,
    ) -> SuiteRun:
        """One run of the suite in a fresh sandbox, with frames named by the tree's files."""
        with self.clock("test"):
            run = run_tests(recipe, ground, self.means, environment, log_folder=self.log_folder(), only=only)
        return with_own_frames(run, ground.tree)

    def log_folder(self) -> Path:
        """A new folder for the logs of a run; it goes with the job."""
        self.runs += 1
        return self.scratch / "runs" / f"{self.runs:03d}"

    def kept_run(self, key: str, number: int, make: Callable[[], SuiteRun]) -> SuiteRun:
        """The ``number``-th repeat under ``key``, run now unless it was run before."""
        name = f"runs/{digest('run', FORMAT, key, number)}"
        found = read_kept(self.store, SuiteRun, name)
        if found is None:
            found = make()
            keep(self.store, name, found)
        return found

    def live(self, ground: DatedProject, kept: Side) -> Environment | None:
        """The environment of a kept side on this machine: found in its cache, or built again."""
        if kept.environment is None:
            return None
        choice = self.means.interpreters.choose(
            ground.python_constraint, ground.instant, forced=kept.choice.interpreter.version
        )
        built = self.prepare(ground, kept.recipe, replace(kept.choice, interpreter=choice.interpreter))
        return built if isinstance(built, Environment) else None


@contextmanager
def open_bench(plan: BuildPlan, place: WorkerConfig, store: Store, scratch: Path) -> Iterator[JobContext]:
    """A bench for one job. Raises SandboxUnavailable."""
    sandbox = choose_sandbox(plan.sandbox)
    sandbox.require()
    cache = Cache(place.cache)
    with Uses(cache) as uses:
        yield JobContext(
            plan=plan,
            place=place,
            store=store,
            scratch=scratch,
            uses=uses,
            means=means_of(settings_of(plan, cache), cache, sandbox),
        )


def old_ground(name: str, tree: Path, instant: Instant, version_hint: str | None) -> DatedProject:
    """The tree as it is, at the old instant."""
    return DatedProject(
        name=name,
        tree=tree,
        digest=tree_digest(tree),
        instant=instant,
        python_constraint=read_python_constraint(tree),
        version_hint=version_hint,
    )


def new_ground(name: str, tree: Path, instant: Instant, version_hint: str | None) -> DatedProject:
    """An unpinned tree at the new instant: what it said about interpreters does not bound it any more."""
    ground = old_ground(name, tree, instant, version_hint)
    return replace(ground, python_constraint=without_upper_bound(ground.python_constraint))


def old_key(plan: BuildPlan, ground: DatedProject) -> str:
    """Equal for old sides that mean the same; the target instant is no part of it."""
    return digest("old side", *_asked(plan, ground), plan.setup_attempts, plan.setup_rounds)


def new_key(plan: BuildPlan, ground: DatedProject, recipe: Recipe) -> str:
    """Equal for new sides that mean the same."""
    return digest("new side", *_asked(plan, ground), recipe)


def _asked(plan: BuildPlan, ground: DatedProject) -> tuple[object, ...]:
    return (
        *(
            FORMAT,
            __version__,
            ground.digest,
            ground.name,
            ground.version_hint,
            ground.instant,
            ground.python_constraint,
        ),
        *(plan.sandbox, plan.index_url, plan.test_limits, plan.build_limits),
        *(("apt",) if plan.apt else ()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _StoredSide:
    """A side in the store; None: there was nothing to try."""

    side: Side | None


def set_up_old(bench: JobContext, ground: DatedProject) -> Side | None:
    """The old side, set up until its tests pass or as well as it went; None when there was nothing to try.

    Raises InterpreterMissing.
    """
    name = f"sides/{old_key(bench.plan, ground)}"
    found = read_kept(bench.store, _StoredSide, name)
    if found is not None:
        return found.side
    done = set_up_tree(ground, bench.plan, bench.means, bench.log_folder())
    side = None
    if done is not None:
        for carried in done.tried:
            bench.spend("build", carried.build_s)
            bench.spend("test", carried.run.duration_s if carried.run is not None else 0.0)
            if carried.environment is not None:
                bench.uses.hold(carried.environment)
        side = _side(ground, done.recipe_run, done.repairs)
    keep(bench.store, name, _StoredSide(side=side))
    return side


def run_new(bench: JobContext, ground: DatedProject, recipe: Recipe) -> Side:
    """The new side by the old side's recipe. Raises InterpreterMissing."""
    name = f"sides/{new_key(bench.plan, ground, recipe)}"
    found = read_kept(bench.store, Side, name)
    if found is not None:
        return found
    choice = bench.means.interpreters.choose(ground.python_constraint, ground.instant)
    built = bench.prepare(ground, recipe, choice)
    side = Side(instant=ground.instant, choice=choice, recipe=recipe)
    if isinstance(built, Environment):
        side = replace(side, environment=built, run=bench.run(ground, built, recipe))
    else:
        side = replace(side, failure=built)
    keep(bench.store, name, side)
    return side


def _side(ground: DatedProject, carried: RecipeRun, repairs: tuple[str, ...]) -> Side:
    return Side(
        instant=ground.instant,
        choice=carried.choice,
        recipe=carried.recipe,
        compromise="; ".join(repairs),
        environment=carried.environment,
        failure=carried.failure,
        run=None if carried.run is None else with_own_frames(carried.run, ground.tree),
    )
