"""A project at two instants: what was built on each side and what its tests said there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from backdate.checking.compare import compare_runs
from backdate.checking.dated_project import DatedProject, dated_project
from backdate.checking.own_frames import with_own_frames
from backdate.checking.recipe_run import RecipeRun, request_for
from backdate.checking.result import CheckResult, Comparison, Side, Verdict
from backdate.checking.verdict import decide
from backdate.environments.inputs import EnvironmentRequest
from backdate.projects.project import Origin, Project


@dataclass(frozen=True, kw_only=True)
class SidePair:
    """Both sides of a project. The trees have to stay where they are for as long as the pair is used."""

    origin: Origin
    old_project: DatedProject
    new_project: DatedProject
    """The unpinned copy; its ``python_constraint`` has no upper bound."""
    old: Side
    """Its environment, where it has one, has to exist: nothing is built for it again."""
    new: Side
    notes: tuple[str, ...] = ()
    """Where the recipe comes from, when that is not the project's own files, and what else is to be known."""

    @cached_property
    def comparison(self) -> Comparison | None:
        """The tests of the two sides; None unless both ran."""
        if self.old.run is None or self.new.run is None:
            return None
        return compare_runs(self.old.run, self.new.run)

    @property
    def verdict(self) -> tuple[Verdict, str]:
        """What the two sides mean, and one sentence that says why."""
        return decide(self.old, self.new, self.comparison)

    @property
    def old_request(self) -> EnvironmentRequest:
        """What the old side's environment was asked for with."""
        return _request(self.old, self.old_project)

    @property
    def new_request(self) -> EnvironmentRequest:
        """What the new side's environment was asked for with."""
        return _request(self.new, self.new_project)


def pair_of_check(checked: CheckResult, trees: Path) -> SidePair:
    """The sides of a check that kept its trees in ``trees``."""

    def dated(name: str, side: Side) -> DatedProject:
        root = trees / name / "tree"
        return dated_project(Project(name=checked.project, root=root, origin=checked.origin), side.instant)

    return SidePair(
        origin=checked.origin,
        old=checked.old,
        new=checked.new,
        old_project=dated("old", checked.old),
        new_project=dated("new", checked.new),
        notes=checked.notes,
    )


def side_of(dated: DatedProject, recipe_run: RecipeRun, repairs: tuple[str, ...] = ()) -> Side:
    """The side that ``recipe_run`` on ``dated`` is. ``repairs``: what was changed in the first recipe."""
    return Side(
        instant=dated.instant,
        choice=recipe_run.choice,
        recipe=recipe_run.recipe,
        compromise="; ".join(repairs),
        environment=recipe_run.environment,
        failure=recipe_run.failure,
        run=None if recipe_run.run is None else with_own_frames(recipe_run.run, dated.tree),
    )


def _request(side: Side, dated: DatedProject) -> EnvironmentRequest:
    base = side.environment.base if side.environment is not None else None
    return replace(request_for(side.recipe, dated, side.choice), base=base)
