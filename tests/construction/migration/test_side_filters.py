"""Why a candidate leaves after a side was built and run."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from backdate.construction.migration.side_filters import new_is_not_red, old_is_not_green
from backdate.testing.outcomes import CaseResult, Outcome


def side(status: str = "completed", failure: str = "", **outcomes: Outcome) -> Any:
    """A side whose environment does not build for the phase ``failure``, else one with a run."""
    if failure:
        return SimpleNamespace(failure=SimpleNamespace(phase=failure, message="words"), run=None)
    results = tuple(
        CaseResult(id=name, outcome=outcome, duration_s=0.0) for name, outcome in outcomes.items()
    )
    return SimpleNamespace(
        failure=None,
        run=SimpleNamespace(status=status, results=results, trouble="it says why", log_end="", raised=()),
    )


GOOD = side(a=Outcome.PASSED, b=Outcome.FAILED)


@pytest.mark.parametrize(
    ("old", "stage", "reason"),
    [
        (None, "tests", "no recipe: nothing says how its tests are run"),
        (side(failure="oom"), "old-environment", "building needs more memory than allowed"),
        (side("timeout", a=Outcome.PASSED), "old-tests", "did not end within the time limit"),
        (side("no-tests"), "old-tests", "no test was collected"),
        (side("crashed"), "old-tests", "no test ran: crashed"),
        (side(a=Outcome.FAILED), "old-tests", "no test passes"),
        (side("crashed", a=Outcome.PASSED), "old-tests", "the run did not end well: crashed"),
        (GOOD, None, None),
    ],
)
def test_an_old_side(old: Any, stage: str | None, reason: str | None) -> None:
    left = old_is_not_green(old)
    assert (left.stage if left else None, left.reason if left else None) == (stage, reason)


@pytest.mark.parametrize(
    ("new", "stage", "reason"),
    [
        (side(failure="resolve"), "new-environment", "does not resolve"),
        (side(a=Outcome.PASSED, b=Outcome.FAILED), "new-tests", "nothing that passed fails"),
        (side("crashed", a=Outcome.PASSED), "new-tests", "the run did not end well: crashed"),
        (side("crashed", a=Outcome.FAILED), None, None),
        (side("broken"), None, None),
    ],
)
def test_a_new_side(new: Any, stage: str | None, reason: str | None) -> None:
    left = new_is_not_red(GOOD, new)
    assert (left.stage if left else None, left.reason if left else None) == (stage, reason)
