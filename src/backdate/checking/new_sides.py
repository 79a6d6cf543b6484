"""The new side of each question: its tree, its bounds and its interpreter."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from backdate.checking.dated_project import DatedProject, choose, unpinned_project
from backdate.checking.question import Question
from backdate.checking.side_runner import SideName, SideRunner
from backdate.checking.starting_recipes import StartingRecipes
from backdate.projects.project import Project
from backdate.projects.tree import copy_tree
from backdate.recipes.recipe import Recipe
from backdate.timeline.instants import Instant

if TYPE_CHECKING:
    from backdate.projects.unpinning import Unpinning


@dataclass(slots=True, kw_only=True)
class NewSides:
    """Begins the new sides of a project, each once and in any thread, while the old one runs."""

    project: Project
    old_side: SideRunner
    starting: StartingRecipes
    instant: Instant
    """When the new sides are."""
    work: Path
    """For copies of the tree."""
    several: bool
    """Whether more than one question is asked: a side is named by its question then."""
    moves_python: bool
    loosened: dict[Question, Unpinning] = field(default_factory=dict)
    """What was loosened for the sides that have begun; nothing for one whose tree is as the project's."""

    dated: dict[Question, DatedProject] = field(default_factory=dict)
    """The project of each side that has begun."""

    def begin(self, question: Question) -> SideRunner:
        """The new side of ``question``."""
        name: SideName = question.value if self.several else "new"
        old = self.old_side
        side = replace(
            old,
            name=name,
            dated=replace(old.dated, instant=self.instant, locked=None),
            folder=old.folder.parent / name,
            question=question,
            moves_python=self.moves_python,
        )
        side = self._lifted(side) if question is Question.LIFTED else self._declared(side)
        self.dated[question] = side.dated
        return side

    @property
    def _recipes(self) -> list[Recipe]:
        return [start.recipe for start in self.starting.starts]

    def _declared(self, side: SideRunner) -> SideRunner:
        """``side`` with the project as its users install it."""
        from backdate.checking.users_versions import as_users_get_it  # beside the old side, which runs

        if not self.moves_python:
            old, first = self.old_side.dated, self.starting.starts[0]
            side = replace(side, beside=choose(first.recipe, old, side.resources.interpreters, first.python))
        side, loosened = as_users_get_it(side, self.project, self._recipes, self.work / "declared")
        if loosened is not None:
            self.loosened[Question.DECLARED] = loosened
        return side

    def _lifted(self, side: SideRunner) -> SideRunner:
        """``side`` with a copy of the project without pins and upper bounds."""
        from backdate.projects.unpinning import apply_unpinning, unpin_tree
        from backdate.recipes.loosening import requirement_files_of

        tree = self.work / "new"
        copy_tree(self.project.root, tree)
        unpinning = unpin_tree(tree, requirements=requirement_files_of(self._recipes))
        apply_unpinning(unpinning, tree)
        self.loosened[Question.LIFTED] = unpinning
        dated = unpinned_project(
            replace(self.project, root=tree), self.instant, python=self.old_side.dated.python
        )
        return replace(side, dated=dated)
