"""A source tree at an instant, and the interpreter that it or a recipe for it gets there.

A CI file or a tox.ini names the interpreters that the tests were really run with then; the metadata say
which ones installers accept, and the rule of TimeMachine-bench (arXiv 2601.22597) picks one of those. Where
that one was tested with, it is taken; else the newest one that was tested with and is accepted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from backdate.environments.environment import Interpreter, InterpreterChoice
from backdate.environments.interpreter_choice import choose_interpreter
from backdate.environments.interpreters import find_interpreters
from backdate.environments.uv import find_uv
from backdate.environments.uv_downloads import UvDownloads
from backdate.projects.project import Project
from backdate.projects.python_constraint import (
    PythonConstraint,
    read_python_constraint,
    wanted_release,
    without_upper_bound,
)
from backdate.projects.tree import tree_digest
from backdate.recipes.recipe import DeclaredPythons, Recipe
from backdate.text import minor_version
from backdate.timeline.calendar import latest_release, releases_before
from backdate.timeline.instants import Instant

if TYPE_CHECKING:
    from backdate.projects.locked_versions import LockedVersions


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedProject:
    """One tree at one instant."""

    name: str
    tree: Path
    digest: str
    """``tree_digest(tree)``."""
    instant: Instant
    python_constraint: PythonConstraint
    """What the metadata say about interpreters."""
    version_hint: str | None = None
    python: str | None = None
    """The interpreter ("3.8") that the user asked for, whatever the project says."""
    locked: LockedVersions | None = None
    """The versions that what is installed is held to; None for what the instant has."""


def dated_project(project: Project, instant: Instant, *, python: str | None = None) -> DatedProject:
    """The tree of ``project``, as it is, at ``instant``. ``python``: what the user asked for."""
    return DatedProject(
        name=project.name,
        tree=project.root,
        digest=tree_digest(project.root),
        instant=instant,
        python_constraint=read_python_constraint(project.root),
        version_hint=project.origin.version_hint,
        python=python,
    )


def unpinned_project(project: Project, instant: Instant, *, python: str | None = None) -> DatedProject:
    """The unpinned tree of ``project`` at ``instant``, long after its metadata were written.

    The upper bound that they put on interpreters does not bind it any more.
    """
    dated = dated_project(project, instant, python=python)
    return replace(dated, python_constraint=without_upper_bound(dated.python_constraint))


class Interpreters:
    """What is on this machine, looked up once, and uv's downloads where that is not enough."""

    def __init__(self, cache: Path, *, downloads: bool = True) -> None:
        """``cache`` keeps what the probes of interpreters answered, and what could not be downloaded.

        ``downloads``: whether uv may download what is not here.
        """
        self._cache = cache
        memory = cache / "locks" / "unavailable-pythons"
        self._downloads = UvDownloads(uv=find_uv(), environment=os.environ, memory=memory, allowed=downloads)
        self._by_minor: dict[str, tuple[Interpreter, ...]] = {}

    @cached_property
    def available(self) -> tuple[Interpreter, ...]:
        """The interpreters that may be used, by version."""
        return self._find(None)

    def _find(self, minor: str | None) -> tuple[Interpreter, ...]:
        return find_interpreters(
            cache_file=self._cache / "interpreters.json", environment=os.environ, minor=minor
        )

    def _to_choose_from(
        self, wanted: str, specifier: str | None, forced: str | None
    ) -> tuple[Interpreter, ...]:
        """Those of the minor that is named where one of them will be taken; else all that there are."""
        named = re.match(r"3\.\d+", forced or wanted)
        if named is not None and "available" not in self.__dict__:
            if named[0] not in self._by_minor:
                self._by_minor[named[0]] = self._find(named[0])
            found = self._by_minor[named[0]]
            allowed = SpecifierSet("" if forced else specifier or "")
            if any(one.version == wanted or allowed.contains(one.version) for one in found):
                return found
        return self.available

    def choose(
        self, python_constraint: PythonConstraint, instant: Instant, *, forced: str | None = None
    ) -> InterpreterChoice:
        """The interpreter for ``python_constraint`` at ``instant``; a substitute has a note.

        ``forced`` ("3.8", "3.8.18") takes the place of the rule. Raises InterpreterMissing.
        """
        wanted, reason = wanted_release(python_constraint, instant)
        return self._choose(wanted, python_constraint.specifier, instant, reason, forced)

    def choose_for(
        self,
        recipe: Recipe,
        python_constraint: PythonConstraint,
        instant: Instant,
        *,
        forced: str | None = None,
    ) -> InterpreterChoice:
        """As ``choose``, for a recipe that may name the interpreters that it was run with."""
        narrowed = constraint_with_recipe(python_constraint, recipe, instant, self.obtainable)
        if narrowed is python_constraint:
            return self.choose(python_constraint, instant, forced=forced)
        wanted, reason = wanted_release(narrowed, instant)
        return self._choose(
            wanted, python_constraint.specifier if binds(python_constraint) else None, instant, reason, forced
        )

    def _choose(
        self, wanted: str, specifier: str | None, instant: Instant, reason: str, forced: str | None
    ) -> InterpreterChoice:
        return choose_interpreter(
            wanted,
            specifier,
            instant,
            self._to_choose_from(wanted, specifier, forced),
            reason=reason,
            forced=forced,
            downloads=self._downloads,
        )

    def obtainable(self, minor: str) -> bool:
        """Whether a release of ``minor`` ("3.8") is on this machine or can be downloaded."""
        if any(python.version.startswith(f"{minor}.") for python in self.available):
            return True
        return self._downloads.nearest(f"{minor}.0") is not None

    def usable_at(self, instant: Instant) -> tuple[str, ...]:
        """The versions on this machine of minors that were released before ``instant``, ascending."""
        minors = {release.minor for release in releases_before(instant)}
        return tuple(python.version for python in self.available if _minor(python.version) in minors)


