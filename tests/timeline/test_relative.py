from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.errors import InstantError
from backdate.timeline.instants import current_instant, parse_instant
from backdate.timeline.relative import before, relative_instant

NOW = datetime(2024, 3, 31, 14, 50, tzinfo=UTC)
MOMENTS = st.integers(1262304000, 3786912000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
UNITS = st.sampled_from(("minute", "hour", "day", "week", "month", "year"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("now", NOW),
        ("Today", datetime(2024, 3, 31, tzinfo=UTC)),
        ("yesterday", datetime(2024, 3, 30, tzinfo=UTC)),
        ("2024-01", datetime(2024, 1, 1, tzinfo=UTC)),
        ("30 days ago", datetime(2024, 3, 1, tzinfo=UTC)),
        ("30 DAYS", datetime(2024, 3, 1, tzinfo=UTC)),
        ("30.days.ago", datetime(2024, 3, 1, tzinfo=UTC)),
        ("1 day ago", datetime(2024, 3, 30, tzinfo=UTC)),
        ("a week ago", datetime(2024, 3, 24, tzinfo=UTC)),
        ("an hour ago", NOW - timedelta(hours=1)),
        ("90  minutes ago", NOW - timedelta(minutes=90)),
        ("1 month ago", datetime(2024, 2, 29, tzinfo=UTC)),
        ("13 months ago", datetime(2023, 2, 28, tzinfo=UTC)),
        ("3 months ago", datetime(2023, 12, 31, tzinfo=UTC)),
        ("1 year ago", datetime(2023, 3, 31, tzinfo=UTC)),
        ("P30D", datetime(2024, 3, 1, tzinfo=UTC)),
        ("p3m", datetime(2023, 12, 31, tzinfo=UTC)),
        ("P2W", datetime(2024, 3, 17, tzinfo=UTC)),
        ("P1Y1M1D", datetime(2023, 2, 27, tzinfo=UTC)),
        ("PT12H", NOW - timedelta(hours=12)),
        ("PT90M", NOW - timedelta(minutes=90)),
        ("P1DT30M", NOW - timedelta(days=1, minutes=30)),
        ("0 days ago", datetime(2024, 3, 31, tzinfo=UTC)),
    ],
)
def test_meanings_of_words(text: str, expected: datetime) -> None:
    assert parse_instant(text, words=True, moment=NOW) == expected


@pytest.mark.parametrize(
    "text",
    [
        *(
            "tomorrow",
            "in 3 days",
            "-3 days",
            "3.5 days ago",
            "3 moons ago",
            "ago",
            "days ago",
            "last week",
            "2024",
        ),
        *(
            "P",
            "PT",
            "P3",
            "PD",
            "P-3D",
            "-P3D",
            "P3DT",
            "P1.5D",
            "PT5S",
            "9999999 days ago",
            "\u0663 days ago",
        ),
    ],
)
def test_what_has_no_known_form_is_refused_with_the_forms(text: str) -> None:
    with pytest.raises(InstantError, match="'30 days ago'") as caught:
        parse_instant(text, words=True, moment=NOW)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("2024-13", "month must be in"),
        ("0000-01", "year 0"),
        ("999999 years ago", "before the year 1"),
        ("P999999Y", "before the year 1"),
        ("30 years ago", "before the package index existed"),
        ("1999-01", "before the package index existed"),
        ("300000 days ago", "before the package index existed"),
    ],
)
def test_what_is_no_day_of_the_index_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(InstantError, match=why) as caught:
        parse_instant(text, words=True, moment=NOW)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("text", ["30 days ago", "yesterday", "2024-01", "P30D"])
def test_words_are_for_the_command_line_alone(text: str) -> None:
    with pytest.raises(InstantError, match="write 2021-03-01"):
        parse_instant(text)


@given(MOMENTS, st.integers(0, 4000), UNITS)
def test_both_forms_mean_the_same_and_lie_in_the_past(moment: datetime, count: int, unit: str) -> None:
    letters = {"minute": "T{}M", "hour": "T{}H", "day": "{}D", "week": "{}W", "month": "{}M", "year": "{}Y"}
    try:
        expected = before(moment, {unit: count})
    except OverflowError:
        assert unit == "year" or (unit == "month" and count > 12 * 2000)
        return
    assert relative_instant(f"{count} {unit}s ago", moment) == expected
    assert relative_instant("P" + letters[unit].format(count), moment) == expected
    assert expected <= moment
    assert expected.tzinfo is UTC


@given(MOMENTS, st.integers(0, 300), st.integers(0, 300), st.sampled_from(("day", "week", "month", "year")))
def test_longer_ago_is_never_later(moment: datetime, one: int, other: int, unit: str) -> None:
    fewer, more = sorted((one, other))
    assert before(moment, {unit: more}) <= before(moment, {unit: fewer})


@given(MOMENTS, st.integers(0, 300))
def test_months_keep_the_day_or_take_the_last(moment: datetime, months: int) -> None:
    then = before(moment, {"month": months})
    assert 12 * (moment.year - then.year) + moment.month - then.month == months
    assert then.day == moment.day or (then.day < moment.day and (then + timedelta(days=1)).day == 1)
    assert then == then.replace(hour=0, minute=0, second=0, microsecond=0)


@given(MOMENTS, st.text(max_size=30))
def test_no_text_breaks_the_reader(moment: datetime, text: str) -> None:
    try:
        parse_instant(text, words=True, moment=moment)
    except InstantError:
        return


def test_the_default_moment_is_now() -> None:
    assert parse_instant("PT0H", words=True) in (current_instant(), current_instant() - timedelta(minutes=10))
