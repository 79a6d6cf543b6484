"""What users of a project get, and which pins of its developers forbid that.

Who installs a library gets what its metadata allow. Files for its developers (pinned requirements of the
tests, a line of a CI file) may hold other versions of the same distributions: no user has these, so the
declared side does not obey them. Where the recipe does not install the project itself, its files are what
is installed, and all of them count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from backdate.checking.dated_project import dated_project
from backdate.checking.own_bounds import read_bound
from backdate.checking.recipe_run import based_request
from backdate.environments.environment import BuildFailure, Lock
from backdate.projects.project import Project
from backdate.projects.tree import copy_tree
from backdate.projects.unpinning import Unpinning, apply_unpinning, unpin_tree
from backdate.projects.unpinning.report import Kind
from backdate.recipes.basic import is_for_developers
from backdate.recipes.loosening import requirement_files_of
from backdate.recipes.recipe import Recipe
from backdate.text import UNREADABLE

if TYPE_CHECKING:
    from backdate.checking.side_runner import SideRunner

_SEEDS = ("pip", "setuptools", "wheel")
"""In every environment, whatever a project requires."""


def as_users_get_it(
    side: SideRunner, project: Project, recipes: Sequence[Recipe], tree: Path
) -> tuple[SideRunner, Unpinning | None]:
    """The declared ``side`` without the pins of developers that forbid what users get, and what was loosened.

    ``recipes``: of the project, the one to begin with first. ``tree``: where a copy of the project is made,
    if one is needed.
    """
    users = users_lock(side, recipes[0])
    if users is None:
        return side, None

    def wanted(kind: Kind, name: str, before: str) -> bool:
        return name.startswith("--") or (kind in ("dependency", "constraint") and forbids(before, users))

    side = replace(side, users=users)
    unpinning = unpin_tree(project.root, requirements=requirement_files_of(recipes), wanted=wanted)
    if not unpinning.files:
        return side, None
    copy_tree(project.root, tree)
    apply_unpinning(unpinning, tree)
    old = side.dated
    dated = dated_project(replace(project, root=tree), old.instant, python=old.python)
    return replace(side, dated=dated), unpinning


def users_lock(side: SideRunner, recipe: Recipe) -> Lock | None:
    """What the project resolves to alone, without extras for developers; None where it does not, or is not
    installed.
    """
    steps = tuple(
        replace(step, extras=tuple(extra for extra in step.extras if not is_for_developers(extra)))
        for step in recipe.install
        if step.kind == "project"
    )
    if not steps:
        return None
    alone = replace(recipe, install=steps)
    request = based_request(alone, side.dated, side.resources, side.new_choice())
    if isinstance(request, BuildFailure):
        return None
    resolution = side.resources.builder.resolve(request)
    if isinstance(resolution, BuildFailure):
        return None
    distributions = (one for one in resolution.lock.distributions if one.name not in _SEEDS)
    return replace(resolution.lock, distributions=tuple(distributions))


def forbids(requirement: str, users: Lock | None) -> bool:
    """Whether ``requirement`` forbids the version of its distribution that users get."""
    read = None if users is None else read_bound(requirement, users.python)
    if users is None or read is None:
        return False
    name, specifier = read
    version = next((one.version for one in users.distributions if one.name == name), None)
    try:
        return version is not None and not specifier.contains(version, prereleases=True)
    except UNREADABLE:
        return False
