from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from backdate.bisection.points import candidate_instants, releases_between, releases_of
from backdate.projects.sources.listing import ListedFile

DAY = datetime(2022, 1, 1, tzinfo=UTC)


def file(version: str, hours: float, *, yanked: bool = False) -> ListedFile:
    return ListedFile(
        filename=f"a-{version}-{hours}.whl",
        url="https://x/",
        version=Version(version),
        uploaded=DAY + timedelta(hours=hours),
        sha256=None,
        yanked=yanked,
        sdist=False,
    )


def test_wheels_that_are_uploaded_one_by_one_are_one_instant() -> None:
    (release,) = releases_of("a", [file("1", 0), file("1", 3), file("1", 23), file("1", 1000)])
    assert release.uploaded == DAY
    assert release.instants == (
        DAY + timedelta(hours=23, seconds=1),
        DAY + timedelta(hours=1000, seconds=1),
    )


def test_only_releases_that_a_resolver_may_take_are_candidates() -> None:
    files = [file("1", 0), file("2", 48), file("3rc1", 96), file("3", 144), file("4", 192, yanked=True)]
    releases = releases_of("a", files)
    between = releases_between(releases, Version("2"), None)
    assert [one.version for one in between] == ["2", "3"]
    assert [one.version for one in releases_between(releases, Version("3rc1"), Version("3"))] == ["3rc1", "3"]
    assert [one.version for one in releases_between(releases, Version("3"), Version("1"))] == ["1", "2", "3"]
    end = DAY + timedelta(days=30)
    instants = candidate_instants({"a": releases}, {"a": (Version("1"), Version("2"))}, DAY, end)
    assert instants == (DAY, DAY + timedelta(seconds=1), DAY + timedelta(hours=48, seconds=1), end)


@given(st.lists(st.tuples(st.sampled_from(["1", "2", "3"]), st.integers(0, 9000)), min_size=1, max_size=30))
def test_after_the_last_instant_of_a_release_all_its_files_are_there(rows: list[tuple[str, int]]) -> None:
    files = [file(version, hours) for version, hours in rows]
    for release in releases_of("a", files):
        own = [one.uploaded for one in files if str(one.version) == release.version]
        assert release.uploaded == min(own)
        assert release.instants == tuple(sorted(set(release.instants)))
        assert max(own) < release.instants[-1] <= max(own) + timedelta(seconds=1)
        assert all(any(time < instant for time in own) for instant in release.instants)


def wheel(name: str) -> ListedFile:
    return replace(file("1.0", 0), filename=name, sdist=False)


def sdist(size_bytes: int) -> ListedFile:
    return replace(file("1.0", 0), filename="a-1.0.tar.gz", sdist=True, size_bytes=size_bytes)


@pytest.mark.parametrize(
    ("files", "ships"),
    [
        ([wheel("a-1.0-cp39-cp39-manylinux_2_17_x86_64.whl")], {"3.9.18"}),
        (
            [
                wheel("a-1.0-cp39-cp39-manylinux_2_17_x86_64.whl"),
                wheel("a-1.0-cp311-cp311-musllinux_1_1_x86_64.whl"),
                wheel("a-1.0-cp312-cp312-macosx_10_9_x86_64.whl"),
                wheel("a-1.0-pp39-pypy39_pp73-manylinux_2_17_x86_64.whl"),
                sdist(10_000_000),
            ],
            {"3.9.18", "3.11.7"},
        ),
        ([wheel("a-1.0-cp36-abi3-manylinux_2_17_x86_64.whl")], {"3.9.18", "3.11.7", "3.12.1"}),
        ([wheel("a-1.0-py3-none-any.whl")], {"3.9.18", "3.11.7", "3.12.1"}),
        ([sdist(10_000_000)], {"3.9.18", "3.11.7", "3.12.1"}),
        (
            [wheel("a-1.0-cp39-cp39-manylinux_2_17_x86_64.whl"), sdist(20_000)],
            {"3.9.18", "3.11.7", "3.12.1"},
        ),
        ([wheel("no wheel.whl")], {"3.9.18", "3.11.7", "3.12.1"}),
    ],
)
def test_whether_a_release_has_to_be_compiled_is_read_from_its_files(
    files: list[ListedFile], ships: set[str]
) -> None:
    (release,) = releases_of("a", files)
    assert {python for python in ("3.9.18", "3.11.7", "3.12.1") if release.ships_for(python)} == ships
