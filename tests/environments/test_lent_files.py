"""What environments of the caller share with uv's cache, and how the cache gets it back."""

from __future__ import annotations

import base64
import hashlib
import os
import threading
from pathlib import Path

import pytest

from backdate.environments.cache import Cache
from backdate.environments.lent_files import CacheUse

FILES = {"six.py": b"x = 1\n", "data/deep/file": b"data", "six-1.dist-info/METADATA": b"Name: six\n"}


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def unpacked(cache: Cache, *, left_out: str = "") -> Path:
    """A wheel as uv keeps it."""
    wheel = cache.uv / "archive-v0" / "aBcD"
    record = ""
    for name, data in FILES.items():
        path = wheel / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        digits = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        record += "" if name == left_out else f"{name},sha256={digits},{len(data)}\n"
    (wheel / "six-1.dist-info/RECORD").write_text(f"{record}six-1.dist-info/RECORD,,\n", encoding="utf-8")
    return wheel


def lend(cache: Cache, wheel: Path, environment: Path) -> None:
    with CacheUse(cache).lending("key") as linked:
        assert linked
        for name in FILES:
            (environment / name).parent.mkdir(parents=True, exist_ok=True)
            os.link(wheel / name, environment / name)


def use(cache: Cache) -> None:
    with CacheUse(cache).shared() as linked:
        assert not linked


def test_the_next_use_finds_copies(cache: Cache, tmp_path: Path) -> None:
    wheel = unpacked(cache)
    (wheel / "six.py").chmod(0o755)
    lend(cache, wheel, tmp_path / "environment")
    assert cache.keys("lent") == ["key"]
    before = (wheel / "six.py").stat()
    use(cache)
    assert not cache.keys("lent")
    for name, data in FILES.items():
        assert (wheel / name).read_bytes() == data
        assert (wheel / name).stat().st_nlink == 1
        assert (tmp_path / "environment" / name).stat().st_nlink == 1
    after = (wheel / "six.py").stat()
    assert after.st_ino != before.st_ino
    assert (after.st_mode, after.st_mtime_ns) == (before.st_mode, before.st_mtime_ns)


def test_a_wheel_that_was_changed_is_removed(cache: Cache, tmp_path: Path) -> None:
    wheel = unpacked(cache)
    lend(cache, wheel, tmp_path / "environment")
    with (tmp_path / "environment/data/deep/file").open("ab") as file:
        file.write(b"more")
    use(cache)
    assert not wheel.exists()
    assert not cache.keys("lent")


def test_one_that_was_changed_in_an_environment_that_is_gone_is_removed(cache: Cache, tmp_path: Path) -> None:
    wheel = unpacked(cache)
    lend(cache, wheel, tmp_path / "environment")
    changed = tmp_path / "environment/six.py"
    status = changed.stat()
    changed.write_bytes(b"x = 2\n")
    os.utime(changed, ns=(status.st_atime_ns, status.st_mtime_ns))
    for name in FILES:
        (tmp_path / "environment" / name).unlink()
    use(cache)
    assert not wheel.exists()


@pytest.mark.parametrize("damage", ["a file without a hash", "no RECORD", "an empty hash", "a linked RECORD"])
def test_one_of_which_nothing_tells_how_it_was_is_removed(damage: str, cache: Cache, tmp_path: Path) -> None:
    wheel = unpacked(cache, left_out="six.py" if damage == "a file without a hash" else "")
    record = wheel / "six-1.dist-info/RECORD"
    if damage == "an empty hash":
        record.write_text(f"{record.read_text(encoding='utf-8')}six.py,sha256=,6\n", encoding="utf-8")
    lend(cache, wheel, tmp_path / "environment")
    if damage == "no RECORD":
        record.unlink()
    elif damage == "a linked RECORD":
        os.link(record, tmp_path / "record")
    use(cache)
    assert not wheel.exists()


def test_where_the_record_is_damaged_every_wheel_is_copied(cache: Cache, tmp_path: Path) -> None:
    wheel = unpacked(cache)
    lend(cache, wheel, tmp_path / "environment")
    (cache.folder / "lent/key.json").write_bytes(b"{")
    use(cache)
    assert (wheel / "six.py").stat().st_nlink == 1
    assert not cache.keys("lent")


def test_what_is_not_shared_is_not_lent(cache: Cache) -> None:
    unpacked(cache)
    with CacheUse(cache).lending("key") as linked:
        assert linked
    assert not cache.keys("lent")


def test_a_step_waits_for_the_one_that_links(cache: Cache, tmp_path: Path) -> None:
    wheel = unpacked(cache)
    entered, copies = threading.Event(), []

    def another() -> None:
        entered.set()
        use(cache)
        copies.append((wheel / "six.py").stat().st_nlink)

    with CacheUse(cache).lending("key"):
        thread = threading.Thread(target=another)
        thread.start()
        entered.wait()
        os.link(wheel / "six-1.dist-info/METADATA", tmp_path / "METADATA")
        os.link(wheel / "six.py", tmp_path / "six.py")
    thread.join()
    assert copies == [1], "the step saw files that are shared with an environment"


def test_only_one_links_and_the_others_copy(cache: Cache) -> None:
    use_of_cache = CacheUse(cache)
    with use_of_cache.shared(), use_of_cache.lending("key") as linked:
        assert not linked
