"""The two sides of a check as a pair: one recipe run at both instants, proven on the old one where needed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from backdate.checking.compare import compare_runs, count_outcomes, is_proven
from backdate.checking.dated_project import DatedProject, choose, dated_project
from backdate.checking.question import Question
from backdate.checking.recipe_run import RecipeRun, notes_of, request_for
from backdate.checking.repeated import NOT_REPEATED, RepeatedTests
from backdate.checking.result import (
    BrokenPlugin,
    BrokenTools,
    CheckResult,
    Comparison,
    Obstacle,
    OlderPython,
    Side,
    Verdict,
)
from backdate.checking.same_packages import has_same_packages
from backdate.checking.side_runner import SideRunner, what_is_lacking
from backdate.checking.starting_recipes import StartingRecipe, StartingRecipes, keep_proven
from backdate.checking.verdict import decide, is_unresolved
from backdate.environments.environment import InterpreterChoice
from backdate.environments.inputs import EnvironmentRequest
from backdate.progress import Activity
from backdate.projects.project import Origin, Project
from backdate.sandboxes.threads import in_threads

if TYPE_CHECKING:
    from backdate.projects.locked_versions import LockedVersions

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class SidePair:
    """Both sides of a project. The trees have to stay where they are for as long as the pair is used."""

    origin: Origin
    old_project: DatedProject
    new_project: DatedProject
    """The tree as it is, or the unpinned copy, whose ``python_constraint`` has no upper bound."""
    question: Question = Question.LIFTED
    old: Side
    """Its environment, where it has one, has to exist: nothing is built for it again."""
    new: Side
    notes: tuple[str, ...] = ()
    """Where the recipe comes from, when that is not the project's own files, and what else is to be known."""

    older_python: OlderPython | None = None
    """The new side with the old one's interpreter, where that was tried."""
    broken_plugin: BrokenPlugin | None = None
    """The new side without a plugin of pytest that hid what its tests say."""
    broken_tools: BrokenTools | None = None
    """Test tools that hid it, where ``new`` is what users get."""
    repeated: RepeatedTests = NOT_REPEATED
    """What came of running tests again."""

    @cached_property
    def comparison(self) -> Comparison | None:
        """The tests of the two sides; None unless both ran."""
        if self.old.run is None or self.new.run is None:
            return None
        return compare_runs(self.old.run, self.new.run, self.repeated)

    @property
    def old_request(self) -> EnvironmentRequest:
        """What the old side's environment was asked for with."""
        return _request(self.old, self.old_project)

    @property
    def new_request(self) -> EnvironmentRequest:
        """What the new side's environment was asked for with."""
        return _request(self.new, self.new_project)


def pair_of_check(checked: CheckResult, trees: Path, locked: LockedVersions | None = None) -> SidePair:
    """The sides of a check that kept its trees in ``trees``. ``locked``: what its old side was held to."""

    def dated(name: str, side: Side) -> DatedProject:
        root = trees / name / "tree"
        return dated_project(Project(name=checked.project, root=root, origin=checked.origin), side.instant)

    return SidePair(
        origin=checked.origin,
        question=checked.question,
        old=checked.old,
        new=checked.new,
        old_project=replace(dated("old", checked.old), locked=locked),
        new_project=dated("new", checked.new),
        notes=checked.notes,
        repeated=checked.repeated,
        broken_tools=checked.broken_tools,
    )


def verdict_of(pair: SidePair) -> tuple[Verdict, str]:
    """The verdict of a check of the two sides, and one sentence that says why."""
    return decide(
        pair.old,
        pair.new,
        pair.comparison,
        pair.older_python,
        pair.broken_plugin,
        pair.question,
        pair.broken_tools,
    )


def _request(side: Side, dated: DatedProject) -> EnvironmentRequest:
    base = side.environment.base if side.environment is not None else None
    return replace(request_for(side.recipe, dated, side.choice), base=base)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRun:
    """What became of the recipe on a new side."""

    side: SideRunner
    run: RecipeRun
    obstacle: Obstacle | None = None
    """None also where nobody has looked yet."""


@dataclass(slots=True, kw_only=True)
class _OldRun:
    """What became of the old side so far."""

    start: StartingRecipe
    run: RecipeRun
    lack: str = ""
    """Why another recipe was sought."""
    repairs: tuple[str, ...] = ()
    changed: bool = False
    """Whether it has another recipe than the first."""


