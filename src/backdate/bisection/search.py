"""Looking for a turn in an ordered row of points, of which a few are known. Pure functions.

The state of a search is what was seen: a status for each point that was looked at. Everything else
follows from it, so that a search can be interrupted, resumed and given answers that somebody else
asked for. Points that cannot be tested are gone around as ``git bisect skip`` does.
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
MOST_ANSWERS = 5
"""Times that a test is asked which does not always say the same."""
_ENOUGH = 4
"""Equal answers of ``MOST_ANSWERS`` that are believed."""


class ProbeStatus(StrEnum):
    """What a point says of a test, or of tests that belong together."""

    GOOD = "good"
    BAD = "bad"
    SKIP = "skip"
    """It cannot be told: no environment, or the test is not there or skips itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Two points, good and then bad, with nothing between them that could be told."""

    good: int
    bad: int
    skipped: tuple[int, ...] = ()
    """Points between the two that could not be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusTransition:
    """A change of status between two points that were looked at, with none between them that was told."""

    before: int
    after: int
    kind: Literal["broke", "fixed"]


def window_of(seen: Mapping[int, ProbeStatus]) -> tuple[int, int]:
    """The last good point before the bad points at the end, and the first of these.

    Where it broke, was fixed and broke again, that is the last time: it is why it fails now. Raises
    ValueError when nothing is good, or the last point that was told is not bad.
    """
    told = sorted(point for point, status in seen.items() if status is not ProbeStatus.SKIP)
    if not told or seen[told[-1]] is not ProbeStatus.BAD:
        raise ValueError("the last point that was told has to be bad")
    good = [point for point in told if seen[point] is ProbeStatus.GOOD]
    if not good:
        raise ValueError("no point is known to be good")
    return good[-1], next(point for point in told if point > good[-1])


def next_point(seen: Mapping[int, ProbeStatus]) -> int | None:
    """The point to look at next; None when no point between good and bad is left.

    Without skips the one in the middle. With them, the middle of the longest stretch that was not
    looked at, so that a long row of points which cannot be built is left in few steps.
    """
    good, bad = window_of(seen)
    skipped = [point for point in range(good + 1, bad) if point in seen]
    edges = [good, *skipped, bad]
    stretches = [(right - left - 1, left, right) for left, right in pairwise(edges)]
    middle = (good + bad) / 2
    length, left, right = max(stretches, key=lambda one: (one[0], -abs((one[1] + one[2]) / 2 - middle)))
    return (left + right) // 2 if length > 0 else None


def next_points(
    seen: Mapping[int, ProbeStatus],
    point: int,
    choose: Callable[[Mapping[int, ProbeStatus]], int | None] = next_point,
) -> list[int]:
    """The points to look at after ``point``: where it turns out to be bad, and where good."""
    following = []
    for status in (ProbeStatus.BAD, ProbeStatus.GOOD):
        told = {**seen, point: status}
        if told[max(told)] is ProbeStatus.BAD:
            following.append(choose(told))
    return [one for one in dict.fromkeys(following) if one is not None]


def found_window(seen: Mapping[int, ProbeStatus]) -> Window:
    """The turn, when nothing is left to look at."""
    good, bad = window_of(seen)
    return Window(good=good, bad=bad, skipped=tuple(point for point in range(good + 1, bad) if point in seen))


def changes_of(seen: Mapping[int, ProbeStatus]) -> tuple[StatusTransition, ...]:
    """Every change of status that was seen, in order. More than one: the row is not monotone."""
    told = sorted(point for point, status in seen.items() if status is not ProbeStatus.SKIP)
    return tuple(
        StatusTransition(
            before=before, after=after, kind="broke" if seen[after] is ProbeStatus.BAD else "fixed"
        )
        for before, after in pairwise(told)
        if seen[before] is not seen[after]
    )


def settle(answers: Sequence[ProbeStatus]) -> ProbeStatus | None:
    """What repeated answers mean; None when they contradict each other.

    All equal: that. Otherwise a majority of at least four in five, and only when ``MOST_ANSWERS`` were asked.
    """
    for status in ProbeStatus:
        count = sum(one is status for one in answers)
        if answers and count == len(answers):
            return status
        if len(answers) >= MOST_ANSWERS and count * MOST_ANSWERS >= len(answers) * _ENOUGH:
            return status
    return None


def common_status(statuses: Iterable[ProbeStatus]) -> ProbeStatus | None:
    """The status of tests that belong together; None when some are good and some are bad."""
    told = {status for status in statuses if status is not ProbeStatus.SKIP}
    if len(told) == 2:
        return None
    return next(iter(told), ProbeStatus.SKIP)


def split_by_status(statuses: Mapping[str, ProbeStatus]) -> tuple[tuple[str, ...], ...]:
    """The tests that are good, and those that are bad; what cannot be told stays with the larger part."""
    good = tuple(test for test, status in statuses.items() if status is ProbeStatus.GOOD)
    bad = tuple(test for test, status in statuses.items() if status is ProbeStatus.BAD)
    rest = tuple(test for test, status in statuses.items() if status is ProbeStatus.SKIP)
    parts = (good + rest, bad) if len(good) > len(bad) else (good, bad + rest)
    return tuple(part for part in parts if part)


def allowance(distinct: int) -> int:
    """Environments that finding one cause among ``distinct`` resolutions may take: log2 + 3, at most 16."""
    return min(MOST_BUILDS, ceil(log2(max(distinct, 1))) + 3)
