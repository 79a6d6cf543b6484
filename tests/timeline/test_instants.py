from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.errors import InstantError
from backdate.timeline.instants import (
    FIRST_UPLOAD,
    current_instant,
    format_day,
    format_instant,
    now,
    parse_instant,
    require_past,
)

INSTANTS = st.datetimes(
    min_value=FIRST_UPLOAD.replace(tzinfo=None),
    max_value=datetime(2100, 1, 1, tzinfo=UTC).replace(tzinfo=None),
    timezones=st.just(UTC),
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2021-03-01", datetime(2021, 3, 1, tzinfo=UTC)),
        ("2021-03-01T12:30:00Z", datetime(2021, 3, 1, 12, 30, tzinfo=UTC)),
        ("2021-03-01T12:30:00+02:00", datetime(2021, 3, 1, 10, 30, tzinfo=UTC)),
        ("2021-03-01 12:30Z", datetime(2021, 3, 1, 12, 30, tzinfo=UTC)),
        ("2021-03-01T12:30:00.1234567Z", datetime(2021, 3, 1, 12, 30, 0, 123456, tzinfo=UTC)),
        ("2021-03-01T23:59:59.999999999Z", datetime(2021, 3, 1, 23, 59, 59, 999999, tzinfo=UTC)),
    ],
)
def test_meanings_of_texts(text: str, expected: datetime) -> None:
    assert parse_instant(text) == expected
    assert parse_instant(text).tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "yesterday",
            "2021-13-01",
            "2021-02-30",
            "2021-3-1",
            "20210301",
            "now",
            "today",
            "\u0662021-03-01",
        ),
        *(
            "2021-03-01T12:30:00",
            "2021-03-01T25:00:00Z",
            "1999-01-01",
            "9999-12-31T23:59:59-23:59",
            "0001-01-01",
        ),
    ],
)
def test_invalid_texts_are_refused(text: str) -> None:
    with pytest.raises(InstantError) as caught:
        parse_instant(text)
    assert repr(text) in str(caught.value)


def test_now_and_today_are_for_the_command_line_only() -> None:
    assert now() - parse_instant("now", words=True) < timedelta(minutes=11)
    today = parse_instant("today", words=True)
    assert (today.hour, today.minute, today.second, today.microsecond) == (0, 0, 0, 0)


def test_the_current_instant_is_never_in_the_future() -> None:
    assert current_instant() <= now()


@given(INSTANTS)
def test_written_and_read_again(instant: datetime) -> None:
    assert parse_instant(format_instant(instant)) == instant


@given(INSTANTS, st.integers(min_value=-14 * 60, max_value=14 * 60))
def test_an_offset_does_not_change_the_instant(instant: datetime, minutes: int) -> None:
    elsewhere = instant.astimezone(timezone(timedelta(minutes=minutes)))
    assert format_instant(elsewhere) == format_instant(instant)
    assert parse_instant(elsewhere.isoformat()) == instant


def test_days_for_people() -> None:
    assert format_day(datetime(2021, 3, 1, tzinfo=UTC)) == "2021-03-01"
    assert format_day(datetime(2021, 3, 1, 4, 5, 6, tzinfo=UTC)) == "2021-03-01T04:05:06Z"


def test_the_future_is_refused() -> None:
    moment = now()
    assert require_past(moment) == moment
    with pytest.raises(InstantError, match="lies in the future"):
        require_past(moment + timedelta(days=1))
