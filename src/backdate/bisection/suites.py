"""Running the tests in question in environments, in whatever thread; every run is kept in the cache."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from backdate.checking.result import Side
from backdate.environments.build import Builder
from backdate.environments.environment import Environment
from backdate.environments.inputs import EnvironmentRequest
from backdate.recipes.recipe import SuitePlan
from backdate.sandboxes.interface import Limits
from backdate.serial import digest
from backdate.testing.outcomes import SuiteRun
from backdate.testing.several import run_plans

_FORMAT = 1
"""Part of every key of a kept run: raise it when what is kept changes."""


@dataclass(frozen=True, slots=True)
class SideContext:
    """A side's tree, and the request that everything asked for there is a variation of."""

    side: Side
    request: EnvironmentRequest


@dataclass(frozen=True, slots=True)
class ProbeEnvironment:
    """An environment that tests can be run in."""

    environment: Environment
    place: SideContext
    number: int
    """The folders of its logs begin with it."""


def plans_of(side: Side) -> tuple[SuitePlan, ...]:
    """How the tests of a side are run, one plan after the other."""
    return (side.recipe.test, *side.recipe.further_tests)


class Suites:
    """Runs ``tests``, each time in a fresh copy of the tree."""

    def __init__(self, builder: Builder, tests: Sequence[str], limits: Limits, folder: Path) -> None:
        """``folder`` gets the logs."""
        self._builder, self._tests, self._limits, self._folder = builder, tuple(tests), limits, folder
        self._begun: list[Path] = []

    @property
    def ran(self) -> int:
        """Suites that were run, and not taken from the cache."""
        return len(self._begun)

    def run(self, room: ProbeEnvironment, number: int) -> SuiteRun:
        """Run the tests for the ``number``-th time there, or take what was kept of that."""
        plans, request = plans_of(room.place.side), room.place.request
        key = digest(
            *("probe", _FORMAT, room.environment.key, request.digest, request.name, plans),
            *(self._tests, number, self._limits, self._builder.sandbox.name),
        )
        kept = self._builder.cache.read(SuiteRun, "probes", key)
        if kept is not None:
            return kept
        run = self._run(room, self._tests, str(number))
        self._builder.cache.write("probes", key, run)
        return run

    def run_with_warnings(self, room: ProbeEnvironment, tests: Sequence[str]) -> SuiteRun:
        """Run ``tests`` once more there, with every Python warning in the log."""
        return self._run(room, tests, "warnings", python_warnings=True)

    def _run(
        self, room: ProbeEnvironment, tests: Sequence[str], name: str, *, python_warnings: bool = False
    ) -> SuiteRun:
        folder = self._folder / f"{room.number:02d}-{name}"
        self._begun.append(folder)
        return run_plans(
            self._builder.sandbox,
            room.environment,
            room.place.request.tree,
            plans_of(room.place.side),
            limits=self._limits,
            log_folder=folder,
            only=tests,
            python_warnings=python_warnings,
            at=room.place.request.at,
        )
