"""What running tests again says: which of them are flaky, and which are bound to a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from backdate.testing.outcomes import Outcome
from backdate.timeline.instants import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class FlakyTest:
    """A test whose outcome changes though nothing else does."""

    id: str
    side: Literal["old", "new"]
    """The environment in which it was seen to change."""
    how: Literal["in order", "alone"]
    """With the whole suite, or without the tests that did not break."""
    outcomes: tuple[Outcome, ...]
    """Of the runs of that kind, in turn; "in order" the first is that of the check itself."""
    fails_now: int = 0
    """Of one that changes on the old side: the runs of the new side where it failed in each; else 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedTests:
    """What came of running tests again (``check --repeats``)."""

    repeats: int
    """How often what broke was run again, at most."""
    again: int = 0
    """Tests that were run again, because they broke."""
    flaky: tuple[FlakyTest, ...] = ()
    order_dependent: tuple[str, ...] = ()
    """Broken tests that fail with the whole suite each time, and pass without the others."""
    time_bound: tuple[str, ...] = ()
    """Tests that fail in both environments today, and pass in the old one while the clock shows ``clock``."""
    clock: Instant | None = None
    """What the clock showed; None where no test was run so."""
    clock_missing: int = 0
    """Tests that fail in both environments and were not run at the old instant: libfaketime is not here."""

    @property
    def fails_each_time(self) -> tuple[str, ...]:
        """The flaky tests that pass at times in the old environment and never in the new one."""
        return tuple(test.id for test in self.flaky if test.fails_now)

    @property
    def set_aside(self) -> frozenset[str]:
        """The tests that say nothing of updates."""
        return frozenset({*(test.id for test in self.flaky), *self.time_bound})


NOT_REPEATED = RepeatedTests(repeats=0)
