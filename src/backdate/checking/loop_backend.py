"""What the loop needs done on one project: real environments, real tests, the rules of repair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.checking.dated_project import DatedProject, choose
from backdate.checking.lacking_files import lacking_files
from backdate.checking.recipe_run import RecipeRun, run_recipe, startable_services
from backdate.checking.resources import Resources
from backdate.checking.setup_class import SetupAssessment
from backdate.checking.setup_failures import setup_failure_of
from backdate.environments.environment import InterpreterChoice
from backdate.progress import NO_PROGRESS, Reporter
from backdate.recipes.defined_tests import DefinedTests, defined_tests
from backdate.recipes.recipe import Recipe
from backdate.recipes.repair.classify import classify
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.rules import repairs
from backdate.recipes.repair.setup_failure import SetupFailure
from backdate.testing.outcomes import SuiteRun


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
    """The names of files that the source is known to lack (``projects/absent_files.py``)."""
    of_sdist: bool = False
    """Whether the tree is an sdist's, which may lack files that its tests read."""

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

    def absent_files(self, run: SuiteRun | None) -> tuple[str, ...]:
        """See ``loop.LoopBackend``."""
        return (*self.absent, *(lacking_files(run, self.dated.tree) if self.of_sdist else ()))

    def failure(self, recipe_run: RecipeRun, assessment: SetupAssessment) -> SetupFailure:
        """See ``loop.LoopBackend``."""
        pythons = self.resources.interpreters.usable_at(self.dated.instant)
        failure = setup_failure_of(recipe_run, self.dated, pythons)
        return replace(failure, few_tests=assessment.weak, absent=self.absent_files(recipe_run.run))

    def classify(self, failure: SetupFailure) -> ErrorClass:
        """See ``loop.LoopBackend``."""
        return classify(failure)

    def repairs(self, failure: SetupFailure, recipe: Recipe) -> Sequence[Repair]:
        """See ``loop.LoopBackend``."""
        return repairs(failure, recipe, self.dated.tree, self.resources.index_facts)
