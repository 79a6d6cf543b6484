"""A run of a suite in a few words."""

from __future__ import annotations

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
