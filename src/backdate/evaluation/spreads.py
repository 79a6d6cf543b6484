"""How calls, test runs and tokens are spread over attempts, and which tools are called at which turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from backdate.evaluation.scores import Score

_MOST_VALUES = 2000
"""Values of one spread that are kept; of more, every so many-th."""
_MOST_STRETCHES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptSpread:
    """The values of some attempts, in order of size."""

    attempts: int
    least: float
    lower: float
    """The first quartile; a quarter of the values is not above it."""
    median: float
    upper: float
    most: float
    mean: float
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """Some turns in a row."""

    first: int
    """Counted from 1."""
    last: int
    attempts: int
    """Attempts that came to the first of them."""
    tools: dict[str, int]
    """How often each tool was called in them, over all attempts."""


def spread_of(values: Iterable[float]) -> AttemptSpread | None:
    """The spread of ``values``; None without any. Quartiles are interpolated linearly."""
    ordered = sorted(values)
    if not ordered:
        return None
    step = -(-len(ordered) // _MOST_VALUES)
    return AttemptSpread(
        attempts=len(ordered),
        least=ordered[0],
        lower=_at(ordered, 0.25),
        median=_at(ordered, 0.5),
        upper=_at(ordered, 0.75),
        most=ordered[-1],
        mean=fmean(ordered),
        values=tuple(ordered[::step]),
    )


def _at(ordered: Sequence[float], share: float) -> float:
    position = share * (len(ordered) - 1)
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def spreads_of(scores: Sequence[Score]) -> dict[str, AttemptSpread]:
    """What the scores tell of an attempt's "calls", "tests", "input tokens" and "output tokens"."""
    counted = [score for score in scores if score.calls_made]
    used = [score.usage for score in scores if score.usage is not None]
    values = {
        "calls": spread_of(score.calls_made for score in counted),
        "tests": spread_of(score.tests for score in counted),
        "input tokens": spread_of(usage.input_tokens for usage in used if usage.input_tokens is not None),
        "output tokens": spread_of(usage.output_tokens for usage in used if usage.output_tokens is not None),
    }
    return {name: spread for name, spread in values.items() if spread is not None}


def stretches_of(sequences: Iterable[Sequence[str]]) -> tuple[Stretch, ...]:
    """Which tools are called when: the turns in stretches of equal length, at most a dozen."""
    called = [sequence for sequence in sequences if sequence]
    longest = max(map(len, called), default=0)
    length = next(
        (
            length_of_stretch
            for length_of_stretch in (1, 2, 5, 10, 20, 50, 100)
            if longest <= length_of_stretch * _MOST_STRETCHES
        ),
        0,
    )
    length = length or -(-longest // _MOST_STRETCHES)
    return tuple(
        Stretch(
            first=start + 1,
            last=min(start + length, longest),
            attempts=sum(len(sequence) > start for sequence in called),
            tools=dict(
                Counter(
                    name for sequence in called for name in sequence[start : start + length]
                ).most_common()
            ),
        )
        for start in range(0, longest, length or 1)
    )
