"""A fix is called one only where every test that broke passes again, and none is lost for it."""

from __future__ import annotations

import re

import pytest
from builders import run as suite_run
from diagnosis_builders import result

from backdate.checking.compare import compare_runs
from backdate.fixing.outcome import outcome_of
from backdate.fixing.result import FixOutcome
from backdate.testing.outcomes import Outcome, SuiteRun


def run(**outcomes: Outcome) -> SuiteRun:
    return suite_run(*(result(f"test_it.py::{name}", outcome) for name, outcome in outcomes.items()))


GOOD, BAD, SKIPPED = Outcome.PASSED, Outcome.FAILED, Outcome.SKIPPED
OLD = run(a=GOOD, b=GOOD, c=GOOD)
FIRST = compare_runs(OLD, run(a=BAD, b=BAD, c=GOOD))


@pytest.mark.parametrize(
    ("last", "outcome", "reason"),
    [
        (run(a=GOOD, b=GOOD, c=GOOD), FixOutcome.FIXED, "the 2 tests that broke pass again with the patch"),
        (run(a=GOOD, b=SKIPPED, c=GOOD), FixOutcome.PARTLY, "1 of the 2 tests that broke pass again"),
        (run(a=GOOD, c=GOOD), FixOutcome.PARTLY, "1 of the 2 tests that broke pass again"),
        (
            run(a=GOOD, b=GOOD),
            FixOutcome.PARTLY,
            "2 of the 2 .* with the patch; without it 1 more test passed",
        ),
        (run(a=GOOD, b=GOOD, c=SKIPPED), FixOutcome.PARTLY, "; without it 1 more test passed"),
        (
            run(a=BAD, b=BAD, c=BAD),
            FixOutcome.NOT_FIXED,
            ": none of the 2 tests that broke passes yet; without it 1 more test passed",
        ),
        (
            run(a=BAD, b=BAD, c=GOOD),
            FixOutcome.NOT_FIXED,
            "^with the patch tests get further, to another error: none of the 2 tests that broke passes yet$",
        ),
    ],
)
def test_what_is_skipped_or_gone_with_the_patch_does_not_pass(last, outcome, reason) -> None:
    found, said = outcome_of(FIRST, compare_runs(OLD, last), changed=True)
    assert found is outcome
    assert re.search(reason, said), said


def test_without_a_patch_nothing_is_fixed() -> None:
    assert outcome_of(FIRST, FIRST, changed=False) == (
        FixOutcome.NOT_FIXED,
        "nothing that is known mends the 2 tests that broke",
    )


def test_requirements_that_were_added_are_named() -> None:
    good = compare_runs(OLD, run(a=GOOD, b=GOOD, c=GOOD))
    for changed, means in ((True, "the patch and six"), (False, "six")):
        outcome, reason = outcome_of(FIRST, good, changed=changed, added=("six",))
        assert outcome is FixOutcome.FIXED
        assert reason.endswith(f"pass again with {means}")
    outcome, reason = outcome_of(FIRST, FIRST, changed=False, added=("six",))
    assert (outcome, reason) == (FixOutcome.NOT_FIXED, "nothing that is known mends the 2 tests that broke")
