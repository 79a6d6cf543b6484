"""Running tests that broke in the lifted environment with some of the project's own bounds kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.checking.first_above import FirstAbove, first_above
from backdate.checking.own_bounds import OwnBound
from backdate.checking.recipe_run import run_tests
from backdate.checking.resources import Resources
from backdate.checking.result import Side
from backdate.checking.same_packages import of_index
from backdate.checking.sides import SidePair
from backdate.environments.environment import BuildFailure, Environment
from backdate.environments.inputs import EnvironmentRequest
from backdate.progress import Activity, Reporter
from backdate.recipes.recipe import Recipe

_MOST_FIRST = 3
"""Bounds of which the first release above them is tried, each in an environment of its own."""

_OF_TESTS = ("test", "further_tests", "variables", "services", "system")


@dataclass(slots=True)
class KeptBounds:
    """Runs the tests that broke, in the lifted environment with some bounds kept."""

    pair: SidePair
    resources: Resources
    tests: list[str]
    folder: Path
    progress: Reporter
    declared: Side
    """The side of users today, whose run is not done again."""
    runs: int = 0
    firsts: int = 0

    def passing(self, bounds: Sequence[OwnBound]) -> frozenset[str]:
        """The tests that are good with ``bounds``; none where there is no such environment."""
        names = ", ".join(bound.declared for bound in bounds)
        self.progress.report(Activity(text=f"everything lifted but {names}"))
        return self._good(with_constraints(self.pair, bounds)) or frozenset()

    def above(self, bound: OwnBound, kept: Sequence[OwnBound]) -> FirstAbove | None:
        """The first release above ``bound``, and what breaks with it where ``kept`` are kept."""
        first = first_above(bound, self.pair.new_request.instant, self.resources.index)
        if first is None or self.firsts == _MOST_FIRST:
            return first
        if first.version == bound.newest and not kept:
            return replace(first, broken=frozenset(self.tests))  # they broke with it: that is why they run
        name = f"{bound.distribution}=={first.version}"
        self.progress.report(Activity(text=f"everything lifted, with {name}"))
        self.firsts += 1
        request = with_constraints(self.pair, kept)
        good = self._good(replace(request, constraints=(*request.constraints, name)))
        return replace(first, broken=None if good is None else frozenset(self.tests) - good)

    def _good(self, request: EnvironmentRequest) -> frozenset[str] | None:
        """The tests that are good in the environment of ``request``; None where there is none."""
        if self._is_declared(request):
            assert self.declared.run is not None
            return frozenset(result.id for result in self.declared.run.results if result.outcome.good)
        self.runs += 1
        return good_tests(self.pair, request, self.resources, self.tests, self.folder / str(self.runs))

    def _is_declared(self, request: EnvironmentRequest) -> bool:
        """Whether the declared side was tested with just these distributions and these commands.

        So it is where one bound alone keeps the newest release away.
        """
        declared, asked = self.declared, self.pair.new.recipe
        if declared.environment is None or declared.run is None or not _tests_alike(declared.recipe, asked):
            return False
        resolution = self.resources.builder.resolve(request)
        return not isinstance(resolution, BuildFailure) and (
            of_index(resolution.lock) == of_index(declared.environment.lock)
        )


def good_tests(
    pair: SidePair, request: EnvironmentRequest, resources: Resources, tests: list[str], log_folder: Path
) -> frozenset[str] | None:
    """Those of ``tests`` that are good in the environment of ``request``; None where there is none."""
    environment = resources.builder.prepare(request)
    if not isinstance(environment, Environment):
        return None
    run = run_tests(
        pair.new.recipe, pair.new_project, resources, environment, log_folder=log_folder, only=tests
    )
    return frozenset(result.id for result in run.results if result.outcome.good)


def _tests_alike(one: Recipe, other: Recipe) -> bool:
    """Whether two recipes run the same commands beside the same services."""
    return all(getattr(one, name) == getattr(other, name) for name in _OF_TESTS)


def with_constraints(pair: SidePair, bounds: Sequence[OwnBound]) -> EnvironmentRequest:
    """The lifted side's environment with ``bounds`` kept."""
    return replace(pair.new_request, constraints=tuple(bound.constraint for bound in bounds))
