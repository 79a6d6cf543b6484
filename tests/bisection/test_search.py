from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.bisection.search import (
    ProbeStatus,
    allowance,
    changes_of,
    common_status,
    found_window,
    next_point,
    next_points,
    settle,
    split_by_status,
    window_of,
)

GOOD, BAD, SKIP = ProbeStatus.GOOD, ProbeStatus.BAD, ProbeStatus.SKIP


def search(
    row: list[ProbeStatus], seen: dict[int, ProbeStatus] | None = None
) -> tuple[dict[int, ProbeStatus], int]:
    """What is seen when the search is over, and how many points it asked for."""
    seen = {0: row[0], len(row) - 1: row[-1]} | (seen or {})
    asked = 0
    while (point := next_point(seen)) is not None:
        assert point not in seen
        seen[point] = row[point]
        asked += 1
    return seen, asked


@given(st.lists(st.sampled_from([GOOD, BAD, SKIP]), min_size=1, max_size=60))
def test_the_next_point_is_among_those_that_were_foreseen(inner: list[ProbeStatus]) -> None:
    row = [GOOD, *inner, BAD]
    seen = {0: GOOD, len(row) - 1: BAD}
    while (point := next_point(seen)) is not None:
        foreseen = next_points(seen, point)
        assert len(foreseen) <= 2
        seen[point] = row[point]
        if row[point] is not SKIP:
            assert next_point(seen) in (*foreseen, None)


@given(st.integers(1, 400), st.integers(1, 400))
def test_a_monotone_row_is_searched_in_the_logarithm(good: int, bad: int) -> None:
    row = [GOOD] * good + [BAD] * bad
    seen, asked = search(row)
    window = found_window(seen)
    assert (window.good, window.bad, window.skipped) == (good - 1, good, ())
    assert asked <= ceil(log2(len(row)))
    assert len(changes_of(seen)) == 1


@given(st.lists(st.sampled_from([GOOD, BAD, SKIP]), max_size=60))
def test_any_row_ends_at_a_turn_with_nothing_but_skips_inside(inner: list[ProbeStatus]) -> None:
    row = [GOOD, *inner, BAD]
    seen, asked = search(row)
    window = found_window(seen)
    assert row[window.good] is GOOD
    assert row[window.bad] is BAD
    assert set(row[window.good + 1 : window.bad]) <= {SKIP}
    assert window.skipped == tuple(range(window.good + 1, window.bad))
    assert asked <= len(inner)


@given(st.integers(1, 60), st.integers(1, 60), st.data())
def test_a_monotone_row_with_skips_has_the_only_turn(good: int, bad: int, data: st.DataObject) -> None:
    row = [GOOD] * good + [BAD] * bad
    skips = data.draw(st.sets(st.integers(1, max(1, len(row) - 2))))
    row = [SKIP if point in skips and 0 < point < len(row) - 1 else one for point, one in enumerate(row)]
    window = found_window(search(row)[0])
    last_good = max(point for point, one in enumerate(row) if one is GOOD)
    first_bad = min(point for point, one in enumerate(row) if one is BAD)
    assert (window.good, window.bad) == (last_good, first_bad)


def test_a_long_stretch_of_skips_is_left_in_few_steps() -> None:
    row = [GOOD] * 10 + [SKIP] * 200 + [GOOD] * 20 + [BAD] * 200
    seen, asked = search(row)
    assert found_window(seen).good == 229
    assert asked < 30


@given(st.lists(st.sampled_from([GOOD, BAD]), max_size=40), st.sets(st.integers(0, 41)))
def test_answers_that_others_asked_for_are_used(inner: list[ProbeStatus], known: set[int]) -> None:
    row = [GOOD, *inner, BAD]
    seen = {point: row[point] for point in known if point < len(row)}
    seen, _ = search(row, seen)
    good, bad = window_of(seen)
    told = sorted(seen)
    assert bad == good + 1
    assert all(seen[point] is BAD for point in told if point > good)
    changes = changes_of(seen)
    assert [one.kind for one in changes] == ["broke", "fixed"] * (len(changes) // 2) + ["broke"]


def test_what_cannot_be_searched_is_refused() -> None:
    with pytest.raises(ValueError, match="has to be bad"):
        window_of({0: GOOD, 5: GOOD})
    with pytest.raises(ValueError, match="known to be good"):
        window_of({0: BAD, 5: BAD})


def test_answers_are_settled_by_a_clear_majority() -> None:
    assert settle([GOOD]) is GOOD
    assert settle([BAD, BAD]) is BAD
    assert settle([GOOD, BAD]) is None
    assert settle([GOOD, BAD, GOOD, GOOD, GOOD]) is GOOD
    assert settle([GOOD, BAD, GOOD, BAD, GOOD]) is None
    assert settle([]) is None


@given(st.dictionaries(st.text(max_size=3), st.sampled_from(ProbeStatus), min_size=1))
def test_splitting_keeps_every_test_once(statuses: dict[str, ProbeStatus]) -> None:
    parts = split_by_status(statuses)
    assert sorted(test for part in parts for test in part) == sorted(statuses)
    if common_status(statuses.values()) is None:
        assert len(parts) == 2
        assert all(common_status(statuses[test] for test in part) is not None for part in parts)


def test_the_allowance_is_bounded() -> None:
    assert allowance(1) == 3
    assert allowance(64) == 9
    assert allowance(10**9) == 16
