"""What the loop needs done on one project: real environments, real tests, the rules of repair."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.checking.compare import count_outcomes
from backdate.checking.dated_project import DatedProject, choose
from backdate.checking.recipe_run import RecipeRun, run_recipe, startable_services
from backdate.checking.resources import Resources
from backdate.checking.setup_class import SetupAssessment, SetupClass
from backdate.environments.environment import InterpreterChoice
from backdate.progress import NO_PROGRESS, Reporter
from backdate.recipes.defined_tests import DefinedTests, defined_tests
from backdate.recipes.recipe import Recipe
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.rules import classify, repairs
from backdate.recipes.repair.setup_failure import MOST_TEXT, Phase, Problem, SetupFailure, read_failure
from backdate.testing.outcomes import Raised, SuiteRun
from backdate.text import end_of_file


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectBackend:
    """Runs the loop's recipes on one dated project."""

    dated: DatedProject
    resources: Resources
    folder: Path
    """For the logs of all attempts."""
    progress: Reporter = NO_PROGRESS
    subject: str = "only"
    absent: tuple[str, ...] = ()
    """The names of files that the source lacks."""

    @property
    def apt(self) -> bool:
        """See ``loop.LoopBackend``."""
        return self.resources.apt

    def startable_services(self, recipe: Recipe) -> tuple[object, ...]:
        """See ``loop.LoopBackend``."""
        return startable_services(recipe, self.resources)

    def choose(self, recipe: Recipe, python: str | None) -> InterpreterChoice:
        """See ``loop.LoopBackend``."""
        return choose(recipe, self.dated, self.resources.interpreters, python)

    def run(self, recipe: Recipe, choice: InterpreterChoice, python: str | None, number: int) -> RecipeRun:
        """See ``loop.LoopBackend``."""
        return run_recipe(
            recipe,
            self.dated,
            self.resources,
            log_folder=self.folder / f"attempt-{number:02d}",
            progress=self.progress,
            subject=self.subject,
            python=python,
            choice=choice,
        )

    def defined_tests(self) -> DefinedTests:
        """See ``loop.LoopBackend``."""
        return defined_tests(self.dated.tree)

    def failure(self, recipe_run: RecipeRun, assessment: SetupAssessment) -> SetupFailure:
        """See ``loop.LoopBackend``."""
        pythons = self.resources.interpreters.usable_at(self.dated.instant)
        failure = setup_failure_of(recipe_run, self.dated, pythons)
        return replace(failure, few_tests=assessment.setup_class is SetupClass.WEAK, absent=self.absent)

    def classify(self, failure: SetupFailure) -> ErrorClass:
        """See ``loop.LoopBackend``."""
        return classify(failure)

    def repairs(self, failure: SetupFailure, recipe: Recipe) -> Sequence[Repair]:
        """See ``loop.LoopBackend``."""
        return repairs(failure, recipe, self.dated.tree, self.resources.index_facts)


_MOST_FILES = 20
_BUILD_PHASES: dict[str, Phase] = {"resolve": "resolve", "install": "install"}


def setup_failure_of(recipe_run: RecipeRun, dated: DatedProject, pythons: tuple[str, ...]) -> SetupFailure:
    """Why ``recipe_run`` is not proven. ``pythons``: the interpreters that could be used instead."""
    if recipe_run.failure is not None:
        failure = recipe_run.failure
        return read_failure(
            phase=_BUILD_PHASES.get(failure.phase, "install"),
            status=failure.phase,
            texts=(failure.message, end_of_log(failure.log)),
            python=recipe_run.choice.interpreter.version,
            instant=dated.instant,
            pythons=pythons,
            by_pip=failure.tried_pip,
            refused=failure.refused,
            version_hint=dated.version_hint,
        )
    assert recipe_run.run is not None
    run, counts = recipe_run.run, count_outcomes(recipe_run.run)
    return read_failure(
        phase="tests",
        status=run.status,
        texts=(run.trouble, end_of_log(run.log)),
        python=recipe_run.choice.interpreter.version,
        instant=dated.instant,
        pythons=pythons,
        problems=problems_of(run),
        by_pip=bool(recipe_run.environment is not None and recipe_run.environment.installer),
        exit_code=run.exit_code,
        passed=counts.passed,
        ran=counts.ran,
        version_hint=dated.version_hint,
    )


def problems_of(run: SuiteRun) -> tuple[Problem, ...]:
    """The exceptions that stopped tests or the runner, with how often and where, the most frequent first."""
    counts: Counter[tuple[str, str]] = Counter()
    files: defaultdict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for raised in _stopping(run):
        key = (raised.type, raised.message)
        counts[key] += 1
        if raised.frames and len(files[key]) < _MOST_FILES:
            files[key][raised.frames[-1].file] = None
    return tuple(
        Problem(type=kind, message=message, count=number, files=tuple(files[kind, message]))
        for (kind, message), number in counts.most_common()
    )


def _stopping(run: SuiteRun) -> Iterator[Raised]:
    """The exception of each bad result that says most: the last one, and those that led to it."""
    yield from run.raised
    for result in run.results:
        if result.outcome.bad:
            yield from result.raised


def end_of_log(log: Path) -> str:
    """A log, from its end as far as rules look at all; empty where there is none."""
    return end_of_file(log, 4 * MOST_TEXT)
