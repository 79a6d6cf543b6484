"""What of a recipe reaches a build, and what went wrong reaches the rules."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from builders import frame, raised, result, run
from fake_setups import INSTANT, RULE, carried, choice, failure, ran, recipe

from backdate.checking import recipe_run as module
from backdate.checking.dated_project import DatedProject, choose
from backdate.checking.recipe_run import (
    LONGEST_CASE,
    build_variables,
    notes_of,
    request_for,
    run_recipe,
    with_own_frames,
)
from backdate.checking.resources import Resources
from backdate.checking.settings import Settings
from backdate.checking.setup_failures import setup_failure_of
from backdate.environments.environment import InterpreterChoice
from backdate.projects.python_constraint import PythonConstraint
from backdate.recipes.recipe import BuildConstraint, LaterCut, Recipe, SystemPackages, Variable
from backdate.sandboxes.debian import BaseFailure
from backdate.sandboxes.interface import BaseSystem, Limits
from backdate.testing.changed_tests.changed_tree import ChangedRunLimits
from backdate.testing.outcomes import Frame, Outcome, Raised, SuiteRun


@pytest.fixture
def ground(tmp_path: Path) -> DatedProject:
    python_constraint = PythonConstraint(specifier=None, kind="none", rule="nothing")
    return DatedProject(
        name="p", tree=tmp_path, digest="0" * 64, instant=INSTANT, python_constraint=python_constraint
    )


class Interpreters:
    """Two minors at hand."""

    def choose(
        self, python_constraint: PythonConstraint, instant: object, *, forced: str | None = None
    ) -> InterpreterChoice:
        return choice(f"{forced}.1" if forced else "3.8.18")

    def choose_for(
        self, one: Recipe, python_constraint: PythonConstraint, instant: object, *, forced: str | None = None
    ) -> InterpreterChoice:
        return self.choose(python_constraint, instant, forced=forced)

    def obtainable(self, minor: str) -> bool:
        return minor in ("3.7", "3.8")


def variable(name: str, value: str = "1") -> Variable:
    return Variable(name=name, value=value, provenance=RULE)


def test_variables_that_steer_installers_are_not_for_builds() -> None:
    names = (
        "WITH_SPEEDUPS",
        "PYTHONPATH",
        "PIP_INDEX_URL",
        "UV_INDEX",
        "LD_PRELOAD",
        "PATH",
        "HOME",
        "CFLAGS",
    )
    one = recipe("a", variables=tuple(variable(name) for name in names))
    assert build_variables(one) == (("CFLAGS", "1"), ("WITH_SPEEDUPS", "1"))


def test_a_request_holds_all_that_a_recipe_says_of_builds(ground: DatedProject) -> None:
    one = recipe(
        "a",
        variables=(variable("X"),),
        build_constraints=(BuildConstraint(requirement="setuptools<58", provenance=RULE),),
        extra_cutoff_overrides=(LaterCut(name="six", until=INSTANT + timedelta(days=1), provenance=RULE),),
    )
    request = request_for(one, ground, choice())
    plain = request_for(recipe("a"), ground, choice())
    assert request.variables == (("X", "1"),)
    assert request.build_constraints == ("setuptools<58",)
    assert "six" in [cut.name for cut in request.cutoff_overrides]
    assert "six" not in [cut.name for cut in plain.cutoff_overrides]
    assert request.at != plain.at
    assert plain.build_variations == ()


@pytest.mark.parametrize(
    ("users", "forced", "expected"),
    [(None, None, "3.8"), (None, "3.7", "3.7"), ("3.9", "3.7", "3.9"), (None, "3.12", "3.8")],
)
def test_whose_interpreter_it_is(
    ground: DatedProject, users: str | None, forced: str | None, expected: str
) -> None:
    found = choose(recipe("a"), replace(ground, python=users), Interpreters(), forced)  # type: ignore[arg-type]
    assert found.interpreter.version.startswith(f"{expected}.")


def test_a_failed_build_as_the_rules_read_it(ground: DatedProject, tmp_path: Path) -> None:
    log = tmp_path / "build.log"
    log.write_text("a long story\nNo module named 'Cython'\n")
    broken = replace(failure("error: it failed", "resolve"), log=log)
    trouble = setup_failure_of(carried(recipe("a"), broken), ground, ("3.7.16", "3.8.18"))
    assert (trouble.phase, trouble.status) == ("resolve", "resolve")
    assert "a long story" in trouble.text
    assert "it failed" in trouble.text
    assert trouble.pythons == ("3.7.16", "3.8.18")


@pytest.mark.parametrize("phase", ["timeout", "oom", "disk"])
def test_a_build_that_met_a_limit(ground: DatedProject, phase: str) -> None:
    trouble = setup_failure_of(carried(recipe("a"), failure("x", phase)), ground, ())  # type: ignore[arg-type]
    assert (trouble.phase, trouble.status) == ("install", phase)


def test_failing_tests_as_the_rules_read_them(ground: DatedProject) -> None:
    run = ran(passed=3, failed=2, error="ModuleNotFoundError: No module named 'six'")
    frames = (Frame(file="a.py", line=1, function="f"), Frame(file="b.py", line=1, function="g"))
    stopped = Raised(type="ValueError", message="stop", frames=frames)
    trouble = setup_failure_of(carried(recipe("a"), replace(run, raised=(stopped,))), ground, ())
    assert trouble.phase == "tests"
    assert (trouble.passed, trouble.ran) == (3, 5)
    assert trouble.missing_modules == ("six",)
    assert [(one.type, one.count, one.files) for one in trouble.problems] == [
        ("ModuleNotFoundError", 2, ()),
        ("ValueError", 1, ("b.py",)),
    ]


def test_what_a_reader_has_to_know() -> None:
    system = (
        SystemPackages(manager="apt", packages=("pandoc", "gone"), provenance=RULE),
        SystemPackages(manager="conda", packages=("gdal",), provenance=RULE),
    )
    one = carried(recipe("a", system=system), ran(passed=1))
    assert one.environment is not None
    listed = "asked for from apt, not installed: pandoc, gone", "asked for from conda, not installed: gdal"
    assert notes_of(one.recipe, one.choice, one.environment, one.run) == listed
    base = BaseSystem(sandbox="bwrap", place="/base", key="k", packages=("pandoc",))
    applied = replace(one.environment, base=base)
    assert notes_of(one.recipe, one.choice, applied, one.run) == (
        "from apt, as they are today: pandoc",
        "asked for from apt, not installed: gone",
        "asked for from conda, not installed: gdal",
    )


@pytest.mark.parametrize("changed", [None, ChangedRunLimits(wall_s=40.0, case_wall_s=3.0)])
def test_a_test_may_take_a_part_of_the_time_and_the_others_run_on(
    ground: DatedProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: ChangedRunLimits | None
) -> None:
    asked: dict[str, object] = {}

    def run_plans(*given: object, **more: object) -> SuiteRun:
        asked.update(more)
        return ran(passed=1)

    monkeypatch.setattr("backdate.testing.several.run_plans", run_plans)
    resources = Resources(Settings(cache=tmp_path / "cache"))
    one = carried(recipe("a"), ran(passed=1))
    assert one.environment is not None
    module.run_tests(
        one.recipe, ground, resources, one.environment, log_folder=tmp_path / "logs", changed_limits=changed
    )
    limits = asked["limits"]
    assert isinstance(limits, Limits)
    expected = LONGEST_CASE * limits.wall_s if changed is None else changed.case_wall_s
    assert asked["case_wall_s"] == expected
    assert 0 < expected < limits.wall_s


@pytest.mark.parametrize("apt", [True, False])
def test_debian_packages_are_applied_when_asked_for(
    ground: DatedProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, apt: bool
) -> None:
    asked: list[tuple[str, ...]] = []
    base = BaseSystem(sandbox="bwrap", place="/base", key="k", packages=("pandoc",))

    def base_for(cache: object, sandbox: object, packages: tuple[str, ...], *, settings: object) -> object:
        asked.append(packages)
        if "gone" in packages:
            return BaseFailure(message="no gone", missing=("gone",), log=tmp_path / "log")
        return base

    class Builder:
        cache = sandbox = None

        def prepare(self, request: object, *, progress: object, subject: str) -> object:
            assert request.base is (base if apt else None)  # type: ignore[attr-defined]
            return failure("enough")

    monkeypatch.setattr(module, "base_for", base_for)
    system = (SystemPackages(manager="apt", packages=("pandoc", "gone"), provenance=RULE),)
    resources = Resources(Settings(apt=apt), builder=Builder(), interpreters=Interpreters())  # type: ignore[arg-type]
    done = run_recipe(recipe("a", system=system), ground, resources, log_folder=tmp_path)
    assert done.failure is not None
    assert done.failure.message == "enough"
    assert asked == ([("gone", "pandoc"), ("pandoc",)] if apt else [])


def test_a_build_that_pip_was_tried_for(ground: DatedProject) -> None:
    by_uv = failure("no")
    assert not setup_failure_of(carried(recipe("a"), by_uv), ground, ()).by_pip
    assert setup_failure_of(carried(recipe("a"), replace(by_uv, tried_pip=True)), ground, ()).by_pip


SITE = "env/lib/python3.11/site-packages"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("installed", "in_tree", "expected"),
    [
        ("pkg/a.py", "src/pkg/a.py", "src/pkg/a.py"),
        ("pkg/a.py", "pkg/a.py", "pkg/a.py"),
        ("other/a.py", "pkg/a.py", None),
    ],
)
def test_copies_are_named_by_their_originals(
    tmp_path: Path, installed: str, in_tree: str, expected: str | None
) -> None:
    copy = write(tmp_path / SITE / installed, "x = 1\n")
    tree = tmp_path / "tree"
    write(tree / in_tree, "x = 1\n")
    failed = run(result("t", Outcome.FAILED, raised("E", "", frame(str(copy)), frame("t.py"))))
    (renamed,) = with_own_frames(failed, tree).results
    assert [inner.file for inner in renamed.raised[0].frames] == [expected or str(copy), "t.py"]


def test_another_file_of_that_name_is_not_ours(tmp_path: Path) -> None:
    copy = write(tmp_path / SITE / "tests/a.py", "x = 1\n")
    write(tmp_path / "tree/tests/a.py", "something else\n")
    failed = run(status="broken", raised=(raised("E", "", frame(str(copy))),))
    assert with_own_frames(failed, tmp_path / "tree").raised[0].frames[0].file == str(copy)


def test_a_build_with_the_whole_network_is_a_note() -> None:
    environment = carried(recipe("x"), ran(passed=1)).environment
    assert environment is not None
    notes = [
        notes_of(recipe("x"), choice("3.8.18"), replace(environment, network=network), None)
        for network in ("gateway", "on")
    ]
    assert set(notes[1]) - set(notes[0]) == {"the code that ran while it was built had the whole network"}
