"""What a command in a project's file does for a recipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from backdate.recipes.recipe import (
    DeclaredPythons,
    InstallStep,
    Provenance,
    SkippedInstruction,
    SuitePlan,
    SystemPackages,
    Variable,
)
from backdate.sandboxes.services.wanted import WantedService


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegation:
    """A command that calls another file (``tox``, ``make``), which is read instead."""

    to: Literal["tox", "nox", "make", "script", "suite", "conda"]
    """``suite``: whatever tests are found (``setup.py test``). ``conda``: an environment.yml."""
    arguments: tuple[str, ...] = ()
    """tox and nox: names of environments and sessions, none for the file's own default. make: targets.
    script and conda: the file, relative to the root."""
    cwd: str = "."
    variables: tuple[tuple[str, str], ...] = ()
    """What is known about variables there."""
    provenance: Provenance


Action: TypeAlias = (
    InstallStep
    | SystemPackages
    | Variable
    | SuitePlan
    | DeclaredPythons
    | Delegation
    | SkippedInstruction
    | WantedService
)


def skip_unless(condition: str, actions: Iterable[Action]) -> Iterator[Action]:
    """What is left of ``actions`` that run only under a condition of which nothing is known."""
    for action in actions:
        if not isinstance(action, SkippedInstruction | Variable | WantedService):
            reason = f"it is run only if {condition[:100]}, which is not known"
            yield SkippedInstruction(reason=reason, provenance=action.provenance)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredJob:
    """What a job, environment or target in a project's files does, in order."""

    kind: str
    """The kind of source: "GitHub Actions", "tox", …"""
    name: str
    """Which one: "job build of .github/workflows/test.yml"."""
    actions: tuple[Action, ...]
    doubts: int = 0
    """Reasons not to take it as the recipe: it lints, publishes, needs services, is for another
    system."""
    installs_only: bool = False
    """Whether its kind never declares test commands; the tests in the project's files are run then."""
    provenance: Provenance
