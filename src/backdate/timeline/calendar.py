"""The release calendar of CPython: which interpreters were released at an instant.

The data (``cpython_releases.csv``) is from the release PEPs and python.org; ``docs/reference/calendar.md``
says how it is refreshed. A release is visible from the day *after* its day in the calendar, because an
instant sees what was released strictly before it and a calendar has no hours.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from importlib import resources
from types import MappingProxyType

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from backdate.timeline.instants import Instant

OLDEST_MINOR = (3, 6)
"""Releases of an older minor are in the calendar but are never chosen."""

SETTLED_AFTER = timedelta(days=365)
"""How long after X.Y.0 a minor becomes the default (TimeMachine-bench, arXiv 2601.22597)."""

_ENDS = MappingProxyType(
    {
        (3, 6): date(2021, 12, 23),
        (3, 7): date(2023, 6, 27),
        (3, 8): date(2024, 10, 7),
        (3, 9): date(2025, 10, 31),
    }
)
"""The days on which minors reached their end of life (https://devguide.python.org/versions). Later ones get
five years of fixes, to the end of the October in which the fifth one is over (PEP 602)."""
_YEARS_SUPPORTED, _LAST_MONTH, _LAST_DAY = 5, 10, 31

_MOST_MINORS = 40
"""Of Python 3, those to come included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonRelease:
    """One final release of CPython."""

    version: Version
    """Three numbers."""
    released: date
    """The day (UTC) on which python.org announced it."""

    @property
    def minor(self) -> tuple[int, int]:
        """The minor it belongs to: ``(3, 8)``."""
        return (self.version.major, self.version.minor)

    def visible_at(self, instant: Instant) -> bool:
        """Whether it was released strictly before ``instant``, whatever the hour of its day."""
        return self.released < instant.astimezone(UTC).date()


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """Every final release of CPython for which there is evidence."""

    releases: tuple[PythonRelease, ...]
    """By version, ascending."""
    complete_until: date
    """No release up to this day is missing; later ones may be."""

    def incomplete_at(self, instant: Instant) -> bool:
        """Whether releases before ``instant`` may be missing from the calendar."""
        return instant.astimezone(UTC).date() > self.complete_until


@cache
def load_calendar() -> Calendar:
    """The calendar that is shipped with this version of backdate."""
    text = resources.files("backdate.timeline").joinpath("cpython_releases.csv").read_text("utf-8")
    return parse_calendar(text)


def parse_calendar(text: str) -> Calendar:
    """The calendar in ``text``: comments, ``# complete-until: DATE``, then ``version,released`` rows.

    Raises ValueError for any other text: the file is part of the package, so that is our mistake.
    """
    complete_until: date | None = None
    releases: list[PythonRelease] = []
    for line in text.splitlines():
        if line.startswith("# complete-until:"):
            complete_until = date.fromisoformat(line.partition(":")[2].strip())
        elif line and line[0].isdigit():
            version, _, day = line.partition(",")
            releases.append(PythonRelease(version=Version(version), released=date.fromisoformat(day.strip())))
    if complete_until is None or not releases:
        raise ValueError("a calendar needs a complete-until line and at least one release")
    releases.sort(key=lambda release: release.version)
    return Calendar(releases=tuple(releases), complete_until=complete_until)


def releases_before(instant: Instant) -> tuple[PythonRelease, ...]:
    """The releases to choose from at ``instant``: 3.6 or newer, released strictly before it; ascending."""
    return _released_before(instant.astimezone(UTC).date())


@lru_cache(maxsize=64)  # a check asks for the same two days again and again
def _released_before(day: date) -> tuple[PythonRelease, ...]:
    return tuple(release for release in _in_scope() if release.released < day)


@cache
def _in_scope() -> tuple[PythonRelease, ...]:
    return tuple(release for release in load_calendar().releases if release.minor >= OLDEST_MINOR)


def latest_release(specifier: SpecifierSet, before: Instant) -> PythonRelease | None:
    """The newest release that ``specifier`` contains and that was released strictly before ``before``."""
    for release in reversed(releases_before(before)):
        if specifier.contains(release.version):
            return release
    return None


def nearest_release(specifier: SpecifierSet, before: Instant) -> PythonRelease | None:
    """The latest release before ``before`` of the minor that is nearest to those of ``specifier``.

    For a range of which nothing was released by then, or is in the calendar. The older one of two. None for a
    range without any minor of Python 3.
    """
    wanted = [
        minor
        for minor in range(_MOST_MINORS)
        if any(specifier.contains(f"3.{minor}.{micro}") for micro in (0, 1, 5, 99))
    ]
    visible = releases_before(before)
    if not wanted or not visible:
        return None
    minors = {release.minor for release in visible}
    nearest = min(minors, key=lambda own: (min(abs(own[1] - minor) for minor in wanted), own))
    return max(
        (release for release in visible if release.minor == nearest), key=lambda release: release.version
    )


def default_release(instant: Instant) -> PythonRelease:
    """The release for a project that declares no interpreter.

    The latest minor that was a year old at ``instant`` (its X.Y.0 was released at least 365 days
    before), in its latest release at that time (TimeMachine-bench, arXiv 2601.22597). As long as no minor
    from 3.6 on was a year old, the oldest of them; before 3.6.0, 3.6.0 itself. Only in that last case the
    result was not yet released.
    """
    visible = releases_before(instant)
    if not visible:
        return _first_in_scope()
    settled = {
        release.minor
        for release in visible
        if release.version.micro == 0 and _start_of(release.released) + SETTLED_AFTER <= instant
    }
    minor = max(settled, default=min(release.minor for release in visible))
    return max((r for r in visible if r.minor == minor), key=lambda release: release.version)


def settled_since(minor: str) -> Instant | None:
    """Since when a project without a declaration may be run with a minor ("3.8"); None for an unknown one."""
    first = next((one for one in load_calendar().releases if str(one.version) == f"{minor}.0"), None)
    return None if first is None else _start_of(first.released) + SETTLED_AFTER


@cache
def end_of_support(minor: tuple[int, int]) -> date | None:
    """The last day on which a minor, ``(3, 8)``, gets security fixes; None for one that is not out."""
    if minor in _ENDS:
        return _ENDS[minor]
    first = next((one for one in load_calendar().releases if one.minor == minor), None)
    return None if first is None else date(first.released.year + _YEARS_SUPPORTED, _LAST_MONTH, _LAST_DAY)


def supported_minors(instant: Instant) -> tuple[tuple[int, int], ...]:
    """The minors that were released before ``instant`` and still got security fixes then, ascending."""
    return _supported_at(instant.astimezone(UTC).date())


@lru_cache(maxsize=64)
def _supported_at(day: date) -> tuple[tuple[int, int], ...]:
    released = dict.fromkeys(release.minor for release in _released_before(day))
    return tuple(minor for minor in released if (end_of_support(minor) or day) >= day)


def _first_in_scope() -> PythonRelease:
    return _in_scope()[0]


def _start_of(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
