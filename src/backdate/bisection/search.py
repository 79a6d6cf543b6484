"""Searching for a turn in an ordered row of points, of which a few are known. Pure functions.

The state of a search is a status for each point that was probed. Everything else follows from it, so that
a search can be interrupted, resumed and given the probes of other searches. Points that cannot be tested
are skipped as ``git bisect skip`` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from math import ceil, log2
from typing import Literal

MOST_BUILDS = 16
"""Environments that one cause may take."""
MOST_OF_ALL_CAUSES = 32
"""Environments that all causes of one bisection may take together, those that do not build included."""
MOST_ANSWERS = 5
"""Times that a flaky test is run."""
_ENOUGH = 4
"""Equal outcomes among ``MOST_ANSWERS`` runs that decide."""


class ProbeStatus(StrEnum):
    """The status of a test, or of tests that belong together, at a point."""

    GOOD = "good"
    BAD = "bad"
    SKIP = "skip"
    """Unknown: no environment, or the test does not exist or is skipped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Two points, good and then bad, with no point of known status between them."""

    good: int
    bad: int
    skipped: tuple[int, ...] = ()
    """Points between the two whose status is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusTransition:
    """A change of status between two points, with no point of known status between them."""

    before: int
    after: int
    kind: Literal["broke", "fixed"]


def window_of(statuses: Mapping[int, ProbeStatus]) -> tuple[int, int]:
    """The last good point before the bad points at the end, and the first of these.

    Where it broke, was fixed and broke again, that is the last time: it is why it fails now. Raises
    ValueError when nothing is good, or the last point of known status is not bad.
    """
    known_points = sorted(point for point, status in statuses.items() if status is not ProbeStatus.SKIP)
    if not known_points or statuses[known_points[-1]] is not ProbeStatus.BAD:
        raise ValueError("the last point of known status has to be bad")
    good = [point for point in known_points if statuses[point] is ProbeStatus.GOOD]
    if not good:
        raise ValueError("no point is known to be good")
    return good[-1], next(point for point in known_points if point > good[-1])


def next_point(statuses: Mapping[int, ProbeStatus]) -> int | None:
    """The point to probe next; None when no point between good and bad is left.

    Without skips the one in the middle. With them, the middle of the longest stretch that was not
    probed, so that a long row of points that cannot be built is left in few steps.
    """
    good, bad = window_of(statuses)
    skipped = [point for point in range(good + 1, bad) if point in statuses]
    edges = [good, *skipped, bad]
    stretches = [(right - left - 1, left, right) for left, right in pairwise(edges)]
    middle = (good + bad) / 2
    length, left, right = max(
        stretches, key=lambda stretch: (stretch[0], -abs((stretch[1] + stretch[2]) / 2 - middle))
    )
    return (left + right) // 2 if length > 0 else None


def weighted_point(statuses: Mapping[int, ProbeStatus], weights: Sequence[float]) -> int | None:
    """As ``next_point``, where turns are not equally likely: ``weights[n]`` for one from ``n - 1`` to ``n``.

    The point that halves the weight, among those after which no more questions are needed at the worst than
    halving the row takes. With skips as ``next_point``.
    """
    good, bad = window_of(statuses)
    if bad - good < 2 or any(point in statuses for point in range(good + 1, bad)):
        return next_point(statuses)
    most = 2 ** (ceil(log2(bad - good)) - 1)
    total = sum(weights[good + 1 : bad + 1])

    def heavier(point: int) -> tuple[float, float]:
        left = sum(weights[good + 1 : point + 1])
        return max(left, total - left), abs(point - (good + bad) / 2)

    return min(
        (point for point in range(max(good + 1, bad - most), min(good + most, bad - 1) + 1)), key=heavier
    )


def next_points(
    statuses: Mapping[int, ProbeStatus],
    point: int,
    choose: Callable[[Mapping[int, ProbeStatus]], int | None] = next_point,
) -> list[int]:
    """The points to probe after ``point``: if it is bad, and if it is good."""
    following = []
    for status in (ProbeStatus.BAD, ProbeStatus.GOOD):
        assumed = {**statuses, point: status}
        if assumed[max(assumed)] is ProbeStatus.BAD:
            following.append(choose(assumed))
    return [next_one for next_one in dict.fromkeys(following) if next_one is not None]


def found_window(statuses: Mapping[int, ProbeStatus]) -> Window:
    """The turn, when nothing is left to probe."""
    good, bad = window_of(statuses)
    return Window(
        good=good, bad=bad, skipped=tuple(point for point in range(good + 1, bad) if point in statuses)
    )


def changes_of(statuses: Mapping[int, ProbeStatus]) -> tuple[StatusTransition, ...]:
    """Every change of status, in order. More than one: the row is not monotone."""
    known_points = sorted(point for point, status in statuses.items() if status is not ProbeStatus.SKIP)
    return tuple(
        StatusTransition(
            before=before, after=after, kind="broke" if statuses[after] is ProbeStatus.BAD else "fixed"
        )
        for before, after in pairwise(known_points)
        if statuses[before] is not statuses[after]
    )


def settle(answers: Sequence[ProbeStatus]) -> ProbeStatus | None:
    """The status that repeated runs agree on; None when they contradict each other.

    All equal: that. Otherwise a majority of at least four in five, and only when ``MOST_ANSWERS`` were asked.
    """
    for status in ProbeStatus:
        count = sum(answer is status for answer in answers)
        if answers and count == len(answers):
            return status
        if len(answers) >= MOST_ANSWERS and count * MOST_ANSWERS >= len(answers) * _ENOUGH:
            return status
    return None


def common_status(statuses: Iterable[ProbeStatus]) -> ProbeStatus | None:
    """The status of tests that belong together; None when some are good and some are bad."""
    decided = {status for status in statuses if status is not ProbeStatus.SKIP}
    if len(decided) == 2:
        return None
    return next(iter(decided), ProbeStatus.SKIP)


def split_by_status(statuses: Mapping[str, ProbeStatus]) -> tuple[tuple[str, ...], ...]:
    """The tests that are good, and those that are bad; those of unknown status stay with the larger part."""
    good = tuple(test for test, status in statuses.items() if status is ProbeStatus.GOOD)
    bad = tuple(test for test, status in statuses.items() if status is ProbeStatus.BAD)
    rest = tuple(test for test, status in statuses.items() if status is ProbeStatus.SKIP)
    parts = (good + rest, bad) if len(good) > len(bad) else (good, bad + rest)
    return tuple(part for part in parts if part)


def allowance(distinct: int) -> int:
    """Environments that finding one cause among ``distinct`` resolutions may take: log2 + 3, at most 16."""
    return min(MOST_BUILDS, ceil(log2(max(distinct, 1))) + 3)
