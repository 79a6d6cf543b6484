"""The declared side with newer test tools than developers pin: no user gets these pins with the project."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from packaging.utils import canonicalize_name

from backdate.checking.own_bounds import read_bound
from backdate.checking.side_runner import SideRunner
from backdate.projects.tree import copy_tree, tree_digest
from backdate.projects.unpinning import apply_unpinning, unpin_tree
from backdate.projects.unpinning.report import Kind
from backdate.recipes.loosening import loosened_recipe, requirement_files_of
from backdate.recipes.recipe import Recipe


def with_newer_tools(
    side: SideRunner, recipe: Recipe, tools: Collection[str], python: str
) -> tuple[SideRunner, Recipe] | None:
    """``side`` and ``recipe`` without what the project's files pin of ``tools``; None where they pin none.

    ``tools``: normalised names. ``python``: the version of the interpreter. The side gets a tree of its own,
    beside the one that it has.
    """

    def is_of_tool(requirement: str) -> bool:
        read = read_bound(requirement, python)
        return read is not None and read[0] in tools

    def wanted(kind: Kind, name: str, before: str) -> bool:
        return name.startswith("--") or (kind in ("dependency", "constraint") and is_of_tool(before))

    kept = [each for step in recipe.install for each in step.packages if not is_of_tool(each)]
    loose = loosened_recipe(recipe, kept)
    unpinning = unpin_tree(side.dated.tree, requirements=requirement_files_of([recipe]), wanted=wanted)
    named = any(canonicalize_name(change.name) in tools for change in unpinning.changes)
    if not named and loose == recipe:
        return None
    if not named:
        return side, loose
    tree = side.dated.tree.parent / "newer-tools" / side.dated.tree.name
    tree.parent.mkdir()
    copy_tree(side.dated.tree, tree)
    apply_unpinning(unpinning, tree)
    return replace(side, dated=replace(side.dated, tree=tree, digest=tree_digest(tree))), loose
