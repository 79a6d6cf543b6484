"""Test tools of today that break before the project's code is reached, which users do not get."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from builders import frame, lock, raised, result, run
from fake_setups import INSTANT, carried, choice, packages_of, recipe

from backdate.checking import side_runner
from backdate.checking.compare import compare_runs
from backdate.checking.dated_project import DatedProject
from backdate.checking.question import Question
from backdate.checking.recipe_run import RecipeRun
from backdate.checking.result import BrokenTools, Verdict
from backdate.checking.side_runner import SideRunner
from backdate.checking.suite_tools import (
    ToolFault,
    fault_of_tools,
    note_of_tools,
    reaches_code,
    run_without_broken_tools,
    tools_of,
)
from backdate.checking.verdict import decide
from backdate.environments.environment import Lock
from backdate.progress import NO_PROGRESS
from backdate.projects.python_constraint import PythonConstraint
from backdate.recipes.recipe import Recipe
from backdate.testing.outcomes import Outcome, Raised, SuiteRun

SITE = "/e/lib/python3.12/site-packages"
TOOLS = {"pytest", "pluggy", "setuptools", "pytest-django"}
GONE = raised(
    "RuntimeError",
    "Support for the test command was removed in Setuptools 72",
    frame("/backdate/capture/x.py"),
    frame("setup.py"),
    frame(f"{SITE}/setuptools/__init__.py"),
    frame(f"{SITE}/setuptools/command/test.py"),
)
REWRITING = raised("TypeError", "required field", frame(f"{SITE}/_pytest/assertion/rewrite.py"))


@pytest.mark.parametrize(
    ("error", "names"),
    [
        (GONE, {"setuptools"}),
        (REWRITING, {"pytest"}),
        (
            raised("ImportError", "no x", frame("conftest.py"), frame(f"{SITE}/pytest_django/p.py")),
            {"pytest-django"},
        ),
        (
            raised("ModuleNotFoundError", "No module named 'pkg_resources'", frame("a/conftest.py")),
            {"setuptools"},
        ),
        (
            raised("AttributeError", "x", frame(f"{SITE}/pytest_django/p.py"), frame(f"{SITE}/django/d.py")),
            {"pytest-django"},
        ),
        # conftest asks Django, which users get, for something
        (
            raised(
                "AttributeError",
                "x",
                frame(f"{SITE}/_pytest/c.py"),
                frame("conftest.py"),
                frame(f"{SITE}/django/d.py"),
            ),
            set(),
        ),
        (raised("ModuleNotFoundError", "No module named 'flask.ext'", frame("conftest.py")), set()),
        # the project's own code was reached
        (
            raised(
                "ImportError", "x", frame("conftest.py"), frame("p/core.py"), frame(f"{SITE}/setuptools/x.py")
            ),
            set(),
        ),
        (raised("ImportError", "x", frame("tests/helpers.py"), frame(f"{SITE}/pytest_django/p.py")), set()),
        (raised("SyntaxError", "x"), set()),
    ],
)
def test_which_tools_are_at_fault(error: Raised, names: set[str]) -> None:
    for broken in (
        run(status="broken", raised=(error,)),
        run(result("tests/test_a.py", Outcome.NOT_COLLECTED, error), result("b", Outcome.SKIPPED)),
    ):
        fault = fault_of_tools(broken, TOOLS)
        assert (set(fault.names) if fault else set()) == names


def test_one_good_test_or_one_error_of_the_project_clears_the_tools() -> None:
    bad = result("a", Outcome.NOT_COLLECTED, REWRITING)
    own = result("b", Outcome.FAILED, raised("KeyError", "x", frame("p.py")))
    assert fault_of_tools(run(bad), TOOLS) == ToolFault(
        names=frozenset({"pytest"}), line="TypeError: required field"
    )
    for other in (result("b"), own):
        assert fault_of_tools(run(bad, other), TOOLS) is None
        assert reaches_code(run(bad, other))
    assert not reaches_code(run(bad))
    assert fault_of_tools(run(status="broken"), TOOLS) is None
    assert fault_of_tools(None, TOOLS) is None


def test_tools_are_what_users_do_not_get() -> None:
    assert tools_of(lock(flask="3.0", pytest="8.0"), lock(flask="2.0")) == {"pytest": "8.0"}
    assert tools_of(None, lock()) == {}


CONTENT = {"flask": "2.0", "pytest": "6.2", "setuptools": "57.0"}
USERS = lock(flask="3.0")


class DeclaredSide:
    """The declared side of a project whose new tools are of other versions, and what was tried on it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.tried: list[set[str]] = []
        self.pinned = "8.0"
        monkeypatch.setattr(side_runner, "run_recipe", self._run_recipe)
        monkeypatch.setattr(SideRunner, "obstacle", lambda *given: None)

    def _run_recipe(self, one: Recipe, dated: DatedProject, *given: object, **named: object) -> RecipeRun:
        self.tree = dated.tree
        held = {name for name in packages_of(one) if "==" in name}
        self.tried.append(held)
        versions = {"flask": "3.0", "pytest": "8.0", "setuptools": "80.0"}
        if "newer-tools" not in str(dated.tree):
            versions["pytest"] = self.pinned
        versions |= {name.partition("==")[0]: name.partition("==")[2] for name in held}
        return self._in(lock(**versions), one, self.says(held))

    def _in(self, content: Lock, one: Recipe, suite: SuiteRun) -> RecipeRun:
        done = carried(one, suite)
        assert done.environment is not None
        return replace(done, environment=replace(done.environment, lock=content))

    def look(self, says: Callable[[set[str]], SuiteRun], users: Lock | None = USERS) -> BrokenTools | None:
        """What is found where ``says`` tells what comes of the new side, by the tools that are held."""
        self.says = says
        constraint = PythonConstraint(specifier=None, kind="none", rule="nothing")
        side = SideRunner(
            name="declared",
            dated=DatedProject(
                name="p", tree=self.folder, digest="0" * 64, instant=INSTANT, python_constraint=constraint
            ),
            resources=None,  # type: ignore[arg-type]
            folder=self.folder,
            progress=NO_PROGRESS,
            question=Question.DECLARED,
            users=users,
        )
        one = recipe("pytest")
        self.old = side.finished(self._in(lock(**CONTENT), one, run(result("a"), result("b"))))
        new = side.finished(side.run_new(one, self.folder, choice()))
        self.tried.clear()
        self.new, broken, self.side = run_without_broken_tools(self.old, new, side)
        return broken

    def answer(self, broken: BrokenTools | None) -> tuple[Verdict, str]:
        """The verdict of a check."""
        assert self.old.run is not None
        assert self.new.run is not None
        comparison = compare_runs(self.old.run, self.new.run)
        return decide(self.old, self.new, comparison, question=Question.DECLARED, broken_tools=broken)


