"""What the loop needs done on one project: real environments, real tests, the rules of repair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from backdate.checking.dated_project import DatedProject
from backdate.checking.failure_report import trouble_of
from backdate.checking.recipe_run import RecipeRun, choose, run_recipe
from backdate.checking.resources import Resources
from backdate.environments.environment import InterpreterChoice
from backdate.progress import NO_PROGRESS, Reporter
from backdate.recipes.recipe import Recipe
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.rules import classify, repairs
from backdate.recipes.repair.setup_failure import SetupFailure


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectBackend:
    """Runs the loop's recipes on one dated project."""

    dated: DatedProject
    resources: Resources
    folder: Path
    """For the logs of all attempts."""
    progress: Reporter = NO_PROGRESS
    subject: str = "only"

    @property
    def apt(self) -> bool:
        """See ``loop.LoopBackend``."""
        return self.resources.apt

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

    def failure(self, recipe_run: RecipeRun) -> SetupFailure:
        """See ``loop.LoopBackend``."""
        return trouble_of(recipe_run, self.dated, self.resources.interpreters.usable_at(self.dated.instant))

    def classify(self, failure: SetupFailure) -> ErrorClass:
        """See ``loop.LoopBackend``."""
        return classify(failure)

    def repairs(self, failure: SetupFailure, recipe: Recipe) -> Sequence[Repair]:
        """See ``loop.LoopBackend``."""
        return repairs(failure, recipe, self.dated.tree, self.resources.index_facts)
