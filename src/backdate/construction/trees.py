"""Source trees in the store: packed once when a candidate is examined, unpacked wherever it is run."""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path

from backdate.construction.store import Store
from backdate.errors import SourceError
from backdate.index.forward_stream import BROKEN
from backdate.projects.sources.archives import open_tar, unpacked_bytes
from backdate.projects.sources.tree import CHUNK, TreeLimits, TreeWriter
from backdate.projects.tree import tree_digest


def tree_entry(digest: str) -> str:
    """The name of the tree with that digest."""
    return f"trees/{digest}.tar.gz"


def keep_tree(store: Store, tree: Path, digest: str, scratch: Path) -> None:
    """Keep ``tree``; ``scratch`` is a folder for the packed file on its way."""
    packed = scratch / f"{digest}.tar.gz"
    with tarfile.open(packed, "w:gz", compresslevel=1) as archive:
        for path in sorted(tree.iterdir()):
            archive.add(path, arcname=path.name)
    store.bring(packed, tree_entry(digest))
    packed.unlink()


def fetch_tree(store: Store, digest: str, target: Path, scratch: Path, limits: TreeLimits) -> bool:
    """Unpack the tree of that digest to the new folder ``target``; False when the store does not have it.

    A store is shared, and so it is as hostile as a source, and a copy that was cut off is no reason to stop:
    what cannot be unpacked within ``limits`` to a tree of that digest is removed from it. The caller can
    fetch the tree again.
    """
    packed = scratch / f"{digest}.in.tar.gz"
    if not store.fetch(tree_entry(digest), packed):
        return False
    try:
        _unpack(packed, target, limits)
        whole = tree_digest(target) == digest
    except (SourceError, *BROKEN):
        whole = False
    finally:
        packed.unlink(missing_ok=True)
    if not whole:
        shutil.rmtree(target, ignore_errors=True)
        store.remove(tree_entry(digest))
    return whole


def _unpack(packed: Path, target: Path, limits: TreeLimits) -> None:
    writer = TreeWriter(target, what="a kept tree", limits=limits)
    with open_tar(packed, what="a kept tree", most_bytes=unpacked_bytes(limits)) as archive:
        for member in archive:
            if member.isdir():
                writer.add_folder(member.name)
            elif member.issym():
                writer.add_link(member.name, member.linkname)
            elif member.isreg() and not member.issparse():
                executable = bool(member.mode & 0o100)
                content = _content(archive, member)
                writer.add_file(member.name, content, executable=executable, mtime=member.mtime)
    writer.finish()


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> Iterator[bytes]:
    file = archive.extractfile(member)
    assert file is not None
    while chunk := file.read(CHUNK):
        yield chunk
