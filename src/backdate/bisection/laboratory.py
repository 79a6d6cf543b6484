"""Where a bisection's questions are answered: an environment is made and the tests in question run in it.

Every answer is kept, in memory and in the cache, so that questions of several searches share their
environments and an interrupted bisection goes on where it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.bisection.errors_of_run import Known, errors_of_run
from backdate.bisection.making import Maker
from backdate.bisection.result import Refused
from backdate.bisection.search import (
    MOST_ANSWERS,
    MOST_BUILDS,
    Colour,
    colour_together,
    settle,
    split_by_colour,
)
from backdate.bisection.seen import OutOfBudget, Regroup, Seen, Setup, Target, identity_of
from backdate.checking.compare import compare_runs
from backdate.checking.progress import Progress
from backdate.checking.result import Side
from backdate.environments.environment import Environment, Lock
from backdate.environments.inputs import EnvironmentRequest
from backdate.recipes.recipe import TestPlan
from backdate.sandboxes.interface import Limits
from backdate.serial import digest
from backdate.testing.outcomes import TestRun
from backdate.testing.several import run_plans
from backdate.timeline.instants import format_day

_FORMAT = 1
"""Part of every key of a kept answer: raise it when what is kept changes."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A side's tree, and the request that everything asked for there is a variation of."""

    side: Side
    request: EnvironmentRequest


def plans_of(side: Side) -> tuple[TestPlan, ...]:
    """How the tests of a side are run, one plan after the other."""
    return (side.recipe.test, *side.recipe.further_tests)


