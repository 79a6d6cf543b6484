"""The one place that says how a tree is set up: ``backdate setup``'s loop at its instant, its result kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from backdate.checking.dated_project import DatedProject
from backdate.checking.recipe_run import RecipeRun
from backdate.checking.result import Side
from backdate.checking.settings import SetupOptions
from backdate.checking.side_runner import side_of
from backdate.checking.tree_setup import StartingPoint, set_up_tree
from backdate.construction.job_context import JobContext, cpu_of
from backdate.construction.store import keep, read_kept


@dataclass(frozen=True, slots=True, kw_only=True)
class _StoredSide:
    """A side in the store; None when there was no recipe to try."""

    side: Side | None
    proven: bool = False
    python: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """The best attempt at setting a tree up."""

    side: Side
    proven: bool
    """Whether most of its tests pass, as a proven recipe's do."""
    python: str | None
    """The interpreter ("3.7") that a repair asked for, against what the project says; None as a rule."""


def set_up_kept(
    context: JobContext,
    dated: DatedProject,
    key: str,
    recipes: Callable[[], Sequence[StartingPoint]],
    *,
    enough: Callable[[RecipeRun], bool] | None = None,
) -> SetUp | None:
    """``dated`` set up until most of its tests pass, or as well as it went; None with nothing to try.

    ``key``: of all that the result depends on; it is made once. ``recipes``: what to try, the most trusted
    first. ``enough``: see ``set_up_tree``. Raises InterpreterMissing and what else the machine lacks.
    """
    name = f"sides/{key}"
    stored = read_kept(context.store, _StoredSide, name)
    if stored is None:
        stored = _set_up(context, dated, recipes(), enough)
        keep(context.store, name, stored)
    if stored.side is None:
        return None
    return SetUp(side=stored.side, proven=stored.proven, python=stored.python)


def _set_up(
    context: JobContext,
    dated: DatedProject,
    recipes: Sequence[StartingPoint],
    enough: Callable[[RecipeRun], bool] | None,
) -> _StoredSide:
    options = SetupOptions(attempts=context.plan.setup_attempts, rounds=context.plan.setup_rounds)
    done = set_up_tree(dated, recipes, options, context.resources, context.log_folder(), enough=enough)
    if done is None:
        return _StoredSide(side=None)
    for attempt in done.tried:
        context.spend("build", attempt.build_s)
        context.spend("test", attempt.run.duration_s if attempt.run is not None else 0.0)
        context.spend(cpu_of("test"), attempt.tests_cpu_s)
        if attempt.environment is not None:
            context.uses.hold(attempt.environment)
    side = side_of(dated, done.recipe_run, done.repairs)
    return _StoredSide(side=side, proven=done.proven, python=done.recipe_run.python)
