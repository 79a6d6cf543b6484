"""What workers share: folders, fsspec, trees."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from pathlib import Path

import pytest

from backdate.construction import store as store_module
from backdate.construction.store import FolderStore, keep, open_store, read_kept
from backdate.construction.trees import fetch_tree, keep_tree, tree_entry
from backdate.errors import UsageError
from backdate.projects.sources.tree import TreeLimits
from backdate.projects.tree import tree_digest
from backdate.testing.outcomes import Frame


@pytest.mark.parametrize("kind", ["folder", "fsspec"])
def test_entries(kind: str, tmp_path: Path) -> None:
    if kind == "fsspec":
        pytest.importorskip("fsspec")
    address = str(tmp_path / "store") if kind == "folder" else f"memory://{tmp_path.name}"
    store = open_store(address)
    value = Frame(file="a.py", line=3, function="f")
    assert read_kept(store, Frame, "runs/x") is None
    keep(store, "runs/x", value)
    assert read_kept(open_store(address), Frame, "runs/x") == value
    store.write("runs/x", b"damaged")
    assert read_kept(store, Frame, "runs/x") is None
    assert store.read("runs/x") is None
    store.remove("runs/x")


def test_an_address_that_nobody_knows() -> None:
    pytest.importorskip("fsspec")
    with pytest.raises(UsageError, match="cannot be opened"):
        open_store("nonsense://x")


def test_a_tree_comes_back_as_it_was(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / "inner").mkdir(parents=True)
    (tree / "inner" / "run.sh").write_text("x")
    (tree / "inner" / "run.sh").chmod(0o755)
    (tree / "away").symlink_to("/etc/passwd")
    store, digest = FolderStore(tmp_path / "store"), tree_digest(tree)
    keep_tree(store, tree, digest, tmp_path)
    assert fetch_tree(store, digest, tmp_path / "again", tmp_path, TreeLimits())
    assert tree_digest(tmp_path / "again") == digest
    assert not fetch_tree(store, "0" * 64, tmp_path / "none", tmp_path, TreeLimits())


def packed(*members: tarfile.TarInfo, content: bytes = b"") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", format=tarfile.GNU_FORMAT) as archive:
        for member in members:
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def links_of_names() -> bytes:
    """Headers that each announce a longer name for the next, more than Python's stack is deep."""
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 2
    one = header.tobuf(tarfile.GNU_FORMAT) + b"a\0".ljust(512, b"\0")
    return gzip.compress(one * 3000 + tarfile.TarInfo("a").tobuf(tarfile.GNU_FORMAT) + bytes(1024))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"damaged", id="no archive"),
        pytest.param(packed(tarfile.TarInfo("a.py"), content=os.urandom(100_000))[:50_000], id="cut off"),
        pytest.param(packed(tarfile.TarInfo("a.py"), content=b"x = 1"), id="another tree"),
        pytest.param(packed(tarfile.TarInfo("../a.py")), id="leads out"),
        pytest.param(packed(tarfile.TarInfo("a.py"), content=bytes(30_000_000)), id="too large"),
        pytest.param(links_of_names(), id="endless header"),
    ],
)
def test_a_kept_tree_that_is_not_what_it_says_is_made_again(tmp_path: Path, data: bytes) -> None:
    store = FolderStore(tmp_path / "store")
    store.write(tree_entry("1" * 64), data)
    limits = TreeLimits(bytes=1_000_000, files=100)
    assert not fetch_tree(store, "1" * 64, tmp_path / "tree", tmp_path, limits)
    assert not (tmp_path / "tree").exists()
    assert store.read(tree_entry("1" * 64)) is None


def test_a_kept_value_that_unpacks_without_end_is_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "LARGEST_KEPT", 1000)
    store = FolderStore(tmp_path)
    keep(store, "small", "x" * 100)
    keep(store, "large", "x" * 10_000)
    assert read_kept(store, str, "small") == "x" * 100
    assert read_kept(store, str, "large") is None
    assert store.read("large") is None
