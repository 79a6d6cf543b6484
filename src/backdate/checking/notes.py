"""What a reader of a result has to know of a recipe that was carried out."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from backdate.environments.environment import Environment, InterpreterChoice
from backdate.recipes.recipe import Recipe
from backdate.testing.outcomes import SuiteRun


def notes_of(
    recipe: Recipe, choice: InterpreterChoice, environment: Environment | None, run: SuiteRun | None
) -> tuple[str, ...]:
    """Substitutes, cutoff_overrides, weaker protections and suspicions, each in a sentence."""
    return tuple(_notes(recipe, choice, environment, run))


def _notes(
    recipe: Recipe, choice: InterpreterChoice, environment: Environment | None, run: SuiteRun | None
) -> Iterator[str]:
    if choice.note:
        yield choice.note
    base = environment.base if environment is not None else None
    yield from system_notes(recipe, base.packages if base is not None else ())
    if environment is not None:
        if environment.road:
            yield f"installed by {environment.road}"
        for one in environment.lock.cutoff_overrides:
            yield f"{one.name} was cut at {one.until:%Y-%m-%d} instead: {one.reason}"
    if run is not None:
        yield from run.suspicions
        if run.attempts > 1:
            yield f"it took {run.attempts} processes, as tests crashed them"
        if run.enforced.files == "none":
            yield f"ran without isolation ({run.enforced.sandbox})"
        elif run.enforced.memory != "tree":
            yield "the memory limit held for each process, not for all together"


def system_notes(recipe: Recipe, applied: Collection[str]) -> Iterator[str]:
    """The packages that the recipe asks for from the system and from conda; ``applied`` are there."""
    if applied:
        yield f"from apt, as they are today: {', '.join(applied)}"
    for manager in ("apt", "conda"):
        names = dict.fromkeys(
            name for system in recipe.system if system.manager == manager for name in system.packages
        )
        missing = [name for name in names if name not in applied]
        if missing:
            yield f"asked for from {manager}, not installed: {', '.join(missing)}"
