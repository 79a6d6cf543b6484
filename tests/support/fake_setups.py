"""Recipes, and what came of them, without building or running anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from builders import ENFORCED

from backdate.checking.recipe_run import RecipeRun
from backdate.checking.setup_class import SetupAssessment, SetupClass
from backdate.checking.starting_recipes import StartingRecipe
from backdate.environments.environment import (
    BuildFailure,
    Environment,
    Interpreter,
    InterpreterChoice,
    Lock,
)
from backdate.recipes.defined_tests import DefinedTests
from backdate.recipes.recipe import InstallStep, Provenance, Recipe, SuitePlan
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.setup_failure import SetupFailure, read_failure
from backdate.testing.outcomes import CaseResult, Outcome, Raised, SuiteRun

INSTANT = datetime(2021, 3, 1, tzinfo=UTC)
RULE = Provenance(rule="a test")
Says = Callable[[Recipe, str], "BuildFailure | SuiteRun"]


def recipe(*packages: str, targets: tuple[str, ...] = (), **changes: object) -> Recipe:
    """A recipe that installs ``packages`` and runs pytest."""
    step = InstallStep(kind="packages", packages=packages, provenance=RULE)
    plan = SuitePlan(runner="pytest", targets=targets, provenance=RULE)
    return Recipe(install=(step,), test=plan, **changes)  # type: ignore[arg-type]


def packages_of(one: Recipe) -> set[str]:
    """What it installs."""
    return {name for step in one.install for name in step.packages}


def start(one: Recipe, source: str = "a file", python: str | None = None) -> StartingRecipe:
    return StartingRecipe(recipe=one, source=source, python=python)


def choice(version: str = "3.8.18") -> InterpreterChoice:
    path = Path(f"/pythons/{version}")
    interpreter = Interpreter(version=version, executable=path / "bin/python", prefix=path, source="path")
    return InterpreterChoice(wanted=version, reason="for a test", interpreter=interpreter)


def failure(
    message: str, phase: Literal["resolve", "install", "timeout", "oom", "disk"] = "install"
) -> BuildFailure:
    return BuildFailure(phase=phase, message=message, choice=choice(), log=Path("/nowhere.log"))


def ran(
    passed: int = 0,
    failed: int = 0,
    skipped: int = 0,
    not_collected: int = 0,
    *,
    error: str = "AssertionError: no",
    status: Literal["completed", "no-tests", "crashed", "timeout", "broken"] = "completed",
) -> SuiteRun:
    """A run with that many tests of each kind."""
    kind, _, message = error.partition(": ")
    raised = (Raised(type=kind, message=message, frames=()),)
    outcomes = (
        *[(Outcome.PASSED, ())] * passed,
        *[(Outcome.FAILED, raised)] * failed,
        *[(Outcome.SKIPPED, ())] * skipped,
        *[(Outcome.NOT_COLLECTED, raised)] * not_collected,
    )
    results = tuple(
        CaseResult(id=f"t.py::test_{number}", outcome=outcome, duration_s=0.0, raised=why)
        for number, (outcome, why) in enumerate(outcomes)
    )
    return SuiteRun(
        status=status,
        exit_code=0,
        signal=None,
        results=results,
        trouble="" if status == "completed" else f"the runner says {error}",
        runner="pytest 7",
        duration_s=1.0,
        enforced=ENFORCED,
        log=Path("/nowhere.log"),
    )


def carried(one: Recipe, came_of_it: BuildFailure | SuiteRun, python: str | None = None) -> RecipeRun:
    """``one`` carried out, with that end."""
    version = f"{python}.1" if python else "3.8.18"
    known = RecipeRun(recipe=one, choice=choice(version), python=python, build_s=2.0)
    if isinstance(came_of_it, BuildFailure):
        return RecipeRun(recipe=one, choice=choice(version), python=python, failure=came_of_it, build_s=2.0)
    environment = Environment(
        key="0" * 64,
        root=Path("/environment"),
        choice=known.choice,
        lock=Lock(instant=INSTANT, python=version, distributions=()),
        build_s=2.0,
        reused=False,
        log=Path("/nowhere.log"),
    )
    return RecipeRun(
        recipe=one, choice=known.choice, python=python, environment=environment, run=came_of_it, build_s=2.0
    )


@dataclass
class FakeLoopBackend:
    """A backend on which ``says`` decides what comes of a recipe and ``proposes`` what is proposed then."""

    says: Says
    proposes: Callable[[SetupFailure, Recipe], Sequence[Repair]] = lambda failure, recipe: ()
    apt: bool = False
    startable: bool = True
    """Whether services can be started."""
    defined: dict[str, int] = field(default_factory=dict)
    """The test functions that the project's files define."""
    absent: tuple[str, ...] = ()
    """What tests want and the tree does not hold; it can be told while the tree is there."""
    done: list[tuple[Recipe, str]] = field(default_factory=list)
    """What was run, with the interpreter."""

    def startable_services(self, one: Recipe) -> tuple[object, ...]:
        return tuple(service.effect for service in one.services) if self.startable else ()

    def choose(self, one: Recipe, python: str | None) -> InterpreterChoice:
        return choice(f"{python}.1" if python else "3.8.18")

    def run(self, one: Recipe, chosen: InterpreterChoice, python: str | None, number: int) -> RecipeRun:
        self.done.append((one, chosen.interpreter.version))
        assert number == len(self.done)
        return carried(one, self.says(one, chosen.interpreter.version), python)

    def defined_tests(self) -> DefinedTests:
        return DefinedTests(names=self.defined)

    def absent_files(self, run: SuiteRun | None) -> tuple[str, ...]:
        return self.absent

    def failure(self, one: RecipeRun, assessment: SetupAssessment) -> SetupFailure:
        said = one.failure.message if one.failure is not None else (one.run.trouble if one.run else "")
        return read_failure(
            phase="install" if one.failure else "tests",
            status=one.failure.phase if one.failure else (one.run.status if one.run else ""),
            texts=(said,),
            python=one.choice.interpreter.version,
            instant=INSTANT,
            few_tests=assessment.setup_class is SetupClass.WEAK,
        )

    def classify(self, failure: SetupFailure) -> ErrorClass:
        return ErrorClass.UNKNOWN

    def repairs(self, failure: SetupFailure, one: Recipe) -> Sequence[Repair]:
        return self.proposes(failure, one)


def repaired(one: Recipe, rule: str = "a rule", python: str | None = None) -> Repair:
    return Repair(recipe=one, error=ErrorClass.UNKNOWN, rule=rule, reason="it was seen", interpreter=python)
