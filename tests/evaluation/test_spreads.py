from __future__ import annotations

from statistics import quantiles

import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_builders import make_score

from backdate.evaluation.spreads import spread_of, spreads_of, stretches_of
from backdate.solvers.records import SolverUsage


def test_a_spread_by_hand() -> None:
    found = spread_of([4, 1, 2, 10])
    assert found is not None
    assert (found.least, found.lower, found.median, found.upper, found.most) == (1, 1.75, 3.0, 5.5, 10)
    assert (found.attempts, found.mean, found.values) == (4, 4.25, (1, 2, 4, 10))
    assert spread_of([]) is None


@given(st.lists(st.integers(0, 10**9), min_size=2, max_size=60))
def test_quartiles_are_those_of_the_standard_library(values) -> None:
    found = spread_of(values)
    assert found is not None
    assert [found.lower, found.median, found.upper] == pytest.approx(
        quantiles(values, n=4, method="inclusive"), rel=1e-9, abs=1e-9
    )


def test_what_nobody_counted_is_not_spread() -> None:
    told = make_score("a", calls_made=5, tests=2, usage=SolverUsage(requests=5, input_tokens=100))
    assert list(spreads_of([told, make_score("b")])) == ["calls", "tests", "input tokens"]
    assert spreads_of([make_score("b")]) == {}


def test_turns_in_stretches() -> None:
    (first, second, third) = stretches_of([["look", "edit", "run"], ["look"], []])
    assert (first.first, first.last, first.attempts, first.tools) == (1, 1, 2, {"look": 2})
    assert (second.attempts, second.tools) == (1, {"edit": 1})
    assert third.tools == {"run": 1}


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c"]), max_size=400), max_size=5))
def test_every_call_is_in_one_stretch(sequences) -> None:
    found = stretches_of(sequences)
    assert len(found) <= 12
    assert sum(sum(one.tools.values()) for one in found) == sum(map(len, sequences))
    assert [one.first for one in found[1:]] == [one.last + 1 for one in found[:-1]]
    assert max((one.last for one in found), default=0) == max(map(len, sequences), default=0)
