"""Taking a wheel over from what a build left: by name, as a regular file, once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from backdate.environments import wheel_store
from backdate.environments.cache import Cache
from backdate.environments.lock_wheels import LockedSdist
from backdate.environments.wheel_store import WheelStore

SDIST = LockedSdist(name="some-thing", version="1.0", sha256="a" * 64, lock="")
NAME = "Some_Thing-1.0-py3-none-any.whl"


@pytest.fixture
def store(tmp_path: Path) -> WheelStore:
    return WheelStore(Cache(tmp_path / "cache"))


@pytest.fixture
def changes(tmp_path: Path) -> Path:
    (tmp_path / "changes").mkdir()
    return tmp_path / "changes"


def revision(changes: Path, name: str = "r", *, source: str = "pypi") -> Path:
    folder = changes / "sdists-v10" / source / "some-thing" / "1.0" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.mark.parametrize("source", ["pypi", "index/0123456789abcdef"])
def test_a_wheel_is_taken_over(source: str, store: WheelStore, changes: Path) -> None:
    (revision(changes, source=source) / NAME).write_bytes(b"wheel")
    (revision(changes, source=source) / "src").mkdir()
    taken = store.take("key", SDIST, changes)
    assert taken is not None
    assert taken.path.read_bytes() == b"wheel"
    assert taken.path.name == NAME
    assert taken.path.stat().st_uid == os.geteuid()
    assert store.find("key") == taken
    (revision(changes, source=source) / NAME).write_bytes(b"other")
    assert taken.path.read_bytes() == b"wheel"


def test_one_that_was_changed_since_is_none(store: WheelStore, changes: Path) -> None:
    (revision(changes) / NAME).write_bytes(b"wheel")
    taken = store.take("key", SDIST, changes)
    assert taken is not None
    taken.path.write_bytes(b"other")
    assert store.verify_all() == {"key": False}
    assert store.find("key") is None
    assert store.verify_all() == {}


def linked(changes: Path) -> None:
    (changes.parent / "secret").write_bytes(b"secret")
    (revision(changes) / NAME).symlink_to(changes.parent / "secret")


def folder_is_a_link(changes: Path) -> None:
    outside = changes.parent / "outside"
    outside.mkdir()
    (outside / NAME).write_bytes(b"secret")
    revision(changes).parent.joinpath("linked").symlink_to(outside)


def two(changes: Path) -> None:
    (revision(changes) / NAME).write_bytes(b"one")
    (revision(changes, "other") / NAME).write_bytes(b"other")


REFUSED: dict[str, Callable[[Path], object]] = {
    "none": lambda changes: None,
    "a link": linked,
    "behind a link": folder_is_a_link,
    "a pipe": lambda changes: os.mkfifo(revision(changes) / NAME),
    "a folder": lambda changes: (revision(changes) / NAME).mkdir(),
    "of another distribution": lambda changes: (revision(changes) / "six-1.0-py3-none-any.whl").write_bytes(
        b""
    ),
    "of another version": lambda changes: (revision(changes) / "some_thing-1.1-py3-none-any.whl").write_bytes(
        b""
    ),
    "no wheel": lambda changes: (revision(changes) / "some_thing-1.0.tar.gz").write_bytes(b""),
    "two": two,
    "too large": lambda changes: (revision(changes) / NAME).write_bytes(b"x" * 11),
}


@pytest.mark.parametrize("left", REFUSED.values(), ids=REFUSED)
def test_what_is_no_such_wheel_is_not_taken(
    left: Callable[[Path], object],
    store: WheelStore,
    changes: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(wheel_store, "LARGEST_WHEEL", 10)
    left(changes)
    assert store.take("key", SDIST, changes) is None
    assert store.find("key") is None


def test_nothing_is_taken_where_nothing_was_changed(store: WheelStore, tmp_path: Path) -> None:
    assert store.take("key", SDIST, tmp_path / "none") is None