def run_sides(
    project: Project,
    old_side: SideRunner,
    begin_new: Sequence[Callable[[], SideRunner]],
    starting: StartingRecipes,
    on_new_failures: Callable[[], object] = lambda: None,
) -> tuple[SidePair, ...]:
    """The old side with each of the new ones, all with one recipe: the first of ``starting``, unless that
    tests little on the old side.

    Then the old side is set up as ``backdate setup`` does it, and all sides use the recipe that was found. A
    new side that does not build with that recipe is repaired as far as building goes. ``begin_new``: the new
    sides, for which the old one does not wait; one that would get the packages and the interpreter of the
    first has its pair. Two sides run at a time. ``on_new_failures``: see ``check_project``.
    """
    first = starting.starts[0]
    choice = choose(first.recipe, old_side.dated, old_side.resources.interpreters, first.python)
    begin = [_once(partial(_begun, make, choice)) for make in begin_new]
    old, new_runs = _run_first(first, old_side, begin, on_new_failures)
    old.lack = what_is_lacking(old.run.run)
    if old.lack:
        _set_up_old(old, old_side, starting)
    if old_side.resources.settings.store and is_proven(old.run.run) and old_side.dated.locked is None:
        keep_proven(project, old.run, old_side.dated.instant, old_side.resources)
    pairs: list[SidePair] = []
    for number in range(len(begin)):
        side = begin[number]()
        if old.changed and old.run.environment is not None:
            side = _beside(side, old.run.choice)
            same = number and has_same_packages(begin[0](), side, old.run.recipe)
            from backdate.checking.repair_limits import run_as_proven

            run = None if same else run_as_proven(old.start.recipe, old.run, side)
            new_runs[number] = None if run is None else NewRun(side=side, run=run)
        new, told = new_runs[number], starting
        if new is not None and old.start.origin == "store" and not old.changed:
            from backdate.checking.repair_limits import note_of_limits, run_as_stored

            written = [start.recipe for start in starting.starts if start.origin != "store"]
            run = run_as_stored(written, old.run, new.run, new.side)
            if run is not new.run:
                new = NewRun(side=new.side, run=run)
                told = starting.with_notes((note_of_limits(run.recipe),))
        if new is None and pairs[0].broken_tools is not None:  # only what users get is run with older tools
            new = NewRun(side=side, run=side.run_new(old.run.recipe, side.folder))
        pairs.append(pairs[0] if new is None else _pair(project, old_side, old, new, told))
    return tuple(pairs)


def _run_first(
    first: StartingRecipe,
    old_side: SideRunner,
    begin: Sequence[Callable[[], SideRunner]],
    on_new_failures: Callable[[], object],
) -> tuple[_OldRun, dict[int, NewRun | None]]:
    """``first`` on all sides, two at a time; by their numbers what became of it on the new ones, None for one
    that would get what the first new one has."""

    def run_new(number: int) -> NewRun | None:
        side = begin[number]()
        if number and has_same_packages(begin[0](), side, first.recipe):
            return None
        run = side.run_new(first.recipe, side.folder)
        obstacle = side.obstacle(run)  # while the old side, which nothing stops, is still tested
        if obstacle is not None or count_outcomes(run.run).failed:
            on_new_failures()
        return NewRun(side=side, run=run, obstacle=obstacle)

    old_runs: list[RecipeRun] = []
    new_runs: dict[int, NewRun | None] = {}
    in_threads(
        [
            lambda: old_runs.append(old_side.run_starting(first)),
            *(
                lambda number=number: new_runs.update({number: run_new(number)})
                for number in range(len(begin))
            ),
        ],
        name="side",
        in_turn=True,  # the old side takes longest as a rule
    )
    return _OldRun(start=first, run=old_runs[0]), new_runs


def _once(make: Callable[[], T]) -> Callable[[], T]:
    """``make``, called once for all threads."""
    lock, made = threading.Lock(), list[T]()

    def get() -> T:
        with lock:
            if not made:
                made.append(make())
            return made[0]

    return get


def _begun(make: Callable[[], SideRunner], old: InterpreterChoice) -> SideRunner:
    return _beside(make(), old)


def _beside(side: SideRunner, old: InterpreterChoice) -> SideRunner:
    """``side`` with the interpreter that the old one has now."""
    return replace(side, beside=old)


def _set_up_old(old: _OldRun, old_side: SideRunner, starting: StartingRecipes) -> None:
    """Seek a recipe with which more of the old side's tests pass."""
    text = f"{old.lack} with the first recipe: trying others and repairs"
    old_side.progress.report(Activity(text=text))
    attempt = old_side.set_up(starting.starts, old.run)
    if attempt is not None and attempt.recipe_run is not old.run:
        old.run, old.repairs, old.changed = attempt.recipe_run, attempt.repairs, True
        old.start = starting.starts[attempt.record.candidate - 1]


