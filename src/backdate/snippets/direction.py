"""Which way a snippet goes in time, from its two versions."""

from __future__ import annotations

import re

from backdate.snippets.snippet import Direction, Snippet

_NUMBER = re.compile(r"\d{1,9}")


def direction_of(snippet: Snippet) -> Direction:
    """Whether the target is the later version, by the numbers of both: 3.10 is later than 3.9."""
    if snippet.origin is None or snippet.target is None:
        return Direction.NONE
    origin, target = _numbers(snippet.origin.version), _numbers(snippet.target.version)
    if origin == target:
        return Direction.NONE
    return Direction.FORWARD if origin < target else Direction.BACKWARD


def _numbers(version: str) -> tuple[int, ...]:
    numbers = [int(number) for number in _NUMBER.findall(version)]
    while numbers and not numbers[-1]:  # 2.0.0 is 2
        numbers.pop()
    return tuple(numbers)