@pytest.fixture
def declared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DeclaredSide:
    return DeclaredSide(tmp_path, monkeypatch)


@pytest.mark.parametrize(("good", "verdict"), [(True, Verdict.NOTHING_BROKE), (False, Verdict.BROKE)])
def test_the_verdict_is_that_of_a_run_with_the_old_tool(
    declared: DeclaredSide, good: bool, verdict: Verdict
) -> None:
    own = result("b", Outcome.FAILED, raised("KeyError", "x", frame("p.py")))

    def runs(held: set[str]) -> SuiteRun:
        ends = run(result("a"), result("b") if good else own)
        return ends if "setuptools==57.0" in held else run(status="broken", raised=(GONE,))

    broken = declared.look(runs)
    assert broken is not None
    assert broken.instead == ("setuptools==57.0",)
    assert broken.tools == "setuptools 80.0 on Python 3.8"
    assert declared.answer(broken)[0] is verdict
    assert "today's test tools break (setuptools 80.0 on Python 3.8: RuntimeError" in note_of_tools(broken)


def test_a_second_tool_is_held_as_well(declared: DeclaredSide) -> None:
    def runs(held: set[str]) -> SuiteRun:
        if "setuptools==57.0" not in held:
            return run(status="broken", raised=(GONE,))
        ends = run(result("a"), result("b"))
        return ends if "pytest==6.2" in held else run(status="broken", raised=(REWRITING,))

    broken = declared.look(runs)
    assert broken is not None
    assert broken.instead == ("pytest==6.2", "setuptools==57.0")
    assert [len(held) for held in declared.tried] == [1, 2]


def test_where_no_older_tool_helps_nothing_is_known_of_users(declared: DeclaredSide) -> None:
    broken = declared.look(lambda _: run(status="broken", raised=(GONE,)))
    assert broken is not None
    assert broken.instead == ()
    assert declared.tried == [{"setuptools==57.0"}]
    verdict, reason = declared.answer(broken)
    assert verdict is Verdict.CANNOT_TELL
    assert reason.startswith("test tools break before they reach the project's code, and users do not")


def test_newer_tools_than_developers_pin_are_taken_where_the_pinned_ones_break(
    declared: DeclaredSide, tmp_path: Path
) -> None:
    """No user gets the pins of pytest with the project: what they forbid may be what works today."""
    declared.pinned = "6.2"
    (tmp_path / "requirements-dev.txt").write_text("flask==3.0\npytest==6.2\n")

    def runs(held: set[str]) -> SuiteRun:
        loosened = "newer-tools" in str(declared.tree)
        return run(result("a"), result("b")) if loosened else run(status="broken", raised=(REWRITING,))

    broken = declared.look(runs)
    assert broken is not None
    assert broken.newer
    assert broken.instead == ("pytest==8.0",)
    tree = declared.side.dated.tree
    assert (tree / "requirements-dev.txt").read_text() == "flask==3.0\npytest\n"
    assert (tmp_path / "requirements-dev.txt").read_text() == "flask==3.0\npytest==6.2\n"
    assert "run without their pins, with " in note_of_tools(broken)
    assert declared.answer(broken)[0] is Verdict.NOTHING_BROKE


def test_where_users_are_not_known_nothing_is_tried(declared: DeclaredSide) -> None:
    broken = declared.look(lambda _: run(status="broken", raised=(GONE,)), None)
    assert broken is None
    assert declared.tried == []
    assert declared.answer(None)[0] is Verdict.BROKE
