"""What is seen of a build that comes to nothing; honest builds leave none of it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from diagnosis_builders import environment

from backdate.environments.environment import Environment, with_incidents
from backdate.environments.incidents import (
    BuildIncident,
    IncidentKind,
    changed_entries,
    left_behind,
    lock_entry,
    not_locked,
    other_wheels,
)
from backdate.serial import from_json, to_json


def write(path: Path, text: str = "x = 1\n") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """What a build changed, and the cache below its view."""
    changes, cache = tmp_path / "changes", tmp_path / "cache"
    write(cache / "archive-v0" / "old" / "six.py")
    write(cache / "archive-v0" / "old" / "lib" / "deep.py")
    write(cache / "simple-v16" / "page")
    changes.mkdir()
    return changes, cache


def test_files_that_others_installed(folders: tuple[Path, Path]) -> None:
    changes, cache = folders
    write(changes / "archive-v0" / "old" / "six.py", "POISON = 1\n")
    write(changes / "archive-v0" / "old" / "lib" / "deep.py", "POISON = 1\n")
    (incident,) = changed_entries(changes, cache)
    assert incident.kind is IncidentKind.STORE_ENTRY
    assert incident.text.startswith("2 files of uv's cache were changed")


def test_what_is_new_or_of_the_index_is_no_incident(folders: tuple[Path, Path]) -> None:
    changes, cache = folders
    write(changes / "archive-v0" / "new" / "six.py")
    write(changes / "archive-v0" / "old" / "beside.py")
    write(changes / "simple-v16" / "page", "fetched again")
    write(changes / "sdists-v9" / "index" / "x.whl")
    assert changed_entries(changes, cache) == ()
    assert changed_entries(changes / "none", cache) == ()


def test_a_link_in_the_view_is_not_followed(folders: tuple[Path, Path]) -> None:
    changes, cache = folders
    (changes / "archive-v0").symlink_to(cache / "archive-v0")
    assert changed_entries(changes, cache) == ()
    (changes / "archive-v0").unlink()
    (changes / "archive-v0").mkdir()
    (changes / "archive-v0" / "old").symlink_to(cache / "archive-v0" / "old")
    (incident,) = changed_entries(changes, cache)
    assert incident.text.startswith("1 file of uv's cache was changed")


def test_nothing_seen_is_nothing_said() -> None:
    assert left_behind(0) == other_wheels("x 1", 0) == lock_entry(None) == not_locked(()) == ()


def test_what_is_said() -> None:
    texts = [
        one.text
        for one in (
            *left_behind(2),
            *other_wheels("first 1", 1),
            *lock_entry(stat.S_IFLNK | 0o777),
            *lock_entry(stat.S_IFREG | 0o644),
            *not_locked(["a", "b", "c", "d", "e", "f"]),
        )
    ]
    assert texts == [
        "2 processes were left behind by the build, and ended",
        "the build of first 1 left 1 wheel of another name; none is taken",
        "the build left a link at the name of the lock; it was removed, and the lock made anew",
        "the build left something at the name of the lock; it was removed, and the lock made anew",
        "the build asked the index for what is not locked, and was shown nothing of it: a, b, c, d, e, …",
    ]


def test_an_environment_keeps_each_once(tmp_path: Path) -> None:
    seen = left_behind(1)
    named = with_incidents(with_incidents(environment(tmp_path), seen), (*seen, *other_wheels("x 1", 1)))
    assert [one.kind for one in named.incidents] == [IncidentKind.LEFT_BEHIND, IncidentKind.OTHER_WHEEL]
    assert from_json(Environment, to_json(named)) == named
    assert isinstance(named.incidents[0], BuildIncident)
