"""The first release above a bound, by what the index lists."""

from __future__ import annotations

import pytest
from packaging.version import Version

from backdate.checking.first_above import lowest_above
from backdate.projects.sources.listing import ListedFile
from backdate.timeline.instants import parse_instant

NOW = parse_instant("2026-01-01")


def file(version: str, day: str, *, yanked: bool = False) -> ListedFile:
    return ListedFile(
        filename=f"x-{version}.tar.gz",
        url="https://example.org/x",
        version=Version(version),
        uploaded=parse_instant(day),
        sha256=None,
        yanked=yanked,
        sdist=True,
    )


FILES = (
    file("3.26.1", "2025-02-03"),
    file("3.27.0", "2025-09-01"),  # a later release of the older line
    file("4.0.0rc1", "2025-04-01"),
    file("4.0.0", "2025-04-18"),
    file("4.0.0", "2025-04-17"),
    file("4.1.0", "2025-11-01"),
    file("5.0.0", "2026-02-01"),
)


@pytest.mark.parametrize(
    ("specifier", "first"),
    [
        ("<4", "4.0.0"),
        ("<4,>=3", "4.0.0"),
        ("==3.26.1", "3.27.0"),
        ("~=3.26", "4.0.0"),
        ("!=4.1.0", "4.1.0"),
        ("!=4.0.0", None),  # nothing that it keeps away is above all that it allows
        ("<=4.1.0", None),  # 5.0.0 was not there yet
        ("<1", None),
    ],
)
def test_the_lowest_final_release_above_all_that_are_allowed(specifier: str, first: str | None) -> None:
    found = lowest_above(specifier, NOW, FILES)
    assert (found.version if found else None) == first


def test_the_day_is_that_of_its_first_file() -> None:
    found = lowest_above("<4", NOW, FILES)
    assert found is not None
    assert found.uploaded == parse_instant("2025-04-17")
    assert found.broken is None


def test_what_was_taken_back_is_passed_over() -> None:
    found = lowest_above("<2", NOW, [file("1", "2020-01-01"), file("2", "2021-01-01", yanked=True), *FILES])
    assert found is not None
    assert found.version == "3.26.1"
