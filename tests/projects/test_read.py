from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.errors import ConfigurationError
from backdate.projects.read import decode, read_bytes, read_text


def test_a_file_is_read_with_unix_line_ends(tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").write_bytes(b"\xef\xbb\xbfa\r\nb\rc\n")
    assert read_text(tmp_path, "setup.cfg") == "a\nb\nc\n"


def test_missing_files_are_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "dangling").symlink_to("nowhere")
    assert read_bytes(tmp_path, "absent") is None
    assert read_bytes(tmp_path, "file/below") is None
    assert read_bytes(tmp_path, "dangling") is None


def test_a_link_inside_the_tree_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("x")
    (tmp_path / "link").symlink_to("real")
    assert read_text(tmp_path, "link") == "x"


@pytest.mark.parametrize("target", ["/etc/passwd", "../secret"])
def test_a_link_out_of_the_tree_is_refused(tmp_path: Path, target: str) -> None:
    (tmp_path / "secret").write_text("s")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "setup.cfg").symlink_to(target)
    with pytest.raises(ConfigurationError, match="leads out"):
        read_text(tree, "setup.cfg")


def test_a_linked_folder_out_of_the_tree_is_refused(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "etc").symlink_to("/etc")
    with pytest.raises(ConfigurationError, match="leads out"):
        read_text(tree, "etc/passwd")


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a/../../x", "a\0b"])
def test_a_name_out_of_the_tree_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigurationError, match="inside the project"):
        read_text(tmp_path, name)


def test_loops_pipes_folders_and_long_names_are_refused(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("loop", "pipe", "folder", "n" * 5000):
        with pytest.raises(ConfigurationError):
            read_bytes(tmp_path, name)


def test_the_limit_is_exact(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x" * 10)
    assert read_bytes(tmp_path, "file", limit=10) == b"x" * 10
    with pytest.raises(ConfigurationError, match="more than 9 bytes"):
        read_bytes(tmp_path, "file", limit=9)


@given(st.binary(max_size=200))
def test_decode_never_fails(data: bytes) -> None:
    assert "\r" not in decode(data)
