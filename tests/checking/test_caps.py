"""Which bounds tests need, by runs that are made up."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from backdate.checking.caps import caps_by_runs
from backdate.checking.first_above import FirstAbove
from backdate.checking.own_bounds import OwnBound


def bound(name: str) -> OwnBound:
    return OwnBound(
        distribution=name,
        declared=f"{name}<2",
        file="pyproject.toml",
        line=1,
        specifier="<2",
        newest="2.0",
    )


A, B, C = bound("a"), bound("b"), bound("c")


class Runs:
    """A test passes where all bounds are kept that it needs."""

    def __init__(self, **needs: tuple[OwnBound, ...]) -> None:
        self.needs = needs
        self.tried: list[str] = []

    @property
    def tests(self) -> frozenset[str]:
        return frozenset(self.needs)

    def passing(self, kept: Sequence[OwnBound]) -> frozenset[str]:
        self.tried.append("+".join(one.distribution for one in kept))
        return frozenset(test for test, needed in self.needs.items() if set(needed) <= set(kept))


def test_one_that_all_tests_need_takes_one_run_and_the_others_can_be_lifted() -> None:
    runs = Runs(one=(A,), two=(A,))
    caps = caps_by_runs([A, B, C], runs.tests, runs.passing)
    assert runs.tried == ["a"]
    assert [(cap.distribution, cap.tests, cap.proven, cap.kept_with) for cap in caps.needed] == [
        ("a", 2, True, ())
    ]
    assert [cap.distribution for cap in caps.liftable] == ["b", "c"]


def test_two_that_different_tests_need_are_proven_together() -> None:
    runs = Runs(one=(A,), two=(A,), three=(C,))
    caps = caps_by_runs([A, B, C], runs.tests, runs.passing)
    assert runs.tried == ["a", "b", "c", "a+c"]
    assert [(cap.distribution, cap.tests, cap.proven, cap.kept_with) for cap in caps.needed] == [
        ("a", 2, True, ("c<2",)),
        ("c", 1, True, ("a<2",)),
    ]
    assert [cap.distribution for cap in caps.liftable] == ["b"]


def test_what_helps_alone_and_not_together_is_not_proven() -> None:
    helps = {("a",): {"one"}, ("b",): {"two"}}
    caps = caps_by_runs(
        [A, B],
        frozenset({"one", "two"}),
        lambda kept: frozenset(helps.get(tuple(one.distribution for one in kept), set())),
    )
    assert [(cap.distribution, cap.proven) for cap in caps.needed] == [("a", False), ("b", False)]
    assert caps.liftable == ()


def test_bounds_that_help_only_together_are_told_without_the_others() -> None:
    runs = Runs(one=(A, C))
    caps = caps_by_runs([A, B, C], runs.tests, runs.passing)
    assert runs.tried == ["a", "b", "c", "a+b+c", "b+c", "a+c"]
    assert [(cap.distribution, cap.tests, cap.proven, cap.kept_with) for cap in caps.needed] == [
        ("a", 1, True, ("c<2",)),
        ("c", 1, True, ("a<2",)),
    ]
    assert [cap.distribution for cap in caps.liftable] == ["b"]


def test_where_none_helps_nothing_is_said() -> None:
    runs = Runs(one=(bound("z"),))
    caps = caps_by_runs([A, B], runs.tests, runs.passing)
    assert (caps.needed, caps.liftable) == ((), ())


def test_no_more_than_six_are_kept_alone() -> None:
    runs = Runs(one=(bound("z"),))
    caps_by_runs([bound(name) for name in "abcdefghz"], runs.tests, runs.passing)
    assert len(runs.tried) == 6


def test_what_breaks_with_the_first_release_above_is_counted_among_what_the_bound_mends() -> None:
    runs = Runs(one=(A,), two=(A,), three=(C,))
    day = datetime(2025, 4, 17, tzinfo=UTC)
    asked: list[tuple[str, tuple[str, ...]]] = []

    def above(bound: OwnBound, kept: Sequence[OwnBound]) -> FirstAbove | None:
        asked.append((bound.distribution, tuple(one.distribution for one in kept)))
        if bound is C:
            return FirstAbove(version="1.9", uploaded=day)
        return FirstAbove(version="1.5", uploaded=day, broken=frozenset({"one", "three"}))

    caps = caps_by_runs([A, B, C], runs.tests, runs.passing, None, above)
    assert asked == [("a", ("c",)), ("c", ("a",))]
    assert [(cap.first, cap.first_released, cap.first_breaks, cap.since_first) for cap in caps.needed] == [
        ("1.5", day, 1, False),
        ("1.9", day, None, False),
    ]
