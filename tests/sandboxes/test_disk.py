"""Watching what a run writes."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from backdate.sandboxes import disk
from backdate.sandboxes.disk import DiskWatch, Free
from backdate.sandboxes.interface import Mount, RunStatus

MIB = 1 << 20


@pytest.fixture
def free(monkeypatch):
    """Free space as the test wants it."""
    state = {"now": Free(100 << 30, 50 << 30)}
    monkeypatch.setattr(disk, "_free_space", lambda _: state["now"])
    return state


def test_it_looks_at_once_when_free_space_shrinks(tmp_path, free):
    watch = DiskWatch((tmp_path,), 8 * MIB)
    (tmp_path / "file").write_bytes(bytes(9 * MIB))
    assert not watch.exceeded()
    free["now"] = Free((100 << 30) - 9 * MIB, 50 << 30)
    assert watch.exceeded()


def test_inodes_count_like_space(tmp_path, free):
    watch = DiskWatch((tmp_path,), 2 * MIB)
    for number in range(600):
        (tmp_path / str(number)).touch()
    free["now"] = Free(100 << 30, (50 << 30) - 3 * MIB)
    assert watch.exceeded()


def test_bytes_that_others_write_do_not_count_for_the_run(tmp_path, free):
    watch = DiskWatch((tmp_path,), 8 * MIB)
    free["now"] = Free(50 << 30, 50 << 30)
    assert not watch.exceeded()


def test_a_full_disk_ends_the_run(tmp_path, free):
    watch = DiskWatch((tmp_path,), 8 * MIB)
    free["now"] = Free(100 * MIB, 50 << 30)
    assert watch.exceeded()


def test_without_a_reason_it_looks_now_and_then(tmp_path, free, monkeypatch):
    watch = DiskWatch((tmp_path,), 8 * MIB)
    (tmp_path / "file").write_bytes(bytes(9 * MIB))
    assert not watch.exceeded()
    watch._next_walk = 0
    assert watch.exceeded()


def _some_files(folder):
    (folder / "below").mkdir()
    for number in range(20):
        (folder / "below" / f"file{number}").write_bytes(b"x" * number * 3000)
    os.link(folder / "below" / "file9", folder / "again")
    (folder / "link").symlink_to("/usr")


def test_few_files_are_counted_as_du_counts_them_and_without_it(tmp_path, monkeypatch):
    _some_files(tmp_path)
    by_du = disk._used_by_du((tmp_path,))
    monkeypatch.setattr(disk, "_used_by_du", None)
    assert disk._used((tmp_path,)) == by_du


@pytest.mark.parametrize("limit", ["_FEW", "_FEW_FOLDERS"])
def test_many_files_and_folders_are_left_to_du(tmp_path, monkeypatch, limit):
    _some_files(tmp_path)
    for number in range(5):
        (tmp_path / f"folder{number}").mkdir()
    monkeypatch.setattr(disk, limit, 3)
    before = len([*Path("/proc/self/fd").iterdir()])
    assert disk._counted((tmp_path,)) is None
    assert len([*Path("/proc/self/fd").iterdir()]) == before, "no folder stays open"
    assert disk._used((tmp_path,)) == disk._used_by_du((tmp_path,))


def test_removed_files_that_are_held_open(tmp_path):
    namespace = str((tmp_path.__class__("/proc/self/ns/pid")).readlink())
    before = disk._held_open(namespace, {tmp_path.stat().st_dev})
    with (tmp_path / "file").open("wb") as file:
        file.write(bytes(MIB))
        file.flush()
        os.fsync(file.fileno())
        (tmp_path / "file").unlink()
        assert disk._held_open(namespace, {tmp_path.stat().st_dev}) >= before + MIB


def test_what_a_writable_place_holds_counts(bubblewrap, shell, tmp_path):
    """A build could fill the disk by the environment that it makes."""
    out = tmp_path / "out"
    out.mkdir()
    script = "i=0; while :; do i=$((i+1)); head -c 8M /dev/zero > /out/file$i; done"
    mount = Mount(source=out, target="/out", writable=True)
    assert shell(script, mounts=(mount,), disk_bytes=64 * MIB).status is RunStatus.DISK_LIMIT
    left = sum(path.stat().st_size for path in out.iterdir())
    assert left >= 64 * MIB  # the folder takes blocks, too
    store = replace(mount, counted=False)
    assert shell("echo x > /out/more", mounts=(store,), disk_bytes=32 * MIB).ok


def test_a_single_file_that_is_watched_is_counted_without_du(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_bytes(bytes(3 * MIB))
    by_du = disk._used_by_du((file,))
    monkeypatch.setattr(disk, "_used_by_du", None)
    assert disk._used((file,)) == by_du
