"""Copying hostile trees."""

from __future__ import annotations

import os
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.errors import UsageError
from backdate.sandboxes.copying import DEEPEST, TreeTooLarge, copy_tree

NAMES = st.text(
    st.characters(blacklist_characters="/\0", blacklist_categories=("Cs",)), min_size=1, max_size=8
).filter(lambda name: name not in (".", ".."))
TREES = st.recursive(
    st.binary(max_size=50), lambda inner: st.dictionaries(NAMES, inner, max_size=4), max_leaves=10
).filter(lambda tree: isinstance(tree, dict))


def _write(folder, tree):
    folder.mkdir()
    for name, content in tree.items():
        if isinstance(content, dict):
            _write(folder / name, content)
        else:
            (folder / name).write_bytes(content)


def _read(folder):
    return {path.name: _read(path) if path.is_dir() else path.read_bytes() for path in folder.iterdir()}


@given(tree=TREES)
def test_a_copy_is_equal(tmp_path_factory, tree):
    base = tmp_path_factory.mktemp("copy")
    _write(base / "a", tree)
    copy_tree(base / "a", base / "b", owner=None, limit=None)
    assert _read(base / "b") == tree


def test_links_modes_times_and_special_files(tmp_path):
    source = tmp_path / "a"
    source.mkdir(mode=0o500)
    source.chmod(0o700)
    (source / "link").symlink_to("/etc")
    (source / "file").write_text("x")
    (source / "file").chmod(0o4751)
    os.utime(source / "file", ns=(1, 1_234_567_890_123_456_789))
    os.mkfifo(source / "pipe")
    with socket.socket(socket.AF_UNIX) as local:
        local.bind(str(source / "socket"))
        source.chmod(0o500)
        copy_tree(source, tmp_path / "b", owner=None, limit=None)
    copied = tmp_path / "b"
    assert sorted(path.name for path in copied.iterdir()) == ["file", "link"]
    assert (copied / "link").readlink() == (source / "link").readlink()
    assert (copied / "file").stat().st_mode & 0o7777 == 0o751
    assert (copied / "file").stat().st_mtime_ns == 1_234_567_890_123_456_789
    assert copied.stat().st_mode & 0o700 == 0o700
    source.chmod(0o700)


def test_too_large_and_too_deep(tmp_path):
    source = tmp_path / "a"
    source.mkdir()
    (source / "big").write_bytes(bytes(100_000))
    with pytest.raises(TreeTooLarge):
        copy_tree(source, tmp_path / "b", owner=None, limit=50_000)
    deep = source
    for _ in range(DEEPEST + 1):
        deep = deep / "d"
        deep.mkdir()
    with pytest.raises(UsageError, match="deep"):
        copy_tree(source, tmp_path / "c", owner=None, limit=None)
