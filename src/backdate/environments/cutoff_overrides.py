"""Distributions whose cut has to be moved, and when.

A resolution at an instant sees only files uploaded before it. A few distributions cannot be had so,
although they could on the day: their files were deleted and uploaded again, or uv's way of
building needs a newer build tool than an old instant has. Each row was found by rebuilding real
environments of 2017 to 2023, and every lock in which one was in force and mattered says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from backdate.environments.environment import CutoffOverride
from backdate.timeline.instants import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    name: str
    until: Instant
    """For instants before this one, the distribution is cut here instead."""
    reason: str


_RULES = (
    _Rule(
        name="atomicwrites",
        until=datetime(2022, 7, 10, tzinfo=UTC),
        reason="all its files were deleted and uploaded again on 2022-07-08 and 2022-07-09",
    ),
    _Rule(
        name="setuptools",
        until=datetime(2019, 2, 10, tzinfo=UTC),
        reason="builds through PEP 517 need setuptools 40.8",
    ),
    _Rule(
        name="wheel",
        until=datetime(2019, 2, 14, tzinfo=UTC),
        reason="builds through PEP 517 need wheel 0.33",
    ),
)


def cutoff_overrides_at(instant: Instant) -> tuple[CutoffOverride, ...]:
    """The cutoff_overrides in force at ``instant``, sorted by name."""
    return tuple(
        CutoffOverride(name=rule.name, until=rule.until, reason=rule.reason)
        for rule in sorted(_RULES, key=lambda rule: rule.name)
        if instant < rule.until
    )


_EDITABLE_FROM_PYTHON = 7


def editable_cutoff_override(
    cutoff_overrides: tuple[CutoffOverride, ...], instant: Instant, python: str
) -> tuple[CutoffOverride, ...]:
    """``cutoff_overrides`` with what an editable install through PEP 660 needs besides: setuptools 64.

    There is none for Python 3.6 and older, for which that setuptools was not made.
    """
    if instant >= _EDITABLE.until or int(python.split(".")[1]) < _EDITABLE_FROM_PYTHON:
        return cutoff_overrides
    others = tuple(one for one in cutoff_overrides if one.name != _EDITABLE.name)
    moved = CutoffOverride(name=_EDITABLE.name, until=_EDITABLE.until, reason=_EDITABLE.reason)
    return tuple(sorted((*others, moved), key=lambda one: one.name))


_EDITABLE = _Rule(
    name="setuptools",
    until=datetime(2022, 8, 16, tzinfo=UTC),
    reason="editable installs through PEP 660 need setuptools 64",
)
