"""Watching what a run writes."""

from __future__ import annotations

import os
from dataclasses import replace

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
    assert left > 64 * MIB
    store = replace(mount, counted=False)
    assert shell("echo x > /out/more", mounts=(store,), disk_bytes=32 * MIB).ok
