"""The project's own bounds that keep the two questions apart: those that the newest releases do not obey."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from backdate.environments.environment import Lock
from backdate.projects.unpinning import LoosenedRequirement
from backdate.recipes.loosening import loosened_recipe
from backdate.recipes.poetry import poetry_specifier
from backdate.recipes.recipe import Recipe
from backdate.text import UNREADABLE

_FIRST = ("pyproject.toml", "setup.cfg", "setup.py", "Pipfile")
"""Where users of a package meet a bound, before files for its developers."""
_NAME_AND_REST = re.compile(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s+(\S.*)\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnBound:
    """A bound of one distribution, at the place where a user meets it first."""

    distribution: str
    """Normalised."""
    declared: str
    """As the file spells it."""
    file: str
    line: int
    specifier: str
    """PEP 440; of all places that bound this distribution."""
    newest: str
    """The version that is taken where nothing bounds it, and that this forbids."""

    @property
    def constraint(self) -> str:
        """As a requirement (PEP 508) without extras and markers."""
        return f"{self.distribution}{self.specifier}"


def separating_bounds(
    changes: Iterable[LoosenedRequirement], recipe: Recipe, newest: Lock, declared: Lock | None = None
) -> tuple[OwnBound, ...]:
    """The bounds that were loosened and that a distribution of ``newest`` does not obey, one for each.

    ``changes``: what was loosened in the project's files. ``recipe``: as its files state it. ``newest``: the
    lock of the environment in which nothing bounds. ``declared``: that of the one with the bounds, where it
    is known: what that one does not obey either is no bound of it.
    """
    versions = {one.name: one.version for one in newest.distributions}
    held = {one.name: one.version for one in declared.distributions} if declared is not None else {}
    bounds: dict[str, OwnBound] = {}
    for text, file, line in (*_of_files(changes), *_of_recipe(recipe)):
        read = read_bound(text, newest.python)
        if read is None or (version := versions.get(read[0])) is None:
            continue
        name, specifier = read
        try:
            obeyed = specifier.contains(version, prereleases=True)
            obeyed = obeyed or (name in held and not specifier.contains(held[name], prereleases=True))
        except UNREADABLE:
            continue
        if obeyed:
            continue
        own = OwnBound(
            distribution=name,
            declared=text,
            file=file,
            line=line,
            specifier=str(specifier),
            newest=version,
        )
        known = bounds.get(name)
        if known is not None:
            joined = str(SpecifierSet(known.specifier) & specifier)
            own = replace(min(known, own, key=_rank), specifier=joined)
        bounds[name] = own
    return tuple(sorted(bounds.values(), key=lambda bound: (*_rank(bound), bound.distribution)))


def _rank(bound: OwnBound) -> tuple[int, str, int]:
    place = _FIRST.index(bound.file) if bound.file in _FIRST else len(_FIRST)
    return place, bound.file, bound.line


def _of_files(changes: Iterable[LoosenedRequirement]) -> Iterator[tuple[str, str, int]]:
    for change in changes:
        if change.kind in ("dependency", "constraint"):
            yield change.before, change.file, change.line


def _of_recipe(recipe: Recipe) -> Iterator[tuple[str, str, int]]:
    """What steps of the recipe write out, such as a line of a CI file."""
    for step, loosened in zip(recipe.install, loosened_recipe(recipe).install, strict=True):
        if step.provenance.file is None:
            continue
        for own, loose in zip(step.packages, loosened.packages, strict=True):
            if own != loose:
                yield own, step.provenance.file, step.provenance.line or 1


def read_bound(text: str, python: str) -> tuple[str, SpecifierSet] | None:
    """The distribution and the specifier of a requirement; None for what holds for no such interpreter."""
    try:
        requirement = Requirement(text)
    except UNREADABLE:
        return _read_poetry(text)
    marker = requirement.marker
    minor = ".".join(python.split(".")[:2])
    if marker is not None and not marker.evaluate(
        {"python_version": minor, "python_full_version": python, "extra": ""}
    ):
        return None
    return canonicalize_name(requirement.name), requirement.specifier


def _read_poetry(text: str) -> tuple[str, SpecifierSet] | None:
    """A name and a constraint of Poetry, as unpinning reports it."""
    match = _NAME_AND_REST.match(text)
    if match is None:
        return None
    try:
        return canonicalize_name(match[1]), SpecifierSet(poetry_specifier(match[2]))
    except UNREADABLE:
        return None
