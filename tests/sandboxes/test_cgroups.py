"""Where control groups are looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.sandboxes import cgroups
from backdate.sandboxes.cgroups import ControlGroup, Parent, candidates, find_parents

V1 = """30 25 0:26 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
31 25 0:27 /docker/abc /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids
32 25 0:28 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
33 25 0:29 / /proc rw - proc proc rw
"""


def test_version_1_and_hybrid():
    found = candidates(V1, "9:name=systemd:/\n4:memory:/a/b\n3:pids:/docker/abc/x\n0::/\n")
    assert found == [
        Parent(path=Path("/sys/fs/cgroup/memory/a/b"), version=1, controllers=("memory",)),
        Parent(path=Path("/sys/fs/cgroup/pids/x"), version=1, controllers=("pids",)),
        Parent(path=Path("/sys/fs/cgroup/unified"), version=2, controllers=("memory", "pids")),
    ]


def test_version_2_looks_upwards_but_not_out_of_the_hierarchy():
    mounts = "30 25 0:26 / /sys/fs/cgroup rw,relatime - cgroup2 cgroup2 rw,nsdelegate\n"
    found = candidates(mounts, "0::/user.slice/app.scope\n")
    assert [str(parent.path) for parent in found] == [
        "/sys/fs/cgroup/user.slice/app.scope",
        "/sys/fs/cgroup/user.slice",
        "/sys/fs/cgroup",
    ]


def test_no_control_groups(tmp_path):
    assert candidates("", "") == []
    assert find_parents(proc=tmp_path) == ()


def test_a_group_is_made_and_removed():
    parents = find_parents()
    if not parents:
        pytest.skip("no control group can be made here")
    group = ControlGroup(parents, "backdate-test")
    group.make(memory_bytes=1 << 28, processes=10)
    try:
        assert all(folder.is_dir() for folder in group.folders)
        assert not group.out_of_memory()
    finally:
        cgroups.remove(group.folders)
    assert not any(folder.exists() for folder in group.folders)
    cgroups.remove(group.folders)


def test_version_2_files(tmp_path):
    """A folder that looks like a group of version 2: what is written where, and what is read."""
    parent = Parent(path=tmp_path, version=2, controllers=("memory", "pids"))
    group = ControlGroup((parent,), "run")
    (tmp_path / "run").mkdir()
    for name in ("memory.max", "memory.swap.max", "pids.max"):
        (tmp_path / "run" / name).touch()
    cgroups._limit(tmp_path / "run", parent, memory_bytes=1000, processes=20)
    assert (tmp_path / "run/memory.max").read_text() == "1000"
    assert (tmp_path / "run/memory.swap.max").read_text() == "0"
    assert int((tmp_path / "run/pids.max").read_text()) >= 20
    (tmp_path / "run/memory.events").write_text("low 0\nhigh 0\noom 1\noom_kill 1\n")
    (tmp_path / "run/memory.peak").write_text("900\n")
    assert group.out_of_memory()
    assert group.peak_memory_bytes() == 900
    assert group.limits("memory")
    assert group.limits("pids")
