from __future__ import annotations

from itertools import combinations
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.evaluation.metrics import (
    ScoredAttempt,
    bootstrap,
    curve,
    pass_at_1,
    pass_at_k,
    prec_at_1,
    prec_at_1_as_released,
    wilson,
)

FOUR = (
    ScoredAttempt(task="exact", solved=True, precision=1.0, calls=3, tests=1),
    ScoredAttempt(task="with needless edits", solved=True, precision=0.25, calls=20, tests=4),
    ScoredAttempt(task="right lines, wrong text", solved=False, precision=1.0, calls=100, tests=10),
    ScoredAttempt(task="nothing", solved=False, precision=0.0),
)

ATTEMPTS = st.lists(
    st.builds(
        ScoredAttempt,
        task=st.text(max_size=3),
        solved=st.booleans(),
        precision=st.floats(0, 1) | st.none(),
        calls=st.integers(0, 30),
        tests=st.integers(0, 10),
    ),
    max_size=8,
)


def test_four_tasks_by_hand() -> None:
    assert pass_at_1(FOUR) == 0.5
    assert prec_at_1(FOUR) == (1.0 + 0.25) / 4
    assert prec_at_1_as_released(FOUR) == (1.0 + 0.25 + 1.0) / 4


def test_the_equations_over_edits_by_hand() -> None:
    # Three tasks with n = 10, m = 2. Equation 3: 1/2, 2/2, 1/1. Equations 1 and 4: the second is not solved,
    # the third needed three test runs. Equations 2 and 5: means over all three.
    attempts = (
        ScoredAttempt(task="half", solved=True, precision=1 / 2, calls=10, tests=2),
        ScoredAttempt(task="exact, not solved", solved=False, precision=2 / 2, calls=10, tests=2),
        ScoredAttempt(task="exact, too late", solved=True, precision=1 / 1, calls=10, tests=3),
    )
    assert pass_at_1(attempts, calls=10, tests=2) == pytest.approx(1 / 3)
    assert prec_at_1(attempts, calls=10, tests=2) == pytest.approx((1 / 2) / 3)
    assert prec_at_1(attempts) == pytest.approx((1 / 2 + 1) / 3)
    assert prec_at_1_as_released(attempts) == pytest.approx((1 / 2 + 1 + 1) / 3)


def test_smaller_budgets_are_read_from_the_same_run() -> None:
    assert pass_at_1(FOUR, calls=3) == 0.25
    assert pass_at_1(FOUR, calls=100, tests=3) == 0.25
    assert pass_at_1(FOUR, calls=2) == 0.0
    assert prec_at_1(FOUR, calls=19) == 0.25
    assert curve(FOUR, 4) == (0.0, 0.0, 0.0, 0.25, 0.25)


def test_without_gold_there_is_no_precision() -> None:
    assert prec_at_1([ScoredAttempt(task="a", solved=True, precision=None)]) is None
    assert prec_at_1_as_released([]) is None
    assert pass_at_1([]) == 0.0


@given(ATTEMPTS, st.integers(0, 30), st.integers(0, 10))
def test_metrics_are_shares_and_never_fall_with_the_budget(
    attempts: list[ScoredAttempt], n: int, m: int
) -> None:
    values = curve(attempts, 31)
    assert list(values) == sorted(values)
    assert values[-1] == pass_at_1(attempts)
    assert pass_at_1(attempts, calls=n, tests=m) <= pass_at_1(attempts, calls=n + 1, tests=m + 1)
    strict, released = prec_at_1(attempts, calls=n, tests=m), prec_at_1_as_released(attempts)
    if strict is not None and released is not None:
        assert 0.0 <= strict <= released + 1e-9 <= 1.0 + 1e-9


@given(st.integers(1, 7), st.data())
def test_pass_at_k_is_the_mean_over_all_choices(tries: int, data: st.DataObject) -> None:
    solved = data.draw(st.integers(0, tries))
    k = data.draw(st.integers(1, tries))
    outcomes = [True] * solved + [False] * (tries - solved)
    assert pass_at_k(tries, solved, k) == pytest.approx(fmean(map(any, combinations(outcomes, k))))


@pytest.mark.parametrize(("tries", "solved", "k"), [(3, 4, 1), (3, -1, 1), (3, 1, 0), (3, 1, 4)])
def test_what_pass_at_k_cannot_tell(tries: int, solved: int, k: int) -> None:
    with pytest.raises(ValueError, match="cannot be told"):
        pass_at_k(tries, solved, k)


def test_the_interval_holds_the_value_and_is_the_same_each_time() -> None:
    first = bootstrap(FOUR * 5, pass_at_1)
    assert first is not None
    assert first == bootstrap(FOUR * 5, pass_at_1)
    assert first.low < first.value == 0.5 < first.high


def test_the_interval_of_equal_items_is_no_point() -> None:
    found = bootstrap([FOUR[0]] * 10, prec_at_1)
    assert found is not None
    assert (found.low, found.value, found.high) == pytest.approx((0.722, 1.0, 1.0), abs=5e-4)
    assert bootstrap([], prec_at_1) is None


@pytest.mark.parametrize(
    ("successes", "tries", "low", "high"),
    [(18, 30, 0.423, 0.754), (0, 10, 0.0, 0.278), (10, 10, 0.722, 1.0)],
)
def test_wilson_s_interval(successes: int, tries: int, low: float, high: float) -> None:
    """The first as R's prop.test(18, 30, correct=FALSE) gives it."""
    assert wilson(successes / tries, tries) == pytest.approx((low, high), abs=5e-4)
    assert wilson(0.0, 0) == (0.0, 1.0)
