"""Where the old side lies when nobody says it."""

from __future__ import annotations

import math
import os
import subprocess
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.metadata import RawMetadata
from small_world import running_index

from backdate.checking.choose_start import (
    FoundRelease,
    choose_start,
    date_start,
    first_day,
    may_be_too_early,
    what_is_shared,
)
from backdate.checking.resources import Resources
from backdate.checking.settings import Settings
from backdate.checking.start_instant import StartInstant, StartReason, start_lines
from backdate.errors import SandboxUnavailable
from backdate.progress import NO_PROGRESS
from backdate.projects.project import DatedTag, History, Origin, Project
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.timeline.instants import Instant

NEW = datetime(2024, 6, 30, 12, 10, tzinfo=UTC)


def days_before(days: float) -> Instant:
    return NEW - timedelta(days=days)


def project(
    dated: Instant | None, *tags: float, modified: bool = False, shallow: bool = False, kind: str = "folder"
) -> Project:
    made = tuple(DatedTag(name=f"v{number}", made=days_before(days)) for number, days in enumerate(tags))
    origin = Origin(kind=kind, location="x", dated=dated, modified=modified)  # type: ignore[arg-type]
    history = None if dated is None else History(tags=made, shallow=shallow)
    return Project(name="x", root=Path(), origin=origin, history=history)


def chosen(
    given: Project,
    released: float | None = None,
    stated: Instant | None = None,
    *,
    shared: str = "the author a@b.org",
) -> StartInstant:
    def release(_: Project, latest: Instant) -> FoundRelease | None:
        assert latest == days_before(30)
        if released is None:
            return None
        return FoundRelease(name="x", version="1.0", uploaded=days_before(released), shared=shared)

    return choose_start(given, stated, NEW, release)


@pytest.mark.parametrize(
    ("given", "released", "reason", "days", "name"),
    [
        (project(days_before(30)), 50.0, StartReason.COMMIT, 30, ""),
        (project(days_before(900), 31), None, StartReason.COMMIT, 900, ""),
        (project(days_before(29.9), 5, 31, 400), 60.0, StartReason.TAG, 31, "v1"),
        (project(days_before(1), 5), 60.0, StartReason.RELEASE, 60, "1.0"),
        (project(days_before(-5), 300, 31), None, StartReason.TAG, 31, "v1"),
        (project(None), 45.0, StartReason.RELEASE, 45, "1.0"),
        (project(days_before(3), kind="sdist"), None, StartReason.UPLOAD, 3, ""),
    ],
)
def test_the_first_that_can_be_had(
    given: Project, released: float | None, reason: StartReason, days: float, name: str
) -> None:
    start = chosen(given, released)
    assert (start.reason, start.instant, start.name) == (reason, days_before(days), name)


def test_ninety_days_back_is_a_whole_day() -> None:
    start = chosen(project(days_before(1), shallow=True))
    assert (start.reason, start.instant) == (StartReason.DAYS_BACK, datetime(2024, 4, 1, tzinfo=UTC))
    assert start.shallow
    (line,) = start_lines(start)
    assert "90 days back" in line
    assert "shallow" in line


def test_a_release_of_another_project_of_that_name_dates_nothing() -> None:
    start = chosen(project(days_before(1)), released=60, shared="")
    assert (start.reason, start.unrelated) == (StartReason.DAYS_BACK, "x 1.0")
    (line,) = start_lines(start)
    assert "nothing says that x 1.0 on the package index is the same project" in line
    (line,) = start_lines(chosen(project(days_before(1)), released=60))
    assert "(the same project: the author a@b.org)" in line


class _Facts:
    """What an index says of one release."""

    def __init__(self, modules: tuple[str, ...], **metadata: str) -> None:
        self.known, self.listed = RawMetadata(**metadata), modules  # type: ignore[typeddict-item]

    def metadata(self, name: str, at: Instant) -> RawMetadata:
        return self.known

    def modules(self, name: str, at: Instant) -> tuple[str, ...]:
        return self.listed


@pytest.mark.parametrize(
    ("facts", "shared"),
    [
        (_Facts((), home_page="https://github.com/me/x/"), "the address github.com/me/x"),
        (_Facts((), home_page="https://github.com/other/x", summary="Another thing of that name"), ""),
        (_Facts(("x", "x.a", "x.b", "x.c", "x.d", "x.e")), "4 of 5 modules"),
        (_Facts(("x", "x.a", "x.b")), ""),
        (_Facts(("x", *(f"x.n{number}" for number in range(9)), "x.a", "x.b", "x.c", "x.d")), ""),
    ],
)
def test_what_says_that_a_release_is_of_the_project(tmp_path: Path, facts: _Facts, shared: str) -> None:
    (tmp_path / "src" / "x").mkdir(parents=True)
    for name in "abcd":
        (tmp_path / "src" / "x" / f"{name}.py").write_text("")
    given = replace(
        project(days_before(1)), root=tmp_path, history=History(remotes=("git@github.com:Me/x.git",))
    )
    assert what_is_shared(given, "x", NEW, facts) == shared  # type: ignore[arg-type]