def _pair(
    project: Project, old_side: SideRunner, old: _OldRun, new_run: NewRun, starting: StartingRecipes
) -> SidePair:
    """The old side with one new one."""
    new_side, new, obstacle, repairs = new_run.side, new_run.run, new_run.obstacle, old.repairs
    unresolved = new_side.question is Question.DECLARED and is_unresolved(
        new.failure, obstacle or new_side.obstacle(new)
    )
    if new.failure is not None and old.run.run is not None and not unresolved:
        repaired = new_side.repair_build(new, old.run)
        if repaired is not None:
            new, repairs, obstacle = repaired.recipe_run, (*repairs, *repaired.repairs), None
    notes = list(starting.notes)
    if old.start.origin == "store":
        notes.append(f"the recipe is from the {old.start.source}")
    first = starting.starts[0]
    if old.start is not first:
        notes.append(
            f"{old.lack} with the first recipe ({first.source}); this one is from {old.start.source}"
        )
    old_side.report_end(old.run)
    new_side.report_end(new)
    finished_old = old_side.finished(old.run, old.repairs)
    finished_new, tools = new_side.finished(new, repairs, obstacle), None
    if finished_new.obstacle is not None and new_side.question is Question.DECLARED:
        from backdate.checking.suite_tools import note_of_tools, run_without_broken_tools

        finished_new, tools, new_side = run_without_broken_tools(finished_old, finished_new, new_side)
        notes += [note_of_tools(tools)] if tools is not None and tools.instead else []
    return SidePair(
        origin=project.origin,
        question=new_side.question,
        old_project=old_side.dated,
        new_project=new_side.dated,
        old=finished_old,
        new=finished_new,
        notes=tuple(notes),
        older_python=_with_older_python(finished_old, finished_new, new_side),
        broken_plugin=_without_broken_plugin(finished_old, finished_new, new_side),
        broken_tools=tools,
    )


def _without_broken_plugin(old: Side, new: Side, new_side: SideRunner) -> BrokenPlugin | None:
    """The new side without the plugin of pytest that hides its tests; None where none does, or in vain."""
    if new.obstacle is None or new.run is None or new.environment is None or old.run is None:
        return None
    if new.recipe.test.runner != "pytest" or not count_outcomes(old.run).passed:
        return None
    from backdate.checking.broken_plugin import plugin_at_fault, without_plugin

    fault = plugin_at_fault(new.run, new.environment)
    if fault is None:
        return None
    name = fault.plugin.name
    text = f"the plugin {name} of pytest does not work on the new side: trying without it"
    new_side.progress.report(Activity(text=text))
    for options in (True, False):  # what it adds to the command line may be among the project's own options
        recipe = without_plugin(new.recipe, name, options=options)
        folder = new_side.folder / ("without-plugin" if options else "without-plugin-and-options")
        side = new_side.finished(new_side.run_new(recipe, folder, new.choice))
        if side.run is not None and count_outcomes(side.run).passed:
            return BrokenPlugin(
                name=name,
                distribution=fault.plugin.distribution,
                line=fault.line,
                side=side,
                comparison=compare_runs(old.run, side.run),
            )
    return None


def _with_older_python(old: Side, new: Side, new_side: SideRunner) -> OlderPython | None:
    """The new side with the old one's interpreter; None where all builds or they do not differ."""
    if new.obstacle is None or old.run is None:
        return None
    what = "the project itself" if new.obstacle.own_build else new.obstacle.unbuilt
    if not what:
        return None
    if new.choice.interpreter.version == old.choice.interpreter.version or new_side.dated.python is not None:
        return None
    version = old.choice.interpreter.version
    text = f"{what} does not build on the new side: trying Python {version} there"
    new_side.progress.report(Activity(text=text))
    recipe_run = new_side.run_new(old.recipe, new_side.folder / "older-python", old.choice)
    side = new_side.finished(recipe_run)
    return OlderPython(side=side, comparison=None if side.run is None else compare_runs(old.run, side.run))


def collect_notes(old: Side, new: Side) -> tuple[str, ...]:
    """Repairs, substitutes, cutoff overrides, weaker protections and suspicions, each in a sentence."""
    of_old, of_new = (
        [
            *([side.compromise] if side.compromise else []),
            *notes_of(side.recipe, side.choice, side.environment, side.run),
        ]
        for side in (old, new)
    )
    alike = [note for note in of_old if note in of_new]
    notes = [f"{'both sides' if note in alike else 'old side'}: {note}" for note in of_old]
    notes += [f"new side: {note}" for note in of_new if note not in alike]
    return tuple(dict.fromkeys(notes))
