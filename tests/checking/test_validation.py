"""The criterion: at least 95 % of the tests that ran, and one at least."""

from __future__ import annotations

import pytest
from fake_setups import ran
from hypothesis import given
from hypothesis import strategies as some

from backdate.checking.validation import Counts, count_outcomes, is_proven

NUMBERS = some.integers(min_value=0, max_value=30)


@pytest.mark.parametrize(
    ("counts", "proven"),
    [
        ({"passed": 19, "failed": 1}, True),
        ({"passed": 18, "failed": 1}, False),
        ({"passed": 1, "skipped": 100}, True),
        ({"skipped": 5}, False),
        ({}, False),
        ({"passed": 9, "not_collected": 1}, False),
        ({"passed": 20, "status": "timeout"}, False),
        ({"passed": 20, "status": "broken"}, False),
    ],
)
def test_the_criterion(counts: dict[str, object], proven: bool) -> None:
    assert is_proven(ran(**counts)) is proven  # type: ignore[arg-type]


def test_the_share_is_an_option() -> None:
    assert is_proven(ran(passed=1, failed=1), 0.5)
    assert not is_proven(ran(passed=1, failed=1), 0.51)
    assert not is_proven(ran(failed=1), 0.0)


def test_no_run_is_no_proof() -> None:
    assert not is_proven(None)
    assert count_outcomes(None) == Counts()


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_counts(passed: int, failed: int, skipped: int, not_collected: int) -> None:
    counts = count_outcomes(ran(passed, failed, skipped, not_collected))
    assert (counts.passed, counts.failed) == (passed, failed)
    assert (counts.skipped, counts.not_collected) == (skipped, not_collected)
    assert counts.ran == passed + failed + not_collected
    assert 0.0 <= counts.share <= 1.0
