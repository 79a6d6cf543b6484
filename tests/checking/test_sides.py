"""Which recipe both sides of a check get, over fake environments."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from fake_setups import (
    INSTANT,
    FakeLoopBackend,
    carried,
    choice,
    failure,
    packages_of,
    ran,
    recipe,
    repaired,
    start,
)

from backdate.checking import broken_plugin, side_runner, sides
from backdate.checking.broken_plugin import InstalledPlugin, PluginFault
from backdate.checking.dated_project import DatedProject
from backdate.checking.obstacles import obstacle_of
from backdate.checking.question import Question
from backdate.checking.recipe_run import RecipeRun
from backdate.checking.recipe_store import FILE, RecipeStore
from backdate.checking.resources import Resources
from backdate.checking.result import BrokenTools, Obstacle, Verdict
from backdate.checking.settings import Settings
from backdate.checking.side_runner import SideRunner, what_is_lacking
from backdate.checking.sides import SidePair, run_sides, verdict_of
from backdate.checking.starting_recipes import StartingRecipe, StartingRecipes
from backdate.checking.verdict import decide
from backdate.environments.build import Builder
from backdate.environments.cache import Cache
from backdate.environments.environment import BuildFailure, InterpreterChoice
from backdate.progress import NO_PROGRESS
from backdate.projects.project import Origin, Project
from backdate.projects.python_constraint import PythonConstraint
from backdate.recipes.extraction import Extraction
from backdate.recipes.recipe import InstallStep, Provenance, Recipe
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.sandboxes.threads import command_started
from backdate.testing.outcomes import SuiteRun

Ends = Callable[[Recipe], BuildFailure | SuiteRun]


class Interpreters:
    def __init__(self) -> None:
        self.python = "3.8.18"

    def choose(self, *given: object, **named: object) -> InterpreterChoice:
        return choice(self.python)

    def choose_for(self, *given: object, **named: object) -> InterpreterChoice:
        return choice()

    def usable_at(self, *given: object) -> tuple[str, ...]:
        return ()


class World:
    """``old`` and ``new`` say what comes of a recipe on each side; ``repairs`` what is proposed on both."""

    def __init__(
        self, tmp_path: Path, old: Ends, new: Ends, repairs: Callable[[Recipe], list[Repair]]
    ) -> None:
        self.ends = {"old": old, "new": new}
        self.repairs = repairs
        self.done: list[tuple[str, set[str]]] = []
        self.interpreters = Interpreters()
        (tmp_path / "old").mkdir()
        (tmp_path / "new").mkdir()
        python_constraint = PythonConstraint(specifier=None, kind="none", rule="nothing")
        dated = DatedProject(
            name="p",
            tree=tmp_path / "old",
            digest="0" * 64,
            instant=INSTANT,
            python_constraint=python_constraint,
        )
        origin = Origin(kind="git", location="https://host/p", revision="1" * 40)
        self.project = Project(name="p", root=tmp_path / "old", origin=origin)
        self.cache = Cache(tmp_path / "cache")
        resources = Resources(
            Settings(cache=self.cache.folder),
            builder=Builder(self.cache, None),  # type: ignore[arg-type]
            interpreters=self.interpreters,  # type: ignore[arg-type]
        )
        self.old = SideRunner(
            name="old",
            dated=dated,
            resources=resources,
            folder=tmp_path / "logs" / "old",
            progress=NO_PROGRESS,
        )
        later = replace(dated, tree=tmp_path / "new", instant=INSTANT.replace(year=2023))
        self.new = replace(
            self.old, name="new", dated=later, folder=tmp_path / "logs" / "new", moves_python=True
        )

    def run_recipe(self, one: Recipe, dated: DatedProject, *given: object, **named: object) -> RecipeRun:
        side = dated.tree.name
        self.done.append((side, packages_of(one)))
        chosen = named.get("choice")
        # Both sides run at once: what one was asked for is not told of the other.
        asked = chosen if isinstance(chosen, InterpreterChoice) else choice()
        with named.get("testing", nullcontext()):  # type: ignore[attr-defined]
            command_started()
            recipe_run = carried(one, self.ends[side](one))
        return replace(recipe_run, choice=asked)

    def bench(self, *, dated: DatedProject, **named: object) -> FakeLoopBackend:
        side = dated.tree.name
        bench = FakeLoopBackend(self.ends[side], lambda trouble, one: self.repairs(one))  # type: ignore[arg-type]
        bench.dated = dated  # type: ignore[attr-defined]
        bench.says = lambda one, python: self.run_recipe(one, dated) and self.ends[side](one)  # type: ignore[assignment]
        bench.done.append((recipe("known"), ""))
        return bench


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[SidePair, World]]:
    def make(
        starts: list[StartingRecipe],
        old: Ends,
        new: Ends,
        repairs: Callable[[Recipe], list[Repair]] = lambda one: [],
        newest: str = "3.8.18",
    ) -> tuple[SidePair, World]:
        world = World(tmp_path, old, new, repairs)
        world.interpreters.python = newest
        monkeypatch.setattr(side_runner, "run_recipe", world.run_recipe)
        monkeypatch.setattr("backdate.checking.loop_backend.ProjectBackend", world.bench)
        starting = StartingRecipes(starts=tuple(starts), extraction=Extraction(candidates=(), skipped=()))
        return run_sides(world.project, world.old, [lambda: world.new], starting)[0], world

    return make


def good(one: Recipe) -> SuiteRun:
    return ran(passed=5)


def test_the_first_recipe_serves_both_sides(both: Callable[..., tuple[SidePair, World]]) -> None:
    found, world = both([start(recipe("a==1")), start(recipe("b"))], good, good)
    assert packages_of(found.old.recipe) == {"a==1"}
    assert packages_of(found.new.recipe) == {"a"}
    assert found.notes == ()
    assert sorted(side for side, _ in world.done) == ["new", "old"]


def test_a_proven_recipe_is_kept(both: Callable[..., tuple[SidePair, World]]) -> None:
    _, world = both([start(recipe("a"))], good, good)
    stored = RecipeStore(world.cache.folder / FILE).nearest("git:host/p", INSTANT)
    assert stored is not None
    assert packages_of(stored.recipe) == {"a"}


def test_one_that_is_not_proven_is_not_kept(both: Callable[..., tuple[SidePair, World]]) -> None:
    _, world = both([start(recipe("a"))], lambda one: ran(passed=1, failed=1), good)
    assert not (world.cache.folder / FILE).exists()


def test_where_no_test_passes_the_old_side_is_set_up_and_both_have_what_came_of_it(
    both: Callable[..., tuple[SidePair, World]],
) -> None:
    def old(one: Recipe) -> BuildFailure | SuiteRun:
        return ran(passed=5) if "x" in packages_of(one) else failure("No module named x")

    def repairs(one: Recipe) -> list[Repair]:
        return [repaired(recipe("a", "x"), "missing module")]

    found, _ = both([start(recipe("a"))], old, good, repairs)
    assert packages_of(found.old.recipe) == packages_of(found.new.recipe) == {"a", "x"}
    assert found.old.compromise == found.new.compromise == "missing module: it was seen"
    assert found.old.run is not None
    assert found.new.run is not None


def test_where_most_files_cannot_be_collected_the_old_side_is_set_up_too(
    both: Callable[..., tuple[SidePair, World]],
) -> None:
    def old(one: Recipe) -> BuildFailure | SuiteRun:
        missing = "ModuleNotFoundError: No module named 'x'"
        return ran(passed=99) if "x" in packages_of(one) else ran(passed=6, not_collected=16, error=missing)

    found, _ = both(
        [start(recipe("a"))], old, good, lambda one: [repaired(recipe("a", "x"), "missing module")]
    )
    assert packages_of(found.old.recipe) == packages_of(found.new.recipe) == {"a", "x"}
    assert found.old.compromise == "missing module: it was seen"


@pytest.mark.parametrize(
    ("outcomes", "lacking"),
    [
        ({"passed": 19, "failed": 1}, ""),
        ({"passed": 19, "failed": 1, "skipped": 30}, ""),
        ({"passed": 1, "failed": 9}, "only 1 of 10 tests pass"),
        ({"passed": 9, "status": "timeout", "failed": 1}, ""),
        (
            {"passed": 1, "failed": 1, "not_collected": 2},
            "only 1 of 2 tests pass and 2 files cannot be collected",
        ),
        ({"failed": 1}, "no test passes"),
    ],
)
def test_what_is_lacking(outcomes: dict[str, object], lacking: str) -> None:
    assert what_is_lacking(ran(**outcomes)) == lacking  # type: ignore[arg-type]


def test_another_recipe_is_tried_where_whole_files_are_lost(
    both: Callable[..., tuple[SidePair, World]],
) -> None:
    def old(one: Recipe) -> BuildFailure | SuiteRun:
        return ran(passed=400) if packages_of(one) == {"b"} else ran(passed=300, not_collected=7)

    found, _ = both([start(recipe("a"), "tox"), start(recipe("b"), "the metadata")], old, good)
    assert packages_of(found.old.recipe) == {"b"}
    assert "only 300 of 300 tests pass and 7 files cannot be collected" in found.notes[0]


def test_another_recipe_is_tried_where_a_tenth_of_the_tests_fails(
    both: Callable[..., tuple[SidePair, World]],
) -> None:
    def old(one: Recipe) -> BuildFailure | SuiteRun:
        return ran(passed=10) if packages_of(one) == {"b"} else ran(passed=9, failed=1)

    found, _ = both([start(recipe("a"), "tox"), start(recipe("b"), "the metadata")], old, good)
    assert packages_of(found.old.recipe) == packages_of(found.new.recipe) == {"b"}
    assert "only 9 of 10 tests pass with the first recipe (tox)" in found.notes[0]


def test_another_candidate_is_named(both: Callable[..., tuple[SidePair, World]]) -> None:
    def old(one: Recipe) -> BuildFailure | SuiteRun:
        return ran(passed=5) if packages_of(one) == {"b"} else ran(failed=2)

    found, _ = both([start(recipe("a"), "tox"), start(recipe("b"), "the metadata")], old, good)
    assert packages_of(found.new.recipe) == {"b"}
    assert "tox" in found.notes[0]
    assert "the metadata" in found.notes[0]


def test_a_new_side_that_does_not_build_is_repaired_and_one_that_fails_is_not(
    both: Callable[..., tuple[SidePair, World]],
) -> None:
    def new(one: Recipe) -> BuildFailure | SuiteRun:
        return failure("no headers") if "bad" in packages_of(one) else ran(failed=5)

    found, world = both(
        [start(recipe("a", "bad"))], good, new, lambda one: [repaired(recipe("a"), "left out")]
    )
    assert packages_of(found.old.recipe) == {"a", "bad"}
    assert packages_of(found.new.recipe) == {"a"}
    assert found.new.run is not None
    assert found.new.compromise == "left out: it was seen"
    assert found.old.compromise == ""
    assert [side for side, _ in world.done].count("new") == 2


def test_where_nothing_helps_the_failure_is_told(both: Callable[..., tuple[SidePair, World]]) -> None:
    found, _ = both([start(recipe("a"))], lambda one: failure("never"), good)
    assert found.old.failure is not None
    assert found.old.run is None


OWN_BUILD = """\
  \u00d7 Failed to build `p @ file:///work/p`
  \u251c\u2500\u25b6 The build backend returned an error
  \u2570\u2500\u25b6 Call to `setuptools.build_meta.build_wheel` failed (exit status: 1)
      src/p.cpp:12:5: error: 'PyFrameObject' has no member named 'f_code'
      error: command '/usr/bin/g++' failed with exit code 1
