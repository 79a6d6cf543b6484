"""``check --lowest``: whether the lower bounds that a project declares are true.

The tests are run on the lowest interpreter that the project allows, with the newest versions and with the
lowest. Only what the project itself declares with a lower bound is held low; everything else (the tests'
tools, what it declares without a bound, what others require) is as new as that allows.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from packaging.requirements import Requirement

from backdate.checking.compare import compare_runs
from backdate.checking.dated_project import DatedProject, dated_project
from backdate.checking.own_instants import own_instants
from backdate.checking.recipe_run import RecipeRun, notes_of, with_own_frames
from backdate.checking.resources import Resources, require_new_folder
from backdate.checking.result import Breakage, Side
from backdate.checking.starting_recipes import starting_recipes
from backdate.environments import uv
from backdate.environments.environment import Environment
from backdate.errors import NoTests
from backdate.index.page import IndexFile
from backdate.lowest.bounds import (
    Bounded,
    ReadRequirements,
    between,
    declared_at,
    releases,
    sort_requirements,
    with_lower_bound,
)
from backdate.lowest.declared import project_requirements
from backdate.lowest.lifting import LowestPins, lifted_bound, lowest_pins, suspects_first
from backdate.lowest.newest import NewestRun, conflict_on, loosen_test_requirements, newest_run
from backdate.lowest.result import DeclaredBound, FalseBound, FalsePython, LowestResult, LowestVerdict
from backdate.lowest.search import BoundSearch, FoundBound
from backdate.lowest.trials import Trials
from backdate.progress import NO_PROGRESS, Activity, Reporter
from backdate.projects.project import Project
from backdate.serial import to_json, write_whole
from backdate.text import counted, minor_version, plural
from backdate.timeline.instants import Instant, current_instant, now, require_past
from backdate.version import __version__

MOST_RUNS = 60
"""Runs of the tests with held versions at most."""


def check_lowest(
    resources: Resources,
    source: str | Path,
    *,
    to_instant: Instant | None = None,
    python: str | None = None,
    keep: Path | None = None,
    progress: Reporter = NO_PROGRESS,
) -> LowestResult:
    """Whether the tests of the project that ``source`` names pass with the lowest versions that it declares.

    ``to_instant``: the index is as of then; None for what settings say, else now. ``python``: "3.9" for the
    lowest interpreter that the project allows. ``keep``: where logs and result are kept, a folder that is
    empty or not there yet. Raises UsageError for a source that cannot be had or has no tests, MachineError
    for what this machine lacks.
    """
    started, clock, keep = now(), time.monotonic(), keep or resources.settings.keep
    if keep is not None:
        require_new_folder(keep)
    latest = require_past(to_instant or current_instant())
    with tempfile.TemporaryDirectory(prefix="backdate-") as temporary:
        work = Path(temporary)
        progress.report(Activity(text=f"opening {source}"))
        project = resources.open_project(source, work / "declared", before=latest)
        instant = require_past(to_instant or own_instants(project, resources.settings).new or latest)
        dated = dated_project(project, instant, python=python)
        starting = starting_recipes(project, dated, resources)
        if not starting.starts:
            raise NoTests("no tests were found in the project: only they can tell whether a bound is true")
        tree = work / "loosened" / project.name
        tree.parent.mkdir()
        loosen_test_requirements(project.root, tree, [one.recipe for one in starting.starts])
        dated = dated_project(replace(project, root=tree), instant, python=python)
        folder = resources.run_folder(f"lowest-{project.name}", started, keep)
        newest = newest_run(dated, starting, resources, folder, progress)
        walk = _Walk(project, dated, resources, folder, progress, newest)
        result = walk.result(started)
    result = replace(result, duration_s=time.monotonic() - clock)
    write_whole(folder / "result.json", to_json(result, indent=2))
    return result


@dataclass(slots=True)
class _Walk:
    """From the run with the newest versions to the answer."""

    project: Project
    dated: DatedProject
    resources: Resources
    folder: Path
    progress: Reporter
    newest: NewestRun
    notes: list[str] = field(default_factory=list)
    pages: dict[str, tuple[IndexFile, ...]] = field(default_factory=dict)
    declared_in: tuple[str, ...] = ()
    """The requirement files that say what is required; empty where the metadata do."""

    def result(self, started: Instant) -> LowestResult:
        tried = self.newest.recipe_run or self.newest.tried
        assert tried is not None
        self.notes += notes_of(tried.recipe, tried.choice, tried.environment, tried.run)
        if self.newest.not_here:
            self.notes.append(
                f"not on this machine, and lower: Python {', '.join(self.newest.not_here)}; "
                f"Python {minor_version(tried.choice.interpreter.version)} was taken"
            )
        result = LowestResult(
            backdate=__version__,
            uv=uv.uv_version(),
            project=self.project.name,
            origin=self.project.origin,
            verdict=LowestVerdict.CANNOT_TELL,
            reason="no test passes with the newest versions either",
            instant=self.dated.instant,
            python=tried.choice.interpreter.version,
            newest=self._side(tried),
            started=started,
            duration_s=0.0,
            folder=self.folder,
        )
        if self.newest.recipe_run is not None:
            result = self._with_bounds(result, self.newest.recipe_run)
        return replace(result, notes=tuple(dict.fromkeys(self.notes)))

    def _with_bounds(self, result: LowestResult, newest: RecipeRun) -> LowestResult:
        stated = project_requirements(self.project.root, newest.recipe, newest.environment)
        if stated is None:
            reason = "what the project requires is neither in its metadata nor in a requirements.txt"
            return replace(result, reason=reason)
        declared, self.declared_in = stated.texts, stated.files
        read = sort_requirements(declared, newest.choice.interpreter.version)
        if read.elsewhere:
            self.notes.append(
                f"for other interpreters or platforms, and not tested: {', '.join(read.elsewhere)}"
            )
        result = replace(
            result,
            unbounded=read.unbounded,
            false_python=self._false_python(newest, declared),
            failing_newest=_failing(newest),
        )
        if not read.bounded:
            return _decided(replace(result, reason=stated.why_nothing_is_bounded()), nothing_bounded=True)
        assert newest.run is not None
        trials = Trials(
            recipe=newest.recipe,
            dated=self.dated,
            resources=self.resources,
            choice=newest.choice,
            newest=newest.run,
            newest_versions={
                one.name: one.version
                for one in (newest.environment.lock.distributions if newest.environment is not None else ())
            },
            bounded=read.bounded,
            folder=self.folder,
            progress=self.progress,
        )
        self.progress.report(Activity(text="resolving the lowest versions that are declared"))
        low = lowest_pins(trials, read.bounded, self._files)
        if low.conflict:
            result = replace(result, conflict=low.conflict, bounds=self._bounds(read, low, None))
            return _decided(result)
        return self._searched(result, read, low, trials)

    def _searched(
        self, result: LowestResult, read: ReadRequirements, low: LowestPins, trials: Trials
    ) -> LowestResult:
        lowest = trials.recipe_run(low.pins)
        search = BoundSearch(
            trial=trials,
            versions=lambda name, above, to: between(self._versions(read, name), above, to),
            order=suspects_first(list(low.pins), _errors(lowest)),
            most_trials=MOST_RUNS,
        )
        remaining = search.run(low.pins) or frozenset()
        false = [self._unbuildable(read, low), [self._false(read, one, lowest) for one in search.found]]
        within = trials.lowest_within(search.state) if search.found else None
        proof = None if within is None else trials.recipe_run(within)
        broke: tuple[Breakage, ...] = ()
        if lowest.run is not None:
            broke = compare_runs(trials.newest, with_own_frames(lowest.run, self.dated.tree)).breakages
        if search.exhausted and remaining:
            self.notes.append(f"the search ended after {MOST_RUNS} runs")
        environment = lowest.environment or (proof.environment if proof is not None else None)
        self.notes += notes_of(lowest.recipe, lowest.choice, lowest.environment, lowest.run)
        result = replace(
            result,
            lowest=self._side(lowest),
            proof=None if proof is None else self._side(proof),
            bounds=self._bounds(read, low, environment),
            false_bounds=tuple(one for part in false for one in part),
            broke=broke,
            remaining=tuple(sorted(remaining)),
            runs=len(trials.runs),
        )
        return _decided(result)

    def _false_python(self, newest: RecipeRun, declared: Sequence[str]) -> FalsePython | None:
        """The interpreter that is allowed and for which something that is required has no release."""
        constraint = self.dated.python_constraint
        if constraint.kind != "requires" or not self.newest.rejected:
            return None
        for rejected in reversed(self.newest.rejected):
            minor = minor_version(rejected.choice.interpreter.version)
            conflict = conflict_on(rejected, self.dated, self.resources, declared)
            if conflict:
                return FalsePython(
                    declared=constraint.specifier or "",
                    fails=minor,
                    passes=minor_version(newest.choice.interpreter.version),
                    conflict=conflict,
                )
            self.notes.append(
                f"what is declared can be installed on Python {minor}, but too few tests pass there with "
                "the newest versions: what the tests need may not be for it any more"
            )
        return None

    def _files(self, name: str) -> tuple[IndexFile, ...]:
        if name not in self.pages:
            self.pages[name] = self.resources.index.project_page(name).files
        return self.pages[name]

    def _versions(self, read: ReadRequirements, name: str) -> tuple[str, ...]:
        specifier = next(one.specifier for one in read.bounded if one.name == name)
        return releases(self._files(name), specifier, self.dated.instant)

    def _bounds(
        self, read: ReadRequirements, low: LowestPins, environment: Environment | None
    ) -> tuple[DeclaredBound, ...]:
        return tuple(self._bound(one, low, environment) for one in read.bounded)

    def _bound(self, one: Bounded, low: LowestPins, environment: Environment | None) -> DeclaredBound:
        versions = releases(self._files(one.name), one.specifier, self.dated.instant)
        lowest, tested = versions[0] if versions else "", low.pins.get(one.name, "")
        file, line = declared_at(self.project.root, one, self.declared_in)
        return DeclaredBound(
            distribution=one.name,
            requirement=one.text,
            lowest=lowest,
            tested=tested,
            lifted=lifted_bound(
                one.name,
                lowest,
                tested,
                raised=low.raised,
                files=self._files(one.name),
                environment=environment,
                python=self.newest.recipe_run.choice.interpreter.version if self.newest.recipe_run else "",
            ),
            file=file,
            line=line,
        )

    def _false(self, read: ReadRequirements, found: FoundBound, lowest: RecipeRun) -> FalseBound:
        declared = next(one for one in read.bounded if one.name == found.name)
        file, line = declared_at(self.project.root, declared, self.declared_in)
        error_type, error_message = _first_error(lowest, found.mended)
        return FalseBound(
            distribution=found.name,
            requirement=declared.text,
            fails=found.fails,
            passes=found.passes,
            true_requirement=with_lower_bound(Requirement(declared.text), found.passes),
            tests=tuple(sorted(found.mended)),
            error_type=error_type,
            error_message=error_message,
            skipped=found.skipped,
            together_with=found.together_with,
            file=file,
            line=line,
        )

    def _unbuildable(self, read: ReadRequirements, low: LowestPins) -> list[FalseBound]:
        """The bounds whose lowest versions cannot be installed at all."""
        false = []
        for raised in low.raised:
            if raised.by_tests:
                continue
            declared = next(one for one in read.bounded if one.name == raised.name)
            file, line = declared_at(self.project.root, declared, self.declared_in)
            false.append(
                FalseBound(
                    distribution=raised.name,
                    requirement=declared.text,
                    fails=raised.fails,
                    passes=raised.passes,
                    true_requirement=with_lower_bound(Requirement(declared.text), raised.passes),
                    tests=(),
                    error_type="cannot be installed",
                    error_message=raised.conflict,
                    file=file,
                    line=line,
                )
            )
        return false

    def _side(self, recipe_run: RecipeRun) -> Side:
        from backdate.checking.side_runner import side_of

        return side_of(self.dated, recipe_run)


def _decided(result: LowestResult, *, nothing_bounded: bool = False) -> LowestResult:
    """``result`` with its verdict and one sentence that says why."""
    false = len(result.false_bounds)
    if result.conflict:
        reason = f"the lowest versions that are declared cannot be installed together: {result.conflict}"
        return replace(result, verdict=LowestVerdict.NOT_TRUE, reason=reason)
    reasons = []
    if result.false_python is not None:
        reasons.append(f"what is required cannot be installed on Python {result.false_python.fails}")
    if false:
        bounds = "is 1 lower bound that is" if false == 1 else f"are {false} lower bounds that are"
        reasons.append(f"there {bounds} not true")
    if result.remaining:
        reasons.append(f"{counted(len(result.remaining), 'test')} fail for which no bound is to blame")
    if reasons:
        return replace(result, verdict=LowestVerdict.NOT_TRUE, reason="; ".join(reasons))
    if nothing_bounded:
        return replace(result, verdict=LowestVerdict.CANNOT_TELL)
    checked = len(result.bounds) - len(result.lifted)
    reason = (
        f"every test that passes with the newest versions passes with the lowest: {counted(checked, 'bound')}"
    )
    if result.lifted:
        reason += f"; {len(result.lifted)} could not be tested at the lowest, as something lifted them"
    if result.failing_newest:
        failing = len(result.failing_newest)
        reason += f"; {counted(failing, 'test')} {plural(failing, 'fails', 'fail')} with the newest too"
    return replace(result, verdict=LowestVerdict.TRUE, reason=reason)


def _failing(newest: RecipeRun) -> tuple[str, ...]:
    """The tests that fail with the newest versions."""
    results = newest.run.results if newest.run is not None else ()
    return tuple(sorted(result.id for result in results if result.outcome.bad))


def _errors(recipe_run: RecipeRun) -> str:
    """All that the errors of a run say, for finding names in it."""
    if recipe_run.failure is not None:
        return recipe_run.failure.message
    if recipe_run.run is None:
        return ""
    raised = [error for result in recipe_run.run.results for error in result.raised]
    frames = (frame.file.rpartition("site-packages/")[2] for error in raised for frame in error.frames)
    return "\n".join([*(error.message for error in raised), *frames])


def _first_error(recipe_run: RecipeRun, tests: frozenset[str]) -> tuple[str, str]:
    from backdate.checking.error_identity import normalised_line
    from backdate.recipes.repair.telling import raised_line, telling_line

    if recipe_run.failure is not None:
        return "cannot be built", telling_line(recipe_run.failure.message)
    for result in recipe_run.run.results if recipe_run.run is not None else ():
        if result.raised and (result.id in tests or result.outcome.bad):
            error = result.raised[-1]
            line = normalised_line(raised_line(error.type, error.message))  # without the environment's folder
            kind, colon, message = line.partition(": ")
            return (kind, message) if colon and kind.isidentifier() else ("", line)
    return "", ""
