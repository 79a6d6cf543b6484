"""Distributions whose cut has to be moved, and when.

A resolution at an instant sees only files uploaded before it. A few distributions cannot be had so,
although they could on the day: their files were deleted and uploaded again, or uv's way of
building needs a newer build tool than an old instant has. Each row was found by rebuilding real
environments of 2017 to 2023, and every lock in which one was in force and mattered says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from backdate.environments.environment import Exemption
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


def exemptions_at(instant: Instant) -> tuple[Exemption, ...]:
    """The exemptions in force at ``instant``, sorted by name."""
    return tuple(
        Exemption(name=rule.name, until=rule.until, reason=rule.reason)
        for rule in sorted(_RULES, key=lambda rule: rule.name)
        if instant < rule.until
    )