def test_dates_before_the_index_are_not_believed() -> None:
    given = project(datetime(1970, 1, 1, tzinfo=UTC), 365 * 40.0)
    start = chosen(given)
    assert (start.reason, start.tracked) == (StartReason.DAYS_BACK, False)
    assert "no commit with a usable date" in start_lines(start)[0]


def test_what_is_stated_is_taken_and_not_explained() -> None:
    start = chosen(project(days_before(100), 31), stated=days_before(1))
    assert (start.reason, start.instant) == (StartReason.STATED, days_before(1))
    assert start_lines(start) == ()


@pytest.mark.parametrize("modified", [False, True])
def test_a_dirty_tree_is_said(modified: bool) -> None:
    start = chosen(project(days_before(100), modified=modified))
    assert may_be_too_early(start) is modified
    assert ("not committed" in "\n".join(start_lines(start))) is modified


def test_that_an_instant_was_moved_is_said() -> None:
    moved = StartInstant(
        instant=days_before(40),
        reason=StartReason.TAG,
        name="v1",
        at_first=days_before(50),
        conflict="only foo<2 is available",
        resolutions=7,
    )
    assert moved.moved
    _, second, third = start_lines(moved)
    assert "only foo<2 is available" in second
    assert "7 resolutions" in third
    never = StartInstant(
        instant=days_before(50), reason=StartReason.TAG, at_first=days_before(50), resolutions=2
    )
    assert not never.moved
    assert "--from" in start_lines(never)[2]


@given(
    after=st.integers(0, 5000),
    length=st.integers(0, 5000),
    turn=st.integers(0, 6000),
    minutes=st.integers(0, 1439),
)
def test_the_first_day_is_found_with_few_questions(after: int, length: int, turn: int, minutes: int) -> None:
    begin = datetime(2005, 1, 1, tzinfo=UTC) + timedelta(days=after, minutes=minutes)
    end = begin + timedelta(days=length)
    midnight = begin.replace(hour=0, minute=0)
    holds_from = midnight + timedelta(days=turn)
    asked: list[Instant] = []

    def holds(instant: Instant) -> bool:
        asked.append(instant)
        return instant >= holds_from

    day, count = first_day(begin, end, holds)
    assert count == len(asked) <= 2 + math.log2(max(length, 1))
    assert all(begin < instant < end for instant in asked)
    expected = max(holds_from, midnight + timedelta(days=1))
    assert day == (expected if expected < end else None)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A project that requires what was released on 2024-09-01; tagged long before, committed long after."""
    folder = tmp_path / "active"
    folder.mkdir()
    (folder / "requirements.txt").write_text("brittle>=2.0\n")
    (folder / "test_a.py").write_text(
        "import unittest\n\nclass T(unittest.TestCase):\n    def test(self): pass\n"
    )
    for when, words in (
        ("2024-03-01", ["init", "-q"]),
        ("2024-03-01", ["add", "-A"]),
        ("2024-03-01", ["commit", "-qm", "first"]),
        ("2024-03-01", ["tag", "v1"]),
        ("2024-12-20", ["commit", "-qm", "second", "--allow-empty"]),
    ):
        identity = {
            f"GIT_{role}_{field}": value
            for role in ("AUTHOR", "COMMITTER")
            for field, value in (("NAME", "a"), ("EMAIL", "a@b"), ("DATE", f"{when}T00:00:00Z"))
        }
        subprocess.run(["git", *words], cwd=folder, check=True, env=os.environ | identity)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("requirement", "moved"),
    [pytest.param("brittle>=2.0", True, marks=pytest.mark.slow), ("brittle>=3.0", False)],
)
def test_the_first_day_on_which_the_present_files_resolve(
    repository: Path, tmp_path: Path, requirement: str, moved: bool
) -> None:
    try:
        Bubblewrap().require()
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    (repository / "requirements.txt").write_text(f"{requirement}\n")
    new = datetime(2025, 1, 1, tzinfo=UTC)
    with (
        running_index() as index_url,
        Resources(Settings(cache=tmp_path / "cache", index_url=index_url)) as resources,
    ):
        opened = resources.open_project(repository, tmp_path / "work", before=new)
        begun = date_start(opened, None, new, resources, progress=NO_PROGRESS)
    start = begun.start
    assert (start.reason, start.name, start.modified) == (
        StartReason.TAG,
        "v1",
        requirement != "brittle>=2.0",
    )
    assert start.at_first == datetime(2024, 3, 1, tzinfo=UTC)
    assert start.moved is moved
    assert "brittle" in start.conflict
    expected = datetime(2024, 9, 2, tzinfo=UTC) if moved else start.at_first
    assert start.instant == begun.project.instant == expected
    assert start.resolutions <= 11
