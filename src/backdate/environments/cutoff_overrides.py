"""Which distributions are cut later than the instant (``knowledge/tables/cutoff_overrides.toml`` says why).

Every lock in which one was in force and mattered says so.
"""

from __future__ import annotations

from collections.abc import Iterator

from backdate.environments.environment import CutoffOverride
from backdate.knowledge import load
from backdate.timeline.instants import Instant

_EDITABLE_FROM_PYTHON = 7


def cutoff_overrides_at(instant: Instant) -> tuple[CutoffOverride, ...]:
    """The cutoff overrides in force at ``instant``, sorted by name."""
    return tuple(sorted(_in_force(instant, editable=False), key=lambda override: override.name))


def editable_cutoff_override(
    cutoff_overrides: tuple[CutoffOverride, ...], instant: Instant, python: str
) -> tuple[CutoffOverride, ...]:
    """``cutoff_overrides`` with what an editable install through PEP 660 needs besides: setuptools 64.

    There is none for Python 3.6 and older, for which that setuptools was not made.
    """
    if int(python.split(".")[1]) < _EDITABLE_FROM_PYTHON:
        return cutoff_overrides
    added = {override.name: override for override in _in_force(instant, editable=True)}
    kept = (override for override in cutoff_overrides if override.name not in added)
    return tuple(sorted((*kept, *added.values()), key=lambda override: override.name))


def _in_force(instant: Instant, *, editable: bool) -> Iterator[CutoffOverride]:
    for row in load.cutoffs():
        if row.editable == editable and instant < row.until:
            yield CutoffOverride(name=row.name, until=row.until, reason=row.reason)