class Laboratory:
    """Makes environments of one project between two instants and runs the tests in question in them."""

    def __init__(
        self,
        maker: Maker,
        old: tuple[Side, EnvironmentRequest],
        new: tuple[Side, EnvironmentRequest],
        *,
        tests: Sequence[str],
        limits: Limits,
        folder: Path,
        progress: Progress,
    ) -> None:
        """``old`` and ``new``: a check's sides, both with runs; ``tests``: ids that broke between them."""
        self._maker = maker
        self._old, self._new = _Place(*old), _Place(*new)
        self._limits, self._folder, self._progress = limits, folder, progress
        self.tests = tuple(sorted(tests))
        assert self._old.side.run is not None
        wanted = frozenset(tests)
        good = tuple(one for one in self._old.side.run.results if one.id in wanted)
        self._reference = replace(self._old.side.run, results=good)
        self._runs: dict[str, list[TestRun]] = {}
        self._seen: dict[str, Seen] = {}
        self._environments: dict[str, tuple[Environment, _Place]] = {}
        self.refused: dict[str, Refused] = {}
        self.runs = 0
        self._left = self._attempts = 0
        self.journal: list[tuple[str, Seen]] = []
        """What was asked for the cause in hand, and why."""

    @property
    def builds(self) -> int:
        """Environments that were built, or tried to be, for the searches."""
        return self._maker.builds

    @property
    def environments(self) -> int:
        """Different environments that were looked at."""
        return len(self._environments)

    def begin(self, allowance: int) -> None:
        """Turn to another cause, which may take ``allowance`` environments that are not known yet.

        Those that do not build are not among them, but all together are at most ``MOST_BUILDS``.
        """
        self._left, self._attempts, self.journal = allowance, MOST_BUILDS, []

    def sides(self) -> tuple[Seen, Seen]:
        """The check's two environments, with what the tests in question say in them when they run alone."""
        seen = []
        for place in (self._old, self._new):
            environment, run = place.side.environment, place.side.run
            assert environment is not None
            assert run is not None
            setup = Setup(choice=place.side.choice, instant=place.side.instant)
            # The old side's tree is another one, with its pins, and so is what it says.
            name = identity_of(environment.choice, environment.lock)
            identity = f"old:{name}" if place is self._old else name
            self._maker.builder.be_like(environment)
            self._environments[identity] = (environment, place)
            self._runs[identity] = [run]
            self._seen[identity] = Seen(setup=setup, identity=identity, lock=environment.lock)
            seen.append(self.steady(self._seen[identity]))
        return seen[0], seen[1]

    def ask(self, setup: Setup, why: str, *, leave: int = 0) -> Seen:
        """What the tests in question say in ``setup``.

        Raises OutOfBudget, before anything is built, when fewer than ``leave`` more could be built then.
        """
        seen = self._look(setup, why, leave)
        self.journal.append((why, seen))
        return seen

    def steady(self, seen: Seen) -> Seen:
        """As ``seen``, with tests run a second time, and more often where two runs do not agree."""
        if seen.failure or not seen.identity:
            return seen
        runs = self._runs[seen.identity]
        while len(runs) < 2 or (len(runs) < MOST_ANSWERS and self._unsettled(runs)):
            runs.append(self._run(seen.identity, len(runs)))
        for test in self._unsettled(runs):
            answers = [self._colours(run)[test] for run in runs]
            good = sum(one is Colour.GOOD for one in answers)
            self.refused[test] = Refused(
                test=test,
                reason=f"good in {good} of {len(answers)} runs in one environment "
                f"(Python {seen.setup.choice.interpreter.version}, {format_day(seen.setup.instant)})",
            )
        return self._conclude(seen)

    def together(self, seen: Seen, target: Target) -> Colour:
        """The colour of a target's tests; raises Regroup when they do not belong together."""
        left = tuple(test for test in target.tests if test not in self.refused)
        if left != target.tests:
            raise Regroup([replace(target, tests=left)] if left else [])
        colours = seen.colours_for(target)
        colour = colour_together(colours.values())
        if colour is None:
            raise Regroup([replace(target, tests=part) for part in split_by_colour(colours)])
        return colour

    def environment_of(self, seen: Seen) -> Environment | None:
        """The environment behind what was seen; None where there is none."""
        found = self._environments.get(seen.identity)
        return None if found is None else found[0]

    def at(self, seen: Seen) -> str:
        """Where the tests saw the project's tree; the old side has another one."""
        return self._environments[seen.identity][1].request.at

    def run_with_warnings(self, seen: Seen, tests: Sequence[str]) -> TestRun:
        """Run ``tests`` once more in an environment that was seen, with every Python warning in the log."""
        return self._run_suite(seen.identity, tests, python_warnings=True)

    def _look(self, setup: Setup, why: str, leave: int) -> Seen:
        request = self._request(setup)
        lock = self._maker.resolve(request)
        if not isinstance(lock, Lock):
            return Seen(setup=setup, identity="", failure=lock)
        identity = identity_of(setup.choice, lock)
        if identity in self._seen:
            return replace(self._seen[identity], setup=setup)
        if min(self._left, self._attempts) <= leave:
            raise OutOfBudget
        self._attempts -= 1
        self._progress.project(f"environment {self.environments + 1}: {why}")
        built = self._maker.build(request)
        seen = Seen(setup=setup, identity=identity, lock=lock)
        if isinstance(built, Environment):
            self._left -= 1
            self._environments[identity] = (built, self._new)
            self._runs[identity] = [self._run(identity, 0)]
            limits = self._maker.limits_of(built)
            seen = self._conclude(replace(seen, built=not built.reused, build_limits=limits))
        else:
            seen = replace(seen, failure=built)
        self._seen[identity] = seen
        return seen

    def _request(self, setup: Setup) -> EnvironmentRequest:
        return replace(
            self._new.request, choice=setup.choice, instant=setup.instant, constraints=setup.constraints
        )

    def _run(self, identity: str, number: int) -> TestRun:
        """Run the tests in question for the ``number``-th time, or take what was kept of that."""
        environment, place = self._environments[identity]
        plans, request = plans_of(place.side), place.request
        key = digest(
            *("probe", _FORMAT, environment.key, request.digest, request.name, plans, self.tests, number),
            *(self._limits, self._maker.builder.sandbox.name),
        )
        cache = self._maker.builder.cache
        kept = cache.read(TestRun, "probes", key)
        if kept is not None:
            return kept
        run = self._run_suite(identity, self.tests)
        cache.write("probes", key, run)
        return run

    def _run_suite(self, identity: str, tests: Sequence[str], *, python_warnings: bool = False) -> TestRun:
        environment, place = self._environments[identity]
        self.runs += 1
        return run_plans(
            self._maker.builder.sandbox,
            environment,
            place.request.tree,
            plans_of(place.side),
            limits=self._limits,
            log_folder=self._folder / f"{self.runs:02d}",
            only=tests,
            python_warnings=python_warnings,
            at=place.request.at,
        )

    def _unsettled(self, runs: Sequence[TestRun]) -> list[str]:
        rows = [self._colours(run) for run in runs]
        return [test for test in self.tests if settle([row[test] for row in rows]) is None]

    def _colours(self, run: TestRun) -> dict[str, Colour]:
        comparison = compare_runs(self._reference, run)
        colours = dict.fromkeys(self.tests, Colour.GOOD)
        colours |= dict.fromkeys(comparison.broke, Colour.BAD)
        return colours | dict.fromkeys((*comparison.skipped_now, *comparison.vanished), Colour.SKIP)

    def _conclude(self, seen: Seen) -> Seen:
        """``seen`` with what all the runs of its environment say; kept for everyone who asks."""
        runs = self._runs[seen.identity]
        rows = [self._colours(run) for run in runs]
        colours = {test: settle([row[test] for row in rows]) or Colour.SKIP for test in self.tests}
        errors: dict[str, Known] = {}
        environment, _ = self._environments[seen.identity]
        for run in reversed(runs):
            errors |= errors_of_run(
                *(self._reference, run, environment, self._old.side.environment, self._new.request.tree)
            )
        seen = replace(seen, colours=colours, errors=errors)
        self._seen[seen.identity] = seen
        return seen
