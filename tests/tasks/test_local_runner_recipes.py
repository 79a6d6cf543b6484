"""A built task is run as it was built: all that its recipe names reaches the build and the tests."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fake_builds import NoSandbox, Seen
from fake_setups import RULE, failure, recipe

from backdate.checking.settings import Settings
from backdate.environments.environment import Environment
from backdate.projects.tree import tree_digest
from backdate.recipes.recipe import BuildConstraint, BuildRequirement, SuitePlan, SystemPackages, Variable
from backdate.tasks.local_runner import LocalRunner
from backdate.tasks.notes import NoteKind, texts
from backdate.tasks.task import MigrationFacts, RecipeSetup, Task, TaskEnvironment, TaskSource
from backdate.tasks.trees import Sources

PLAN = SuitePlan(
    runner="pytest", targets=("a",), environment=(("FLAG", "1"), ("PYTHONPATH", "src")), provenance=RULE
)
FURTHER = SuitePlan(runner="unittest", targets=("b",), provenance=RULE)
RECIPE = replace(
    recipe("six"),
    test=PLAN,
    further_tests=(FURTHER,),
    variables=(
        Variable(name="FLAG", value="1", provenance=RULE),
        Variable(name="PYTHONPATH", value="src", provenance=RULE),
    ),
    build_constraints=(BuildConstraint(requirement="setuptools<58", provenance=RULE),),
    build_requirements=(BuildRequirement(distribution="old", requirement="cython", provenance=RULE),),
    system=(SystemPackages(manager="apt", packages=("libldap2-dev",), provenance=RULE),),
)
TASK = Task(
    instance_id="p-1.0",
    source=TaskSource(kind="sdist", name="p", url="https://index.example/p", revision="1.0", version="1.0"),
    facts=MigrationFacts(old=TaskEnvironment(instant=datetime(2021, 3, 1, tzinfo=UTC), python="3.8.10")),
    environment=TaskEnvironment(instant=datetime(2025, 7, 31, tzinfo=UTC), python="3.12.11"),
    setup=RecipeSetup(recipe=RECIPE),
)


def task_runner(tmp_path: Path, *, apt: bool = False) -> LocalRunner:
    sources = Sources(index_url="https://index.example", downloads=tmp_path / "d", pages=tmp_path / "p")
    settings = Settings(cache=tmp_path / "cache", apt=apt)
    return LocalRunner(settings, sources, sandbox=NoSandbox())  # type: ignore[arg-type]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "setup.py").write_text("from setuptools import setup\nsetup(name='p')\n")
    return folder


def test_everything_reaches_the_run(tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Seen(monkeypatch)
    logs = tmp_path / "logs"
    verdict = task_runner(tmp_path).run_tests(TASK, tree, "target", log_folder=logs, only=("t.py::test_0",))
    assert verdict.solved, verdict.reason
    (request,) = seen.requests
    assert request.variables == (("FLAG", "1"),)  # those that steer Python are for the tests alone
    assert request.build_constraints == ("setuptools<58",)
    assert request.build_requirements == (("old", "cython"),)
    assert request.version_variables["SETUPTOOLS_SCM_PRETEND_VERSION_FOR_P"] == "1.0"
    assert (request.digest, request.name) == (tree_digest(tree), "p")
    assert request.instant == TASK.environment.instant
    assert request.choice.interpreter.version == "3.12.1"
    assert seen.plans == (PLAN, FURTHER)
    assert seen.where["at"] == request.at
    assert seen.where["only"] == ("t.py::test_0",)
    assert "asked for from apt, not installed: libldap2-dev" in texts(verdict.notes)


def test_system_packages_when_they_are_applied(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = Seen(monkeypatch)
    built = task_runner(tmp_path, apt=True).build(TASK, tree, "origin")
    assert isinstance(built.answer, Environment)
    assert seen.asked == [("libldap2-dev",)]
    assert seen.requests[0].base is not None
    assert "from apt, as they are today: libldap2-dev" in texts(built.notes)


def test_a_failed_build_says_what_was_not_tried(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Seen(monkeypatch, failure("fatal error: lber.h: No such file or directory"))
    built = task_runner(tmp_path).build(TASK, tree, "origin")
    untried = [note.text for note in built.notes if note.kind is NoteKind.UNTRIED_PACKAGES]
    assert untried == [
        "not tried without --apt: lber.h: Debian's libldap2-dev, libsasl2-dev",
        "not tried without --apt: the task asks for libldap2-dev",
    ]
