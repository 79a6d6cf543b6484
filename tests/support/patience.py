"""How tests wait, so that they say the same on a busy machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE_S = 600.0
"""Seconds until a test gives up what it waits for. Reaching this is a defect, however busy the machine is."""


def with_enough_time(attempt: Callable[[float], T], enough: Callable[[T], bool], wall_s: float) -> T:
    """What ``attempt`` gives under a time limit that must strike, but not before ``enough`` has happened.

    The limit starts at ``wall_s`` seconds, which an idle machine needs, and grows for a busy one.
    """
    result = attempt(wall_s)
    while not enough(result) and wall_s < PATIENCE_S:
        wall_s *= 4
        result = attempt(wall_s)
    return result
