"""Running a project's tests with some of its requirements held at versions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from backdate.checking.compare import compare_runs, count_outcomes
from backdate.checking.dated_project import DatedProject
from backdate.checking.recipe_run import RecipeRun, request_for, run_recipe
from backdate.checking.resources import Resources
from backdate.environments.environment import BuildFailure, InterpreterChoice
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.steps import Resolution
from backdate.lowest.bounds import Bounded, as_pins, with_lower_bound
from backdate.lowest.search import HeldOutcome, Pins
from backdate.progress import Activity, Reporter
from backdate.recipes.recipe import InstallStep, Provenance, Recipe
from backdate.testing.outcomes import SuiteRun
from backdate.text import counted

_PINS = Provenance(rule="held by check --lowest")


@dataclass(slots=True, kw_only=True)
class Trials:
    """Every run of one check of lower bounds, beside the run with the newest versions."""

    recipe: Recipe
    dated: DatedProject
    resources: Resources
    choice: InterpreterChoice
    newest: SuiteRun
    newest_versions: Mapping[str, str]
    """What the run with the newest versions had, by normalised name."""
    bounded: Sequence[Bounded]
    """What the project declares with a lower bound."""
    folder: Path
    progress: Reporter
    runs: dict[tuple[str, ...], RecipeRun] = field(default_factory=dict)
    """By pins."""

    def recipe_run(self, pins: Pins) -> RecipeRun:
        """The run with ``pins``, made now where it was not made before."""
        held = as_pins({name: version for name, version in pins.items() if version is not None})
        if held not in self.runs:
            loose = sorted(f"{name} as new as it goes" for name, version in pins.items() if version is None)
            shown = [*held[:4], *(["…"] if len(held) > 4 else [])]
            text = f"run {len(self.runs) + 1}: {', '.join([*shown, *loose])}"
            self.progress.report(Activity(text=text))
            self.runs[held] = run_recipe(
                pinned(self.recipe, held),
                self.dated,
                self.resources,
                log_folder=self.folder / f"{len(self.runs) + 1:03}",
                choice=self.choice,
            )
            self.progress.report(Activity(text=f"run {len(self.runs)}: {self._said(self.runs[held])}"))
        return self.runs[held]

    def _said(self, recipe_run: RecipeRun) -> str:
        outcome = self.outcome(recipe_run)
        if outcome is None:
            return "does not resolve"
        if recipe_run.failure is not None:
            return "does not build"
        return f"{counted(len(outcome.failing), 'test')} fail that pass with the newest"

    def __call__(self, bounds: Pins) -> HeldOutcome | None:
        """What tests say with the lowest versions within ``bounds``; None where these do not resolve."""
        pins = self.lowest_within(bounds)
        if pins is None or isinstance(self.resolution(pins), BuildFailure):
            return None  # for a run other installers would be tried
        return self.outcome(self.recipe_run(pins))

    def lowest_within(self, bounds: Pins) -> dict[str, str] | None:
        """The lowest versions that go together and are not below ``bounds``; None where there are none.

        What is let go is as new as in the run with the newest versions: these go together.
        """
        wanted = []
        for one in self.bounded:
            version = bounds.get(one.name) or self.newest_versions.get(one.name)
            wanted.append(with_lower_bound(one.requirement, version) if version else str(one.requirement))
        resolved = self.declared(wanted, lowest=True)
        if isinstance(resolved, BuildFailure):
            return None
        locked = {one.name: one.version for one in resolved.lock.distributions}
        return {one.name: locked[one.name] for one in self.bounded if one.name in locked}

    def outcome(self, recipe_run: RecipeRun) -> HeldOutcome | None:
        """What ``recipe_run`` says. What does not build, or passes no test, fails everything."""
        good = frozenset(result.id for result in self.newest.results if result.outcome.good)
        if recipe_run.failure is not None and recipe_run.failure.phase == "resolve":
            return None
        if recipe_run.environment is None or recipe_run.run is None:
            return HeldOutcome(failing=good, versions={})
        versions = {one.name: one.version for one in recipe_run.environment.lock.distributions}
        if not count_outcomes(recipe_run.run).passed:
            return HeldOutcome(failing=good, versions=versions)
        broke = compare_runs(self.newest, recipe_run.run).broke
        return HeldOutcome(failing=frozenset(broke), versions=versions)

    def resolution(self, pins: Pins) -> Resolution | BuildFailure:
        """What the recipe resolves to with ``pins``."""
        held = as_pins({name: version for name, version in pins.items() if version is not None})
        request = request_for(pinned(self.recipe, held), self.dated, self.choice)
        return self.resources.builder.resolve(request)

    def declared(self, requirements: Sequence[str], *, lowest: bool) -> Resolution | BuildFailure:
        """What ``requirements`` alone resolve to: the newest of them, or the lowest."""
        return declared_resolution(self.dated, self.choice, self.resources, requirements, lowest=lowest)


def pinned(recipe: Recipe, pins: Sequence[str]) -> Recipe:
    """``recipe`` that also asks for ``pins``."""
    if not pins:
        return recipe
    step = InstallStep(kind="packages", packages=tuple(pins), provenance=_PINS)
    return replace(recipe, install=(*recipe.install, step))


def declared_resolution(
    dated: DatedProject,
    choice: InterpreterChoice,
    resources: Resources,
    requirements: Sequence[str],
    *,
    lowest: bool,
) -> Resolution | BuildFailure:
    """What ``requirements``, and nothing of the project, resolve to."""
    step = InstallStep(
        kind="packages",
        packages=tuple(requirements),
        provenance=Provenance(rule="what the project declares"),
    )
    request = EnvironmentRequest(
        name=dated.name,
        tree=dated.tree,
        digest=dated.digest,
        steps=(step,),
        choice=choice,
        instant=dated.instant,
        resolution="lowest-direct" if lowest else "highest",
    )
    return resources.builder.resolve(request)
