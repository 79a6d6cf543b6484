"""Instants told by how long ago they are: ``30 days ago``, ``yesterday``, ``P3M``.

Read as git and uv read them, with calendar units: a month ago is the same day of the month before, or that
month's last day where it has no such day. What is counted in days or more means the start of that day in UTC,
as a bare date does, so that all commands of one day mean the same instant; hours and minutes are counted from
the current instant (``instants.current_instant``, cut to ten minutes).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

FORMS = (
    "2021-03-01, 2021-03, 2021-03-01T12:30:00Z, now, today, yesterday, "
    "'30 days ago', '3 months ago', or a duration such as P30D, P3M, PT12H (that long ago)"
)
"""Every form that the command line takes, for messages."""

_MONTH = re.compile(r"(\d{4})-(\d{2})\Z", re.ASCII)
_AGO = re.compile(
    r"(?P<count>\d{1,6}|an?|one)(?:[ .]*)(?P<unit>minute|hour|day|week|month|year)s?(?:[ .]+ago)?\Z", re.ASCII
)
_DURATION = re.compile(
    r"P(?=[\dT])(?:(?P<year>\d{1,6})Y)?(?:(?P<month>\d{1,6})M)?(?:(?P<week>\d{1,6})W)?(?:(?P<day>\d{1,6})D)?"
    r"(?:T(?=\d)(?:(?P<hour>\d{1,6})H)?(?:(?P<minute>\d{1,6})M)?)?\Z",
    re.ASCII,
)
_TIMES = ("hour", "minute")


def relative_instant(text: str, moment: datetime) -> datetime | None:
    """The instant (UTC) that ``text`` means at ``moment``; None where it is of no such form.

    The forms: ``now``, ``today``, ``yesterday``, ``YYYY-MM`` (the first day of a month), ``N UNITS ago``
    (``ago`` may be missing, and git's dots stand for spaces), and ISO 8601 durations without fractions.
    Letters may be of either case. Raises ValueError or OverflowError for a day that no calendar has.
    """
    written = re.sub(r"\s+", " ", text.strip()).lower()
    days = {"today": 0, "yesterday": 1}
    if written == "now":
        return moment
    if written in days:
        return before(moment, {"day": days[written]})
    month = _MONTH.match(written)
    if month is not None:
        return datetime(int(month[1]), int(month[2]), 1, tzinfo=UTC)
    ago = _AGO.match(written)
    if ago is not None:
        return before(moment, {ago["unit"]: int(ago["count"]) if ago["count"].isdecimal() else 1})
    duration = _DURATION.match(written.upper())
    if duration is not None:
        return before(moment, {unit: int(count) for unit, count in duration.groupdict().items() if count})
    return None


def before(moment: datetime, amounts: dict[str, int]) -> datetime:
    """``moment`` less so many of each unit ("year", "month", "week", "day", "hour", "minute"), largest first.

    The start of the day unless hours or minutes are among them. Raises OverflowError before the year 1.
    """
    months = 12 * amounts.get("year", 0) + amounts.get("month", 0)
    day = _months_before(moment, months) if months else moment
    day -= timedelta(weeks=amounts.get("week", 0), days=amounts.get("day", 0))
    if any(unit in amounts for unit in _TIMES):
        return day - timedelta(hours=amounts.get("hour", 0), minutes=amounts.get("minute", 0))
    return day.replace(hour=0, minute=0, second=0, microsecond=0)


def _months_before(moment: datetime, months: int) -> datetime:
    year, month = divmod(12 * moment.year + moment.month - 1 - months, 12)
    if year < 1:
        raise OverflowError("it lies before the year 1")
    first = moment.replace(year=year, month=month + 1, day=1)
    following = first.replace(day=28) + timedelta(days=4)  # in the month after it, whatever its length
    return first.replace(day=min(moment.day, (following - timedelta(days=following.day)).day))
