"""The two sides of a check: one recipe carried out at both instants, proven on the old one where needed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from backdate.checking.loop import Attempt, Loop
from backdate.checking.loop_backend import ProjectBackend, index_names
from backdate.checking.loosening import loosened_recipe
from backdate.checking.options import SetupOptions
from backdate.checking.own_frames import with_own_frames
from backdate.checking.recipe_run import DatedProject, Means, RecipeRun, run_recipe
from backdate.checking.result import Side
from backdate.checking.settings import Settings
from backdate.checking.starting_recipes import StartingRecipe, StartingRecipes, keep_proven
from backdate.checking.validation import count_outcomes, is_proven
from backdate.environments.cache import Cache
from backdate.progress import Activity, Reporter, StageEntered
from backdate.projects.project import Project
from backdate.recipes.recipe import Recipe
from backdate.sandboxes.threads import both
from backdate.testing.outcomes import SuiteRun

SideOfCheck = Literal["old", "new"]
_LEAST_SHARE = 0.5
"""Below, files that cannot be collected keep a check from seeing most of a suite."""
_SEVERAL = 6
"""Recipes that are tried where there is something to compare anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """What both sides of a check share."""

    project: Project
    old: DatedProject
    new: DatedProject
    """Its ``python_constraint`` has no upper bound, and its tree no pins."""
    means: Means
    settings: Settings
    cache: Cache
    folder: Path
    progress: Reporter


@dataclass(frozen=True, slots=True, kw_only=True)
class Both:
    """Both sides, carried out."""

    old: Side
    new: Side
    notes: tuple[str, ...]
    """Where the recipe comes from, when that is not the project's own files."""


def carry_out_both(pair: Pair, beginning: StartingRecipes) -> Both:
    """Both sides with one recipe: the first of ``beginning``, unless that tests little on the old side.

    Then the old side is set up as ``backdate setup`` does it, and both sides have what came of that. A new
    side that does not build with that recipe is repaired as far as building goes.
    """
    first = beginning.starts[0]
    old, new = both(lambda: _carry_old(pair, first), lambda: _carry_new(pair, first.recipe))
    best = first
    repairs: tuple[str, ...] = ()
    lack = what_is_lacking(old.run)
    if lack:
        text = f"{lack} with the first recipe: trying others and repairs"
        pair.progress.report(Activity(text=text))
        found = _set_up_old(pair, beginning.starts, old)
        if found is not None and found.recipe_run is not old:
            old, best, repairs = (
                found.recipe_run,
                beginning.starts[found.attempt.candidate - 1],
                found.repairs,
            )
            if old.environment is not None:
                new = _carry_new(pair, old.recipe, "new/proven")
    if pair.settings.store and is_proven(old.run):
        keep_proven(pair.project, old, pair.old.instant, pair.cache)
    on_new = repairs
    if new.failure is not None and old.run is not None:
        mended = _mend_new(pair, new)
        if mended is not None:
            new, on_new = mended.recipe_run, (*repairs, *mended.repairs)
    notes = list(beginning.notes)
    if best.source.startswith("store:"):
        notes.append(f"the recipe is from the {best.source}")
    if best is not first:
        notes.append(f"{lack} with the first recipe ({first.source}); this one is from {best.source}")
    return Both(old=_side(pair, "old", old, repairs), new=_side(pair, "new", new, on_new), notes=tuple(notes))


def what_is_lacking(run: SuiteRun | None) -> str:
    """Why an old side has to be set up with repairs; empty for one that shows what an update breaks.

    Tests that fail are taken as they are. But of files that cannot be collected nothing is known: where most
    of a suite is lost to those, something is not installed.
    """
    counts = count_outcomes(run)
    if not counts.passed:
        return "no test passes"
    lost = counts.not_collected > counts.failed and counts.share < _LEAST_SHARE
    return f"{counts.not_collected} test files cannot be collected" if lost else ""


def _carry_old(pair: Pair, start: StartingRecipe) -> RecipeRun:
    recipe_run = run_recipe(
        start.recipe,
        pair.old,
        pair.means,
        log_folder=pair.folder / "old",
        progress=pair.progress,
        subject="old",
        python=start.python,
    )
    _tell_end(pair, "old", recipe_run)
    return recipe_run


def _carry_new(pair: Pair, recipe: Recipe, log_folder: str = "new") -> RecipeRun:
    """``recipe`` on the new side. What it was run with then does not bound the interpreter of now."""
    recipe_run = run_recipe(
        loosened_recipe(recipe),
        pair.new,
        pair.means,
        log_folder=pair.folder / log_folder,
        progress=pair.progress,
        subject="new",
        choice=pair.means.interpreters.choose(
            pair.new.python_constraint, pair.new.instant, forced=pair.new.python
        ),
    )
    _tell_end(pair, "new", recipe_run)
    return recipe_run


def _tell_end(pair: Pair, name: SideOfCheck, recipe_run: RecipeRun) -> None:
    if recipe_run.failure is not None:
        detail = f"no environment ({recipe_run.failure.phase})"
        pair.progress.report(StageEntered(subject=name, stage="failed", detail=detail))
    else:
        pair.progress.report(StageEntered(subject=name, stage="done"))


def _set_up_old(pair: Pair, starts: Sequence[StartingRecipe], known: RecipeRun) -> Attempt | None:
    with ExitStack() as stack:
        backend = ProjectBackend(
            ground=pair.old,
            means=pair.means,
            folder=pair.folder / "old",
            names=index_names(pair.settings, pair.cache, stack),
            progress=pair.progress,
            subject="old",
        )
        options = (
            replace(SetupOptions(), attempts=_SEVERAL) if count_outcomes(known.run).passed else SetupOptions()
        )
        return Loop(backend, options, pair.old.tree).run(starts, known=known)


def _mend_new(pair: Pair, known: RecipeRun) -> Attempt | None:
    """The new side's environment built with a repaired recipe; None when no repair helps.

    Tests that fail there are what the check is about: nothing is repaired for them, nor is the interpreter
    changed.
    """
    with ExitStack() as stack:
        backend = ProjectBackend(
            ground=replace(pair.new, python=known.choice.interpreter.version),
            means=pair.means,
            folder=pair.folder / "new",
            names=index_names(pair.settings, pair.cache, stack),
            progress=pair.progress,
            subject="new",
        )
        loop = Loop(
            backend,
            SetupOptions(),
            pair.new.tree,
            enough=lambda recipe_run: recipe_run.environment is not None,
        )
        best = loop.run([StartingRecipe(recipe=known.recipe, source="the old side's recipe")], known=known)
    return best if best is not None and best.recipe_run.environment is not None else None


def _side(pair: Pair, name: SideOfCheck, recipe_run: RecipeRun, repairs: tuple[str, ...]) -> Side:
    ground = pair.old if name == "old" else pair.new
    _tell_end(pair, name, recipe_run)
    return Side(
        instant=ground.instant,
        choice=recipe_run.choice,
        recipe=recipe_run.recipe,
        compromise="; ".join(repairs),
        environment=recipe_run.environment,
        failure=recipe_run.failure,
        run=None if recipe_run.run is None else with_own_frames(recipe_run.run, ground.tree),
    )
