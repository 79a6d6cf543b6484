"""A run of a suite, and what stood in its way, in a few words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from backdate.checking.repeated import FlakyTest
from backdate.checking.result import Side
from backdate.testing.outcomes import Outcome, SuiteRun

_COUNTED = (
    (Outcome.PASSED, "passed"),
    (Outcome.FAILED, "failed"),
    (Outcome.ERROR, "errors"),
    (Outcome.SKIPPED, "skipped"),
    (Outcome.XFAILED, "xfailed"),
    (Outcome.XPASSED, "xpassed"),
    (Outcome.CRASHED, "crashed"),
    (Outcome.TIMED_OUT, "timed out"),
    (Outcome.NOT_COLLECTED, "not collected"),
)


def counts_in_words(run: SuiteRun) -> str:
    """ "3 passed, 1 failed in 0.2 s (pytest 8.4.1)"; with how the run ended where it did not end well."""
    parts = [f"{count} {word}" for outcome, word in _COUNTED if (count := run.count(outcome))]
    tail = "" if run.status == "completed" else f" [{run.status}]"
    return f"{', '.join(parts) or 'no test ran'}{tail} in {run.duration_s:.1f} s ({run.runner})"


def fails_alike(old: Side, new: Side) -> bool:
    """Whether neither environment builds, for one and the same reason."""
    if old.failure is None or new.failure is None or old.failure.phase != new.failure.phase:
        return False
    return old.obstacle is not None and new.obstacle is not None and old.obstacle.line == new.obstacle.line


def error_in_words(kind: str, message: str) -> str:
    """ "KeyError: 'a'"."""
    return f"{kind}: {message}" if message else kind


def flaky_sections(tests: Sequence[FlakyTest]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """A title and a line for each test: those apart that the new environment fails each time."""
    for title, some in (
        ("Flaky in the old environment, failing each time in the new one", [t for t in tests if t.fails_now]),
        ("Flaky, so no breakage", [t for t in tests if not t.fails_now]),
    ):
        if some:
            yield title, tuple(map(_flaky_line, some))


def _flaky_line(test: FlakyTest) -> str:
    outcomes = " then ".join(test.outcomes)
    now = f"; bad in all {test.fails_now} runs of the new one" if test.fails_now else ""
    return f"{test.id} ({outcomes} in the {test.side} environment, run {test.how}{now})"
