"""The metrics of TimeMachine-bench (arXiv 2601.22597, section 4) and what else is told of many attempts.

pass@1(n, m) says whether a migration suffices: the share of tasks solved within n calls and m test runs.
prec@1(n, m) says whether it was necessary: the precision of its edits, counted only where the task is solved.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredAttempt:
    """One attempt at one task, as it was scored."""

    task: str
    solved: bool
    """By scoring's own run of the tests, never by what the attempt says of itself."""
    precision: float | None
    """Of its edits against the gold patch; None where no gold patch is known."""
    calls: int = 0
    """Model calls that were made until the scored patch was there."""
    tests: int = 0
    """Test runs that were used until then, without the first, which is given."""


def within(attempt: ScoredAttempt, calls: int | None, tests: int | None) -> bool:
    """Whether ``attempt`` solved its task within the budgets; None is no limit."""
    return (
        attempt.solved
        and (calls is None or attempt.calls <= calls)
        and (tests is None or attempt.tests <= tests)
    )


def pass_at_1(
    attempts: Sequence[ScoredAttempt], *, calls: int | None = None, tests: int | None = None
) -> float:
    """pass@1(n, m), Equations 1 and 2: the share of ``attempts`` that solved their task within the budgets.

    One run with large budgets gives the value for every smaller one. 0 for no attempts.
    """
    return fmean([within(attempt, calls, tests) for attempt in attempts]) if attempts else 0.0


def prec_at_1(
    attempts: Sequence[ScoredAttempt], *, calls: int | None = None, tests: int | None = None
) -> float | None:
    """prec@1(n, m), Equations 3 to 5: the mean over all tasks of the precision, 0 where one is not solved.

    Over the tasks whose gold patch is known; None when there is none.
    """
    known = [attempt for attempt in attempts if attempt.precision is not None]
    if not known:
        return None
    return fmean([(attempt.precision or 0.0) * within(attempt, calls, tests) for attempt in known])


def prec_at_1_as_released(attempts: Sequence[ScoredAttempt]) -> float | None:
    """What the released code computes: the mean precision of all edits, whether or not they solve."""
    known = [attempt.precision for attempt in attempts if attempt.precision is not None]
    return fmean(known) if known else None


def curve(
    attempts: Sequence[ScoredAttempt], most_calls: int, *, tests: int | None = None
) -> tuple[float, ...]:
    """pass@1(n', m) for n' from 0 to ``most_calls`` (the paper's Figure 5)."""
    return tuple(pass_at_1(attempts, calls=calls, tests=tests) for calls in range(most_calls + 1))


def pass_at_k(tries: int, solved: int, k: int) -> float:
    """The unbiased estimate that one of ``k`` attempts solves a task of which ``solved`` of ``tries`` did
    (Chen et al., arXiv 2107.03374, section 2.1).

    Raises ValueError unless ``0 <= solved <= tries`` and ``1 <= k <= tries``.
    """
    if not (0 <= solved <= tries and 1 <= k <= tries):
        raise ValueError(f"pass@{k} cannot be told from {solved} of {tries} attempts")
    return 1.0 - math.comb(tries - solved, k) / math.comb(tries, k)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A value with the interval in which it lies with the given confidence."""

    value: float
    low: float
    high: float
    confidence: float


def bootstrap(
    items: Sequence[T],
    measure: Callable[[Sequence[T]], float | None],
    *,
    confidence: float = 0.95,
    repeats: int = 2000,
    seed: int = 0,
) -> Interval | None:
    """``measure``, a share, of ``items`` with its percentile bootstrap interval (Efron 1979) over the items.

    The same seed gives the same interval. Where all draws give one value, as when everything is solved, they
    say nothing of what lies beyond: then it is Wilson's interval of that share. None when ``measure`` gives
    none of the items.
    """
    value = measure(items)
    if value is None:
        return None
    chance = random.Random(seed)  # noqa: S311 - statistics, not secrets
    drawn_values = (measure(chance.choices(items, k=len(items))) for _ in range(repeats)) if items else ()
    drawn = sorted(drawn_value for drawn_value in drawn_values if drawn_value is not None) or [value]
    tail = (1.0 - confidence) / 2.0
    low = drawn[round(tail * (len(drawn) - 1))]
    high = drawn[round((1.0 - tail) * (len(drawn) - 1))]
    if low == high and items:
        low, high = wilson(value, len(items), confidence=confidence)
    return Interval(value=value, low=min(low, value), high=max(high, value), confidence=confidence)


def wilson(share: float, tries: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """The score interval of a share of ``tries`` (Wilson 1927); (0, 1) without a try."""
    if not tries:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1.0 + confidence) / 2.0)
    square = z * z / tries
    middle = (share + square / 2) / (1 + square)
    half = z * math.sqrt(share * (1 - share) / tries + square / (4 * tries)) / (1 + square)
    return max(0.0, middle - half), min(1.0, middle + half)
