"""Folders that foreign code wrote: nothing in them is reached through a link."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from backdate.errors import ConfigurationError
from backdate.projects.hostile import Folder, read_beneath


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    (tmp_path / "secret").write_text("secret", encoding="utf-8")
    root = tmp_path / "hostile"
    (root / "real").mkdir(parents=True)
    (root / "real" / "file").write_text("inside", encoding="utf-8")
    (root / "file").symlink_to("../secret")
    (root / "folder").symlink_to("real")
    return root


@pytest.mark.parametrize("name", ["file", "folder/file", "real/../file", "/etc/passwd", "real//file", "real"])
def test_what_is_reached_through_a_link_is_not_read(name: str, hostile: Path) -> None:
    assert read_beneath(hostile, "real/file", limit=10) == b"inside"
    assert read_beneath(hostile, "real/none", limit=10) is None
    with pytest.raises(ConfigurationError):
        read_beneath(hostile, name, limit=100)


def test_a_folder_that_is_a_link_is_not_entered(hostile: Path) -> None:
    with pytest.raises(ConfigurationError):
        Folder.at(hostile / "folder")
    with Folder.at(hostile) as top, pytest.raises(ConfigurationError):
        top.folder("folder")


def test_a_link_is_replaced_and_not_written_through(hostile: Path, tmp_path: Path) -> None:
    with Folder.at(hostile) as top:
        with pytest.raises(ConfigurationError):
            top.write_new("file", b"new")
        top.replace("file", b"new")
    assert (tmp_path / "secret").read_text(encoding="utf-8") == "secret"
    assert (hostile / "file").read_bytes() == b"new"


def test_a_named_pipe_is_refused_at_once(hostile: Path) -> None:
    os.mkfifo(hostile / "pipe")
    with pytest.raises(ConfigurationError, match="regular"):
        read_beneath(hostile, "pipe", limit=10)
