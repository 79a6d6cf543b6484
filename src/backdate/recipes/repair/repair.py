"""A repaired recipe, and what rules may ask about the index."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from backdate.recipes.recipe import Recipe
from backdate.recipes.repair.error_class import ErrorClass
from backdate.timeline.instants import Instant


class RepairKind(Enum):
    """How a repair is ordered among others."""

    CHANGE = "change"
    ASKED_INTERPRETER = "asked-interpreter"
    """The interpreter that the project's code or its installers require; tried first."""
    BUILT_MODULES = "built-modules"
    """The suite imports what the build made; tried after a recipe that is proven too, where files of tests
    could not be imported for want of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A changed recipe, and why. What is new in it has a provenance that names the rule."""

    recipe: Recipe
    """Different from the one that failed, and complete: ``recipe.interpreter`` names the interpreter to take
    where that is what changed, ``recipe.extra_cutoff_overrides`` the distributions with a later cutoff."""
    error: ErrorClass
    rule: str
    """The rule's name, in a few words."""
    kind: RepairKind = RepairKind.CHANGE
    reason: str
    """In one line: the sign in the log, and the change."""
    interpreter: str | None = None
    """The interpreter ("3.7") that has to be forced, whatever the project's metadata say; None when the one
    that was used stays."""


class IndexFacts(Protocol):
    """What the index knows of distributions (see ``backdate.index.provided_modules``)."""

    def providers(self, module: str, candidates: Iterable[str], at: Instant) -> tuple[str, ...]:
        """Those of the distributions ``candidates`` of which a file visible at ``at`` holds the module.

        In the given order. Never raises because of what files hold; one that cannot be read is left out.
        """
        ...

    def first_upload(self, name: str, wanted: str | None, after: Instant) -> Instant | None:
        """When a file of a wanted version was first uploaded after ``after``.

        ``wanted``: a version ("1.0"), a specifier (">=0.2"), or None for any version.

        None when there is none, or when one was there before already.
        """
        ...

    def versions(self, name: str, at: Instant) -> tuple[str, ...]:
        """The versions that were visible at ``at`` and are not yanked, oldest first; none if unknown."""
        ...

    def has_wheels(self, name: str, at: Instant) -> bool:
        """Whether any wheel of it for Linux was visible at ``at``, for whichever interpreter."""
        ...

    def wants_compiling(self, name: str, wanted: str, python: str, at: Instant) -> bool:
        """Whether the newest release in the specifier ``wanted`` has wheels for other interpreters alone."""
        ...