def _minor(version: str) -> tuple[int, int]:
    major, minor, *_ = version.split(".")
    return int(major), int(minor)


_VERSION = re.compile(r"(3\.\d{1,2})(?:\.(\d{1,3}))?(?:\.[x*])?(?:-dev)?\Z")


def constraint_with_recipe(
    python_constraint: PythonConstraint, recipe: Recipe, instant: Instant, obtainable: Callable[[str], bool]
) -> PythonConstraint:
    """``python_constraint`` (the metadata's), narrowed to what ``recipe`` was run with at ``instant``.

    ``obtainable`` says whether a minor ("3.8") can be had on this machine. The same constraint where the
    recipe names no interpreter, or none that was released by then, is accepted and can be had.
    """
    named = recipe.interpreter
    if named is None:
        return python_constraint
    minors = [minor for minor in _accepted(named, python_constraint, instant) if obtainable(minor)]
    minors = minors or _nearest(named, python_constraint, instant, obtainable)
    if not minors:
        return python_constraint
    usual = Version(wanted_release(python_constraint, instant)[0])
    usual_minor = f"{usual.major}.{usual.minor}"
    chosen = usual_minor if usual_minor in minors else max(minors, key=Version)
    specifier = SpecifierSet(f"=={chosen}.*") & SpecifierSet(
        (python_constraint.specifier or "") if binds(python_constraint) else ""
    )
    source = named.provenance.rule
    words = f"{source} names {', '.join(named.versions)}"
    if binds(python_constraint):
        words += f", within {python_constraint.description}"
    return PythonConstraint(
        specifier=str(specifier),
        kind="pin",
        rule=words,
        file=named.provenance.file,
        line=named.provenance.line,
        unread=python_constraint.unread,
    )


def binds(python_constraint: PythonConstraint) -> bool:
    """Whether installers enforce the range: classifiers, pins and remarks give way to what was run."""
    return python_constraint.kind == "requires"


def _accepted(named: DeclaredPythons, python_constraint: PythonConstraint, instant: Instant) -> Iterator[str]:
    """The minors that are named, accepted by the metadata, and released by the instant."""
    allowed = SpecifierSet((python_constraint.specifier or "") if binds(python_constraint) else "")
    for text in named.versions:
        match = _VERSION.match(text.strip())
        if match and latest_release(SpecifierSet(f"=={match[1]}.*") & allowed, instant) is not None:
            yield match[1]


def _nearest(
    named: DeclaredPythons,
    python_constraint: PythonConstraint,
    instant: Instant,
    obtainable: Callable[[str], bool],
) -> list[str]:
    """The minor nearest to those of Python 3 that are named, of which none can be had; none without any.

    Of those that the metadata accept, that were released by the instant, and that can be had. What is named
    and what the metadata refuse is no wish.
    """
    allowed = SpecifierSet((python_constraint.specifier or "") if binds(python_constraint) else "")
    matches = [_VERSION.match(text.strip()) for text in named.versions]
    wanted = [
        int(match[1].partition(".")[2])
        for match in matches
        if match and any(allowed.contains(f"{match[1]}.{micro}") for micro in (0, 99))
    ]
    there = {release.minor[1] for release in releases_before(instant) if allowed.contains(release.version)}
    if not wanted:
        return []
    ordered = sorted(there, key=lambda own: (min(abs(own - minor) for minor in wanted), own))
    return next(([f"3.{own}"] for own in ordered if obtainable(f"3.{own}")), [])


def choose(
    recipe: Recipe, dated: DatedProject, interpreters: Interpreters, forced: str | None = None
) -> InterpreterChoice:
    """The interpreter for ``recipe``. ``forced`` is a repair's; the user's goes before it.

    A repair's interpreter that this machine neither has nor can download is ignored: the repair may have been
    found on another machine.
    """
    if forced is not None and dated.python is None and interpreters.obtainable(minor_version(forced)):
        choice = interpreters.choose(dated.python_constraint, dated.instant, forced=forced)
        return replace(choice, reason=f"Python {forced}, as a repair asks for it")
    return interpreters.choose_for(recipe, dated.python_constraint, dated.instant, forced=dated.python)