"""


@pytest.mark.parametrize("broke", [0, 2])
def test_a_project_that_does_not_build_on_the_new_side_broke_and_the_old_interpreter_is_tried(
    both: Callable[..., tuple[SidePair, World]], broke: int
) -> None:
    builds = []

    def new(one: Recipe) -> BuildFailure | SuiteRun:
        builds.append(one)
        return failure(OWN_BUILD) if len(builds) < 2 else ran(passed=5 - broke, failed=broke)

    found, _ = both([start(recipe("a"))], good, new, newest="3.12.1")
    assert found.new.obstacle is not None
    assert found.new.obstacle.own_build
    assert found.older_python is not None
    assert found.older_python.side.choice.interpreter.version == "3.8.18"
    verdict, reason = decide(found.old, found.new, found.comparison, found.older_python)
    assert verdict is Verdict.BROKE
    assert "does not build with the new packages on Python 3.12.1: src/p.cpp:12:5: error: " in reason
    assert ("2 tests that passed fail" if broke else "nothing broke") in reason


@pytest.mark.parametrize("broke", [0, 2])
def test_a_requirement_that_the_new_interpreter_keeps_from_building_broke(
    both: Callable[..., tuple[SidePair, World]], broke: int
) -> None:
    log = OWN_BUILD.replace("p @ file:///work/p", "lxml==4.0")
    builds = []

    def new(one: Recipe) -> BuildFailure | SuiteRun:
        builds.append(one)
        return failure(log) if len(builds) < 2 else ran(passed=5 - broke, failed=broke)

    found, _ = both([start(recipe("a"))], good, new, newest="3.12.1")
    assert found.new.obstacle is not None
    assert not found.new.obstacle.own_build
    verdict, reason = decide(found.old, found.new, found.comparison, found.older_python)
    assert verdict is Verdict.BROKE
    assert reason.startswith("lxml 4.0, which it requires, does not build on Python 3.12.1: src/p.cpp:12:5: ")
    assert "Python 3.8.18, where all builds, " in reason
    assert reason.endswith("2 tests that passed fail" if broke else "nothing broke")


def test_a_requirement_that_builds_with_no_interpreter_says_nothing_of_the_project(
    both: Callable[..., tuple[SidePair, World]],
) -> None:
    log = OWN_BUILD.replace("p @ file:///work/p", "lxml==1.0")
    found, _ = both([start(recipe("a"))], good, lambda one: failure(log), newest="3.12.1")
    assert found.older_python is not None
    verdict, reason = decide(found.old, found.new, found.comparison, found.older_python)
    assert verdict is Verdict.CANNOT_TELL
    assert reason.startswith("the new environment does not build (install): src/p.cpp:12:5: error: ")


def test_what_stood_in_the_way_is_looked_for_once_a_side_and_while_the_old_one_is_tested(
    both: Callable[..., tuple[SidePair, World]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    known = threading.Event()

    def noting(recipe_run: RecipeRun, dated: DatedProject, resources: Resources, *, is_old: bool) -> Obstacle:
        asked.append(dated.tree.name)
        known.set()
        return obstacle_of(recipe_run, dated, resources, is_old=is_old)

    def slow(one: Recipe) -> SuiteRun:
        assert known.wait(60), "the old side ends after that of the new one is known"
        return good(one)

    monkeypatch.setattr("backdate.checking.obstacles.obstacle_of", noting)
    found, _ = both([start(recipe("a"))], slow, lambda one: ran(passed=0, failed=5))
    assert asked == ["new"]
    assert found.new.obstacle is not None


def test_what_stood_in_the_way_of_the_old_side_is_told(
    both: Callable[..., tuple[SidePair, World]],
) -> None:
    found, _ = both([start(recipe("a"))], lambda one: ran(failed=2, error="KeyError: 'API_KEY'"), good)
    obstacle = found.old.obstacle
    assert obstacle is not None
    assert (obstacle.error, obstacle.line) == (ErrorClass.NEEDS_SECRET, "KeyError: 'API_KEY'")
    assert obstacle.help
    verdict, reason = decide(found.old, found.new, found.comparison)
    assert verdict is Verdict.CANNOT_TELL
    assert reason == "no test passes in the old environment: KeyError: 'API_KEY'"


def test_what_stood_in_the_way_is_told_where_nearly_all_of_the_old_side_fails(
    both: Callable[..., tuple[SidePair, World]],
) -> None:
    few = partial(ran, passed=1, not_collected=36, error="locale.Error: unsupported locale setting")
    found, _ = both([start(recipe("a"))], lambda one: few(), lambda one: few())
    obstacle = found.old.obstacle
    assert obstacle is not None
    assert (obstacle.error, obstacle.line) == (
        ErrorClass.MISSING_HEADER,
        "locale.Error: unsupported locale setting",
    )
    assert obstacle.help.startswith("run with --apt as root")
    assert found.new.obstacle is None
    verdict, reason = decide(found.old, found.new, found.comparison)
    assert verdict is Verdict.CANNOT_TELL
    assert reason.startswith(
        "only 1 of 37 tests passes in the old environment: locale.Error: unsupported locale setting; "
    )


@pytest.mark.parametrize("broke", [0, 1])
def test_a_plugin_that_hides_the_tests_of_the_new_side_is_left_out_and_both_are_told(
    both: Callable[..., tuple[SidePair, World]], monkeypatch: pytest.MonkeyPatch, broke: int
) -> None:
    plugin = InstalledPlugin(name="old", module="pytest_old", distribution="pytest-old")
    fault = PluginFault(plugin=plugin, line="ImportError: no x")
    monkeypatch.setattr(broken_plugin, "plugin_at_fault", lambda run, environment: fault)

    def new(one: Recipe) -> BuildFailure | SuiteRun:
        hidden = "no:old" not in one.test.arguments or "addopts=" not in one.test.arguments
        return ran(status="broken") if hidden else ran(passed=5 - broke, failed=broke)

    found, _ = both([start(recipe("a"))], good, new)
    assert found.broken_plugin is not None
    assert found.broken_plugin.side.recipe.test.arguments == ("-p", "no:old", "-o", "addopts=")
    verdict, reason = decide(found.old, found.new, found.comparison, None, found.broken_plugin)
    assert verdict is Verdict.BROKE
    assert reason.startswith("the plugin old of pytest (pytest-old) does not work on the new side")
    assert reason.endswith(
        "without it 1 test that passed fails" if broke else "without it nothing else broke"
    )


@pytest.mark.parametrize(
    ("passing_without", "passing_with", "taken"),
    [(1, 5, {"a<4"}), (1, 1, {"a"}), (5, 5, {"a"}), (3, 2, {"a"})],
)
def test_what_only_a_repair_of_the_old_side_holds_back_is_no_breakage_of_the_window(
    both: Callable[..., tuple[SidePair, World]], passing_without: int, passing_with: int, taken: set[str]
) -> None:
    """The limit is kept on the new side where that makes more tests pass, and tried only where some fail."""

    def old(one: Recipe) -> BuildFailure | SuiteRun:
        return ran(passed=5) if "a<4" in packages_of(one) else ran(failed=5)

    def new(one: Recipe) -> BuildFailure | SuiteRun:
        passing = passing_with if "a<4" in packages_of(one) else passing_without
        return ran(passed=passing, failed=5 - passing)

    found, world = both([start(recipe("a"))], old, new, lambda one: [repaired(recipe("a<4"), "held back")])
    assert packages_of(found.new.recipe) == taken
    tried = [packages for side, packages in world.done if side == "new"]
    assert ({"a<4"} in tried) == (passing_without < 5)


@pytest.mark.parametrize(
    ("passing_without", "passing_with", "taken"),
    [(1, 5, {"a<4"}), (1, 1, {"a"}), (5, 5, {"a"}), (3, 2, {"a"})],
)
def test_it_is_none_either_where_the_repair_was_made_before(
    both: Callable[..., tuple[SidePair, World]], passing_without: int, passing_with: int, taken: set[str]
) -> None:
    """A recipe from the store gets the verdict that the check got which repaired it."""

    def new(one: Recipe) -> BuildFailure | SuiteRun:
        passing = passing_with if "a<4" in packages_of(one) else passing_without
        return ran(passed=passing, failed=5 - passing)

    stored = replace(start(recipe("a<4")), origin="store")
    found, world = both([stored, start(recipe("a"))], good, new)
    assert packages_of(found.new.recipe) == taken
    assert any("tests need a<4 on both sides" in note for note in found.notes) == (taken == {"a<4"})
    tried = [packages for side, packages in world.done if side == "new"]
    assert ({"a<4"} in tried) == (passing_without < 5)


def test_what_files_state_is_no_limit_of_a_repair(both: Callable[..., tuple[SidePair, World]]) -> None:
    stored = replace(start(recipe("a<4")), origin="store")
    found, _ = both([stored, start(recipe("a<4"))], good, lambda one: ran(passed=1, failed=4))
    assert packages_of(found.new.recipe) == {"a"}


def test_the_old_side_does_not_wait_for_the_new_one_and_new_failures_are_told_while_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, told = threading.Event(), threading.Event()

    def old(one: Recipe) -> SuiteRun:
        began.set()
        assert told.wait(60)  # its tests end after those of the new side
        return ran(passed=5)

    def begin_new() -> SideRunner:
        assert began.wait(60)
        return world.new

    world = World(tmp_path, old, lambda one: ran(passed=4, failed=1), lambda one: [])
    monkeypatch.setattr(side_runner, "run_recipe", world.run_recipe)
    starting = StartingRecipes(starts=(start(recipe("a")),), extraction=Extraction(candidates=(), skipped=()))
    (found,) = run_sides(world.project, world.old, [begin_new], starting, told.set)
    assert found.comparison is not None
    assert len(found.comparison.breakages) == 1


def test_where_nothing_fails_nobody_gets_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world, told = World(tmp_path, good, good, lambda one: []), threading.Event()
    monkeypatch.setattr(side_runner, "run_recipe", world.run_recipe)
    starting = StartingRecipes(starts=(start(recipe("a")),), extraction=Extraction(candidates=(), skipped=()))
    run_sides(world.project, world.old, [lambda: world.new], starting, told.set)
    assert not told.is_set()


def of_two_questions(world: World, tmp_path: Path) -> tuple[SideRunner, SideRunner]:
    """A declared and a lifted new side of ``world``, whose trees differ."""
    (tmp_path / "lifted").mkdir()
    declared = replace(world.new, name="declared", question=Question.DECLARED)
    later = replace(world.new.dated, tree=tmp_path / "lifted", digest="1" * 64)
    return declared, replace(world.new, name="lifted", dated=later)


def test_both_questions_share_one_old_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, good, good, lambda one: [])
    declared, lifted = of_two_questions(world, tmp_path)
    world.ends["lifted"] = lambda one: ran(passed=4, failed=1)
    monkeypatch.setattr(side_runner, "run_recipe", world.run_recipe)
    monkeypatch.setattr(sides, "has_same_packages", lambda *_: False)
    starting = StartingRecipes(starts=(start(recipe("a")),), extraction=Extraction(candidates=(), skipped=()))
    first, second = run_sides(world.project, world.old, [lambda: declared, lambda: lifted], starting)
    assert sorted(side for side, _ in world.done) == ["lifted", "new", "old"]
    assert (first.question, second.question) == (Question.DECLARED, Question.LIFTED)
    assert first.old == second.old
    assert first.comparison is not None
    assert second.comparison is not None
    assert (len(first.comparison.broke), len(second.comparison.broke)) == (0, 1)


def test_a_third_side_is_got_ready_while_two_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ready, running = threading.Event(), threading.Semaphore(2)

    def alone(one: Recipe) -> SuiteRun:
        assert running.acquire(blocking=False), "three sides run at a time"
        try:
            assert ready.wait(30), "the third side waits for one of the others to end"
            return good(one)
        finally:
            running.release()

    world = World(tmp_path, alone, alone, lambda one: [])
    monkeypatch.setattr(side_runner, "run_recipe", world.run_recipe)
    monkeypatch.setattr(sides, "has_same_packages", lambda *_: False)
    declared, lifted = of_two_questions(world, tmp_path)
    world.ends["lifted"] = alone

    def begin_lifted() -> SideRunner:
        ready.set()
        return lifted

    starting = StartingRecipes(starts=(start(recipe("a")),), extraction=Extraction(candidates=(), skipped=()))
    pairs = run_sides(world.project, world.old, [lambda: declared, begin_lifted], starting)
    assert [pair.question for pair in pairs] == [Question.DECLARED, Question.LIFTED]


def test_what_gets_the_same_packages_is_run_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(tmp_path, good, good, lambda one: [])
    declared, lifted = of_two_questions(world, tmp_path)
    monkeypatch.setattr(side_runner, "run_recipe", world.run_recipe)
    monkeypatch.setattr(sides, "has_same_packages", lambda *_: True)
    starting = StartingRecipes(starts=(start(recipe("a")),), extraction=Extraction(candidates=(), skipped=()))
    first, second = run_sides(world.project, world.old, [lambda: declared, lambda: lifted], starting)
    assert sorted(side for side, _ in world.done) == ["new", "old"]
    assert second is first


def test_the_declared_recipe_keeps_what_files_state_and_not_what_repairs_add(tmp_path: Path) -> None:
    world = World(tmp_path, good, good, lambda one: [])
    declared, lifted = of_two_questions(world, tmp_path)
    written = InstallStep(kind="packages", packages=("a<2",), provenance=Provenance(rule="ci", file="ci.yml"))
    repaired = InstallStep(kind="packages", packages=("b<2",), provenance=Provenance(rule="repair: x"))
    own = replace(recipe("x"), install=(written, repaired))
    assert packages_of(declared.new_recipe(own)) == {"a<2", "b"}
    assert packages_of(lifted.new_recipe(own)) == {"a", "b"}
    assert packages_of(declared.new_recipe(own, ["b<2"])) == {"a<2", "b<2"}


def test_the_lifted_question_still_tells_of_tools_that_users_do_not_get(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(tmp_path, good, lambda one: ran(status="broken"), lambda one: [])
    declared = replace(world.new, question=Question.DECLARED)
    monkeypatch.setattr(side_runner, "run_recipe", world.run_recipe)
    monkeypatch.setattr(sides, "has_same_packages", lambda *given: True)
    tools = BrokenTools(tools="setuptools 80 on Python 3.12", line="RuntimeError: gone")
    monkeypatch.setattr(
        "backdate.checking.suite_tools.run_without_broken_tools", lambda old, new, side: (new, tools, side)
    )
    starting = StartingRecipes(starts=(start(recipe("a")),), extraction=Extraction(candidates=(), skipped=()))
    first, second = run_sides(world.project, world.old, [lambda: declared, lambda: world.new], starting)
    assert (first.broken_tools, second.broken_tools) == (tools, None)
    assert (first.question, second.question) == (Question.DECLARED, Question.LIFTED)
    assert [verdict_of(pair)[0] for pair in (first, second)] == [Verdict.CANNOT_TELL, Verdict.BROKE]
