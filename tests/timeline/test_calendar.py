from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

from backdate.timeline.calendar import (
    default_release,
    latest_release,
    load_calendar,
    parse_calendar,
    releases_before,
)
from backdate.timeline.instants import parse_instant

INSTANTS = st.datetimes(
    min_value=parse_instant("2017-01-02").replace(tzinfo=None),
    max_value=parse_instant("2026-08-22").replace(tzinfo=None),
).map(lambda moment: moment.replace(tzinfo=parse_instant("2020-01-01").tzinfo))


def test_calendar_is_complete_for_every_minor_in_scope() -> None:
    recalled = {(3, 9, 3)}
    versions = {release.version.release for release in load_calendar().releases}
    for minor in range(6, 15):
        patches = {v[2] for v in versions if v[:2] == (3, minor)}
        missing = {(3, minor, p) for p in range(max(patches))} - versions - recalled
        assert not missing


def test_calendar_dates_rise_within_a_minor() -> None:
    last: dict[tuple[int, int], date] = {}
    for release in load_calendar().releases:
        if release.minor < (3, 6):
            continue
        assert release.released >= last.get(release.minor, date.min)
        last[release.minor] = release.released


def test_calendar_does_not_reach_beyond_its_evidence() -> None:
    calendar = load_calendar()
    assert max(release.released for release in calendar.releases) <= calendar.complete_until
    assert not calendar.incomplete_at(parse_instant(calendar.complete_until.isoformat()))
    assert calendar.incomplete_at(parse_instant((calendar.complete_until + timedelta(days=1)).isoformat()))


@pytest.mark.parametrize(
    "text", ["", "version,released\n3.8.0,2019-10-14\n", "# complete-until: 2020-01-01\n"]
)
def test_calendar_without_its_parts_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="complete-until"):
        parse_calendar(text)


@pytest.mark.parametrize(
    ("specifier", "day", "version"),
    [
        (">=3.6", "2020-09-30", "3.8.6"),
        (">=3.6", "2021-01-20", "3.9.1"),
        ("~=3.6", "2019-09-26", "3.7.4"),
        ("==3.6.*", "2021-03-29", "3.6.13"),
        (">=2.7", "2018-09-02", "3.7.0"),
        (">=3.10", "2023-08-28", "3.11.5"),
    ],
)
def test_latest_release_of_published_rows(specifier: str, day: str, version: str) -> None:
    release = latest_release(SpecifierSet(specifier), parse_instant(day))
    assert release is not None
    assert str(release.version) == version


def test_latest_release_excludes_the_day_itself() -> None:
    in_range = SpecifierSet("==3.8.*")
    on_the_day = latest_release(in_range, parse_instant("2020-12-21T23:59:59Z"))
    day_after = latest_release(in_range, parse_instant("2020-12-22"))
    assert on_the_day is not None
    assert day_after is not None
    assert (str(on_the_day.version), str(day_after.version)) == ("3.8.6", "3.8.7")


def test_latest_release_ignores_the_recalled_one() -> None:
    release = latest_release(SpecifierSet("==3.9.*"), parse_instant("2021-04-04"))
    assert release is not None
    assert str(release.version) == "3.9.2"


@pytest.mark.parametrize("specifier", ["<3", "==3.5.*", ">=4"])
def test_latest_release_is_none_out_of_scope(specifier: str) -> None:
    assert latest_release(SpecifierSet(specifier), parse_instant("2021-01-01")) is None


@pytest.mark.parametrize(
    ("day", "version"),
    [
        ("2016-12-01", "3.6.0"),
        ("2017-06-01", "3.6.1"),
        ("2019-05-21", "3.6.8"),
        ("2019-06-27", "3.7.3"),
        ("2019-06-26", "3.6.8"),
        ("2020-04-30", "3.7.7"),
        ("2023-06-07", "3.10.12"),
    ],
)
def test_default_release_is_the_latest_minor_that_was_a_year_old(day: str, version: str) -> None:
    assert str(default_release(parse_instant(day)).version) == version


@given(INSTANTS)
def test_default_release_was_released_and_is_in_scope(instant) -> None:
    release = default_release(instant)
    assert release in releases_before(instant)
    assert all(r.minor >= (3, 6) and r.released < instant.date() for r in releases_before(instant))


@given(INSTANTS, INSTANTS)
def test_releases_before_only_grows_with_time(one, other) -> None:
    earlier, later = sorted((one, other))
    assert set(releases_before(earlier)) <= set(releases_before(later))
    assert default_release(earlier).version <= default_release(later).version
