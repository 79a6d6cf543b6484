"""A library's version gives interpreter, requirements and instant."""

from datetime import UTC, datetime

import pytest
from packaging.version import Version

from backdate.errors import SourceError
from backdate.knowledge import load
from backdate.projects.sources.listing import ListedFile
from backdate.snippets.versions import SETTLED, python_side, side_of, with_one_python


def listed(version: str, filename: str, day: str, requires: str = "") -> ListedFile:
    uploaded = datetime.fromisoformat(day).replace(tzinfo=UTC)
    return ListedFile(
        filename=filename,
        url=f"https://files.example/{filename}",
        version=Version(version),
        uploaded=uploaded,
        sha256=None,
        yanked=False,
        sdist=filename.endswith(".gz"),
        requires_python=requires,
    )


FILES = [
    listed("1.4.0", "lib-1.4.0-cp38-cp38-manylinux1_x86_64.whl", "2020-01-10"),
    listed("1.4.2", "lib-1.4.2-cp39-cp39-macosx_11_0_arm64.whl", "2020-03-04"),
    listed("1.4.2", "lib-1.4.2-cp38-cp38-manylinux1_x86_64.whl", "2020-03-02"),
    listed("1.4.2", "lib-1.4.2-cp37-cp37m-manylinux1_x86_64.whl", "2020-03-02"),
    listed("1.5.0rc1", "lib-1.5.0rc1.tar.gz", "2021-01-01"),
    listed("1.6.0", "lib-1.6.0-py3-none-any.whl", "2021-02-01"),
    listed("1.7.0", "lib-1.7.0-cp37-abi3-manylinux1_x86_64.whl", "2022-02-01"),
]


@pytest.mark.parametrize(
    ("version", "requirement", "python", "uploaded"),
    [
        ("1.4", "lib==1.4.2", "3.8", "2020-03-02"),
        ("1.4.0", "lib==1.4.0", "3.8", "2020-01-10"),
        ("1.5.0rc1", "lib==1.5.0rc1", "3.8", "2021-01-01"),
        ("1.6", "lib==1.6.0", "3.8", "2021-02-01"),
        ("1.7", "lib==1.7.0", "3.9", "2022-02-01"),
    ],
)
def test_a_version_is_the_newest_release_of_its_series_two_weeks_later(
    version: str, requirement: str, python: str, uploaded: str
) -> None:
    side = side_of("Lib", version, lambda name: FILES if name == "lib" else [])
    assert (side.requirements, side.python, side.not_had) == ((requirement,), python, "")
    assert side.instant == datetime.fromisoformat(uploaded).replace(tzinfo=UTC) + SETTLED


@pytest.mark.parametrize("version", ["1.5", "9.9", "no version", ""])
def test_a_version_without_a_release_is_refused(version: str) -> None:
    with pytest.raises(SourceError, match="no lib"):
        side_of("lib", version, lambda name: FILES)


def test_spellings_of_one_version_are_one_environment_and_ask_nobody() -> None:
    sides = [side_of("tensorflow", version, lambda name: []) for version in ("2.0", "2.0.0")]
    assert {(side.requirements, side.python, side.instant) for side in sides} == {
        (("tensorflow==2.0.0",), "3.7", datetime(2019, 10, 14, 17, 23, 23, tzinfo=UTC))
    }


@pytest.mark.parametrize("version", ["3.0", "3.1", "3.4", "3.5", "2.6", "3", ""])
def test_pythons_that_cannot_be_had_say_so(version: str) -> None:
    assert "cannot be had" in python_side(version).not_had


@pytest.mark.parametrize(("version", "python"), [("2.7", "2.7"), ("3.10", "3.10"), ("3.13.0", "3.13")])
def test_pythons_are_sides_without_requirements(version: str, python: str) -> None:
    side = side_of("python", version, lambda name: [])
    assert (side.python, side.requirements, side.not_had) == (python, (), "")


def test_no_spelling_stands_in_two_rows() -> None:
    spelled = [(row.library, version) for row in load.library_versions() for version in row.versions]
    assert len(spelled) == len(set(spelled))


COMPILED = [
    listed("1.0", "lib-1.0-cp38-cp38-manylinux1_x86_64.whl", "2021-03-02"),
    listed("1.0", "lib-1.0-cp39-cp39-manylinux1_x86_64.whl", "2021-03-02"),
    listed("2.0", "lib-2.0-cp39-cp39-manylinux1_x86_64.whl", "2024-03-02"),
    listed("2.0", "lib-2.0-cp312-cp312-manylinux1_x86_64.whl", "2024-03-02"),
    listed("3.0", "lib-3.0-cp313-cp313-manylinux1_x86_64.whl", "2025-03-02"),
    listed("4.0", "lib-4.0-py3-none-any.whl", "2025-04-02", ">=3.9"),
    listed("5.0", "lib-5.0-py3-none-any.whl", "2021-03-02", "no versions"),
    listed("6.0", "lib-6.0-py3-none-any.whl", "2025-04-02"),
]


@pytest.mark.parametrize(
    ("origin", "target", "pythons"),
    [
        ("1.0", "2.0", ("3.9", "3.9")),
        ("2.0", "1.0", ("3.9", "3.9")),
        ("1.0", "3.0", ("3.9", "3.13")),
        ("1.0", "4.0", ("3.9", "3.9")),
        ("2.0", "4.0", ("3.12", "3.12")),
        ("5.0", "4.0", ("3.8", "3.12")),
        ("5.0", "6.0", ("3.8", "3.8")),
    ],
)
def test_both_sides_have_the_newest_python_that_both_work_with(
    origin: str, target: str, pythons: tuple[str, str]
) -> None:
    sides = [side_of("lib", version, lambda name: COMPILED) for version in (origin, target)]
    made = with_one_python(sides[0], sides[1], lambda name: COMPILED)
    assert (made[0].python, made[1].python) == pythons
