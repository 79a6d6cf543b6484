"""Flaky and time-bound tests told apart from what updates broke, by running tests again.

What broke is run again in both environments, *alone*: without the rest of the suite. One whose outcome stays
is broken. One whose outcome is another one is run again *in order*, with the whole suite, as when it broke:
if that differs too, the test is flaky; if not, it depends on the tests before it, and is broken. One that
changes in the old environment alone is run more often in the new one: whether it fails there each time. A
test that fails in both environments is run in the old one with the clock at the old instant: one that passes
then is bound to a time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol

from backdate.checking.recipe_run import run_tests
from backdate.checking.repeated import NOT_REPEATED, FlakyTest, RepeatedTests
from backdate.checking.resources import Resources
from backdate.checking.sides import SidePair
from backdate.progress import NO_PROGRESS, Activity, Reporter
from backdate.sandboxes.threads import both
from backdate.testing.moved_clock import MovedClock, find_libfaketime
from backdate.testing.outcomes import Outcome, SuiteRun
from backdate.text import plural

SideOf = Literal["old", "new"]
MOST_WITH_MOVED_CLOCK = 500
"""Tests that fail in both environments and are run at the old instant, at most."""


_MORE_ALONE = 2
"""Further runs alone of a test that passes alone and fails in order: cheap beside one of the whole suite."""


class RunAgain(Protocol):
    """Runs tests of one side again."""

    def __call__(
        self, side: SideOf, name: str, only: Sequence[str] | None, clock: MovedClock | None = None
    ) -> SuiteRun:
        """The run. ``name``: of the folder of its logs. ``only``: exact ids; None for the whole suite."""
        ...


def repeat_tests(pair: SidePair, resources: Resources, folder: Path, progress: Reporter) -> SidePair:
    """``pair`` with what running its tests again says, as often as the settings ask for (0: not at all).

    ``folder``: the logs go to folders in it.
    """
    repeats = resources.settings.repeats
    if not repeats or pair.old.run is None or pair.new.run is None:
        return pair

    def run(side: SideOf, name: str, only: Sequence[str] | None, clock: MovedClock | None = None) -> SuiteRun:
        of_side, dated = (pair.old, pair.old_project) if side == "old" else (pair.new, pair.new_project)
        assert of_side.environment is not None  # it has a run
        return run_tests(
            of_side.recipe,
            dated,
            resources,
            of_side.environment,
            log_folder=folder / f"{side}-{name}",
            only=only,
            clock=clock,
        )

    repeater = Repeater(run=run, repeats=repeats, progress=progress)
    repeated = repeater.flaky_among(pair.old.run, pair.new.run)
    library = find_libfaketime()
    clock = None if library is None else MovedClock(library=library, instant=pair.old.instant)
    return replace(pair, repeated=repeater.time_bound_among(repeated, pair.old.run, pair.new.run, clock))


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeater:
    """Decides from runs that are made again."""

    run: RunAgain
    repeats: int
    progress: Reporter = NO_PROGRESS

    def flaky_among(self, old: SuiteRun, new: SuiteRun) -> RepeatedTests:
        """The tests that are good in ``old`` and bad in ``new``, and change when they are run again."""
        before, after = _outcomes(old), _outcomes(new)
        broke = [
            test for test, outcome in after.items() if _ran_badly(outcome) and _is_good(before.get(test))
        ]
        if not broke:
            return replace(NOT_REPEATED, repeats=self.repeats)
        self._report(broke, f"{plural(len(broke), 'test')} broke: running", "again in both environments")
        olds, news = both(
            lambda: self._changing("old", before, broke), lambda: self._changing("new", after, broke)
        )
        steady = [test for test in olds.flaky if test not in news.flaky and test not in news.differs_alone]
        never_good = self._never_good(steady)
        flaky = {**olds.flaky, **news.flaky}
        for test in never_good:
            flaky[test] = replace(flaky[test], fails_now=1 + self.repeats + _MORE_ALONE)
        return RepeatedTests(
            repeats=self.repeats,
            again=len(broke),
            flaky=tuple(flaky[test] for test in broke if test in flaky),
            order_dependent=tuple(test for test in broke if test in news.differs_alone and test not in flaky),
        )

    def time_bound_among(
        self, repeated: RepeatedTests, old: SuiteRun, new: SuiteRun, clock: MovedClock | None
    ) -> RepeatedTests:
        """``repeated`` with the tests that are bad in both runs and good in the old side's at ``clock``."""
        before, after = _outcomes(old), _outcomes(new)
        failing = [
            test for test, outcome in before.items() if _ran_badly(outcome) and _ran_badly(after.get(test))
        ][:MOST_WITH_MOVED_CLOCK]
        if not failing:
            return repeated
        if clock is None:
            return replace(repeated, clock_missing=len(failing))
        day = f"{clock.instant:%Y-%m-%d}"
        self._report(
            failing, f"{plural(len(failing), 'fails', 'fail')} on both sides: running", f"as of {day}"
        )
        then = _outcomes(self.run("old", "clock", failing, clock))
        bound = tuple(test for test in failing if _is_good(then.get(test)))
        return replace(repeated, time_bound=bound, clock=clock.instant)

    def _changing(self, side: SideOf, first: Mapping[str, Outcome], broke: Sequence[str]) -> _Changing:
        turns = range(1, self.repeats + 1)
        alone = [_outcomes(self.run(side, f"alone-{turn}", broke)) for turn in turns]
        differs = [test for test in broke if any(_differ(first[test], run.get(test)) for run in alone)]
        if differs:
            more = range(self.repeats + 1, self.repeats + 1 + _MORE_ALONE)
            alone += [_outcomes(self.run(side, f"alone-{turn}", differs)) for turn in more]
        flaky = {}
        for test in differs:
            outcomes = tuple(run[test] for run in alone if test in run)
            if len({outcome.good for outcome in outcomes}) > 1:
                flaky[test] = FlakyTest(id=test, side=side, how="alone", outcomes=outcomes)
        open_tests = [test for test in differs if test not in flaky]
        for turn in turns if open_tests else ():
            run = _outcomes(self.run(side, f"in-order-{turn}", None))
            for test in open_tests:
                if test not in flaky and _differ(first[test], run.get(test)):
                    flaky[test] = FlakyTest(
                        id=test, side=side, how="in order", outcomes=(first[test], run[test])
                    )
        return _Changing(differs_alone=frozenset(differs), flaky=flaky)

    def _never_good(self, steady: Sequence[str]) -> list[str]:
        """Which of the tests that failed on the new side each time, and change on the old one, go on to."""
        if not steady:
            return []
        turns = range(1, 1 + _MORE_ALONE)
        runs = [_outcomes(self.run("new", f"each-time-{turn}", steady)) for turn in turns]
        return [test for test in steady if all(_ran_badly(run.get(test)) for run in runs)]

    def _report(self, tests: Sequence[str], before: str, after: str) -> None:
        self.progress.report(
            Activity(text=f"{len(tests)} {before} {plural(len(tests), 'it', 'them')} {after}")
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Changing:
    """What of the broken tests is another one in a side's further runs."""

    differs_alone: frozenset[str]
    flaky: Mapping[str, FlakyTest]


def _outcomes(run: SuiteRun) -> dict[str, Outcome]:
    return {result.id: result.outcome for result in run.results}


def _is_good(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome.good


def _ran_badly(outcome: Outcome | None) -> bool:
    """Whether the test ran and was bad; a file that cannot be collected is so each time."""
    return outcome is not None and outcome.bad and outcome is not Outcome.NOT_COLLECTED


def _differ(first: Outcome, again: Outcome | None) -> bool:
    """Whether one was good and the other bad. A run that did not come to the test says nothing of it."""
    return again is not None and ((first.good and _ran_badly(again)) or (first.bad and again.good))
