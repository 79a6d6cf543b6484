"""The loop's workbench on one project: real environments, real tests, the rules of repair."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from backdate.checking.failure_report import trouble_of
from backdate.checking.recipe_run import DatedProject, Means, RecipeRun, choose, run_recipe
from backdate.checking.settings import Settings
from backdate.environments.cache import Cache
from backdate.environments.environment import InterpreterChoice
from backdate.index.cache import DiskCache
from backdate.index.provided_modules import ProvidedModules
from backdate.index.upstream import IndexClient
from backdate.progress import NO_PROGRESS, Reporter
from backdate.recipes.recipe import Recipe
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import IndexFacts, Repair
from backdate.recipes.repair.rules import classify, repairs
from backdate.recipes.repair.setup_failure import SetupFailure


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectBackend:
    """The loop's workbench on one ground."""

    ground: DatedProject
    means: Means
    folder: Path
    names: Callable[[], IndexFacts]
    progress: Reporter = NO_PROGRESS
    subject: str = "only"

    @property
    def apt(self) -> bool:
        """See ``loop.LoopBackend``."""
        return self.means.apt

    def choose(self, recipe: Recipe, python: str | None) -> InterpreterChoice:
        """See ``loop.LoopBackend``."""
        return choose(recipe, self.ground, self.means.interpreters, python)

    def carry(self, recipe: Recipe, choice: InterpreterChoice, python: str | None, number: int) -> RecipeRun:
        """See ``loop.LoopBackend``."""
        return run_recipe(
            recipe,
            self.ground,
            self.means,
            log_folder=self.folder / f"attempt-{number:02d}",
            progress=self.progress,
            subject=self.subject,
            python=python,
            choice=choice,
        )

    def trouble(self, recipe_run: RecipeRun) -> SetupFailure:
        """See ``loop.LoopBackend``."""
        return trouble_of(recipe_run, self.ground, self.means.interpreters.usable_at(self.ground.instant))

    def classify(self, trouble: SetupFailure) -> ErrorClass:
        """See ``loop.LoopBackend``."""
        return classify(trouble)

    def repairs(self, trouble: SetupFailure, recipe: Recipe) -> Sequence[Repair]:
        """See ``loop.LoopBackend``."""
        return repairs(trouble, recipe, self.ground.tree, self.names())


def index_names(settings: Settings, cache: Cache, stack: ExitStack) -> Callable[[], IndexFacts]:
    """What the index knows of distributions, asked for when a rule first wants it; ``stack`` closes it."""

    @functools.cache
    def opened() -> IndexFacts:
        client = stack.enter_context(
            IndexClient(upstreams=(settings.index_url,), cache=DiskCache(cache.index))
        )
        return ProvidedModules(client, cache.folder / "modules")

    return opened
