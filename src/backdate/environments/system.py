"""The system packages of a recipe, as a base system for its environments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backdate.environments.cache import Cache
from backdate.recipes.recipe import Recipe
from backdate.sandboxes.interface import BaseSystem, Sandbox

if TYPE_CHECKING:
    from backdate.sandboxes.bases import BaseFailure, BaseSettings


def apt_packages(recipe: Recipe) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The Debian packages that a recipe asks for, sorted, and those that are not valid names."""
    from backdate.sandboxes.bases import is_name

    asked = {name for packages in recipe.system if packages.manager == "apt" for name in packages.packages}
    names = {name for name in asked if is_name(name)}
    return tuple(sorted(names)), tuple(sorted(asked - names))


def base_for(
    cache: Cache, sandbox: Sandbox, packages: tuple[str, ...], *, settings: BaseSettings | None = None
) -> BaseSystem | BaseFailure | None:
    """A base system with those Debian packages, for ``EnvironmentRequest.base``; None when there are none.

    Raises as :meth:`backdate.sandboxes.bases.Bases.prepare` does.
    """
    from backdate.sandboxes.bases import Bases, BaseSettings

    if not packages:
        return None
    bases = Bases(sandbox=sandbox, folder=cache.systems, settings=settings or BaseSettings())
    return bases.prepare(packages)
