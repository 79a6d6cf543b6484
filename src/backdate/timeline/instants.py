"""Instants: what "as of 2021-03-01" means. Those that are counted back from now are read by ``relative.py``.

An instant is a timezone-aware UTC ``datetime``. What is visible at an instant is what was uploaded
strictly before it. A bare date is 00:00:00 UTC of that day, as in TimeMachine-bench
(arXiv 2601.22597) and pypi-timemachine. uv's own bare date is a day later and in local time, so uv is
always given the full instant.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import TypeAlias

from backdate.errors import InstantError

Instant: TypeAlias = datetime
"""A timezone-aware datetime in UTC."""

FIRST_UPLOAD = datetime(2003, 3, 20, tzinfo=UTC)
"""Nothing is visible before the package index existed (PEP 301 was implemented in March 2003)."""

ABSOLUTE_FORMS = "2021-03-01, or an instant with its offset such as 2021-03-01T12:30:00Z"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)
_INSTANT = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?:([Zz])|([+-]\d{2}:?\d{2}))\Z",
    re.ASCII,
)


def now() -> Instant:
    """This moment, to the microsecond."""
    return datetime.now(UTC)


def current_instant() -> Instant:
    """What "now" means by default: this moment, rounded down to full ten minutes.

    Package indexes let clients keep their pages for ten minutes, so nothing younger is sure to be
    visible; and two commands in a row mean the same instant and share their resolutions.
    """
    moment = now()
    return moment.replace(minute=moment.minute - moment.minute % 10, second=0, microsecond=0)


def parse_instant(text: str, *, words: bool = False, moment: Instant | None = None) -> Instant:
    """The instant that ``text`` means: ``YYYY-MM-DD`` or RFC 3339 with an offset (PEP 700's form included).

    With ``words`` (the command line only) the forms of ``timeline/relative.py`` are accepted too: ``now``,
    ``yesterday``, ``30 days ago``, ``2021-03``, ``P3M``. They are counted back from ``moment``, by default
    ``current_instant()``. Raises InstantError for anything else and for instants before the package index
    existed.
    """
    text = text.strip()
    forms, instant = ABSOLUTE_FORMS, None
    try:
        if words and _DATE.match(text) is None:
            from backdate.timeline.relative import FORMS, relative_instant

            forms, instant = FORMS, relative_instant(text, moment or current_instant())
        instant = instant or _parse(text, forms)
    except (ValueError, OverflowError) as error:
        raise InstantError(f"{text[:100]!r} is not a date: {error}") from error
    if instant < FIRST_UPLOAD:
        raise InstantError(
            f"{text!r} lies before the package index existed ({format_instant(FIRST_UPLOAD)}): "
            "nothing is visible then"
        )
    return instant


def _parse(text: str, forms: str) -> Instant:
    if _DATE.match(text):
        day = date.fromisoformat(text)
        return datetime(day.year, day.month, day.day, tzinfo=UTC)
    match = _INSTANT.match(text)
    if match is None:
        raise ValueError(f"write {forms}")
    day_text, time_text, zulu, offset = match.groups()
    if "." in time_text:  # datetime keeps microseconds; a finer fraction is cut, so never later than written
        whole, fraction = time_text.split(".")
        time_text = f"{whole}.{fraction[:6].ljust(6, '0')}"
    return datetime.fromisoformat(f"{day_text}T{time_text}{'+00:00' if zulu else offset}").astimezone(UTC)


def require_past(instant: Instant) -> Instant:
    """``instant``, unless it lies in the future. Raises InstantError.

    What will be visible then is unknown, and a resolution that was cached for it would be wrong later.
    """
    if instant > now():
        raise InstantError(f"{format_instant(instant)} lies in the future: what is visible then is not known")
    return instant


def format_instant(instant: Instant) -> str:
    """RFC 3339 in UTC with a ``Z``, the form for uv and for our index (microseconds if any)."""
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def format_day(instant: Instant) -> str:
    """For people: the date alone for an instant at the start of a day, else the instant to the second."""
    utc = instant.astimezone(UTC)
    if utc - utc.replace(hour=0, minute=0, second=0, microsecond=0) == timedelta(0):
        return utc.date().isoformat()
    return utc.strftime("%Y-%m-%dT%H:%M:%SZ")
