"""The interpreters of this machine, and the one that a project gets at an instant."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path

from backdate.checking.recipe_interpreter import binds, constraint_with_recipe
from backdate.environments.environment import Interpreter, InterpreterChoice
from backdate.environments.interpreter_choice import choose_interpreter
from backdate.environments.interpreters import find_interpreters
from backdate.environments.uv import find_uv
from backdate.environments.uv_downloads import UvDownloads
from backdate.projects.python_constraint import PythonConstraint, wanted_release
from backdate.recipes.recipe import Recipe
from backdate.timeline.calendar import releases_before
from backdate.timeline.instants import Instant


class Interpreters:
    """What is on this machine, looked up once, and uv's downloads where that is not enough."""

    def __init__(self, cache: Path) -> None:
        """``cache`` keeps what the probes of interpreters answered."""
        self._cache = cache
        self._downloads = UvDownloads(uv=find_uv(), environment=os.environ)

    @cached_property
    def available(self) -> tuple[Interpreter, ...]:
        """The interpreters that may be used, by version."""
        return find_interpreters(cache_file=self._cache / "interpreters.json", environment=os.environ)

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
            self.available,
            reason=reason,
            forced=forced,
            downloads=self._downloads,
        )

    def obtainable(self, minor: str) -> bool:
        """Whether a release of ``minor`` ("3.8") is on this machine or can be downloaded."""
        if any(one.version.startswith(f"{minor}.") for one in self.available):
            return True
        return self._downloads.nearest(f"{minor}.0") is not None

    def usable_at(self, instant: Instant) -> tuple[str, ...]:
        """The versions on this machine of minors that were released before ``instant``, ascending."""
        minors = {release.minor for release in releases_before(instant)}
        return tuple(one.version for one in self.available if _minor(one.version) in minors)


def _minor(version: str) -> tuple[int, int]:
    major, minor, *_ = version.split(".")
    return int(major), int(minor)
