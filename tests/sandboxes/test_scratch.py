"""Folders of runs."""

from __future__ import annotations

import fcntl
import os

import pytest

from backdate.errors import MachineError
from backdate.sandboxes.scratch import clear_stale, scratch_folder


def test_a_folder_lives_as_long_as_its_run(tmp_path):
    with scratch_folder(tmp_path / "root") as one:
        with scratch_folder(tmp_path / "root") as two:
            assert one.is_dir()
            assert two.is_dir()
            assert one != two
        assert one.is_dir()
        assert not two.exists()
    assert list((tmp_path / "root").iterdir()) == []


def test_dead_folders_go_and_living_ones_stay(tmp_path):
    dead, living = tmp_path / "run-dead", tmp_path / "run-living"
    for folder in (dead, living):
        (folder / "tree").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    lock = os.open(living, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    clear_stale(tmp_path)
    os.close(lock)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "run-living"]


def test_a_root_that_others_can_enter_is_refused(tmp_path):
    (tmp_path / "root").mkdir()
    (tmp_path / "root").chmod(0o755)
    with pytest.raises(MachineError, match="0700"), scratch_folder(tmp_path / "root"):
        pass
    (tmp_path / "link").symlink_to(tmp_path / "root")
    with pytest.raises(MachineError), scratch_folder(tmp_path / "link"):
        pass
