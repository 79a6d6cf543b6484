"""Source trees: their digest, and private copies of them."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from backdate.errors import SourceError

_BLOCK = 1024 * 1024


def tree_digest(root: Path) -> str:
    """SHA-256 over the relative path, kind, executable bit and content of everything below ``root``.

    Links count by their target's text and are never followed; special files are left out, as they
    are from every copy.
    """
    state = hashlib.sha256()
    for path, status in walk_tree(root):
        name = os.fsencode(path.relative_to(root))
        if stat.S_ISLNK(status.st_mode):
            state.update(b"link\0%s\0%s\0" % (name, os.fsencode(path.readlink())))
        elif stat.S_ISREG(status.st_mode):
            executable = b"x" if status.st_mode & stat.S_IXUSR else b"-"
            state.update(b"file\0%s\0%s\0%d\0" % (name, executable, status.st_size))
            with path.open("rb") as file:
                while block := file.read(_BLOCK):
                    state.update(block)
    return state.hexdigest()


def walk_tree(root: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Every file and link below ``root`` in a fixed order, with its own status."""
    for folder, folders, files in os.walk(root):
        folders.sort()
        linked = [name for name in folders if Path(folder, name).is_symlink()]
        for name in sorted([*files, *linked]):
            path = Path(folder, name)
            yield path, path.lstat()


def copy_tree(source: Path, target: Path) -> None:
    """Copy a tree that backdate owns; links stay links. ``target`` must not exist."""
    try:
        shutil.copytree(source, target, symlinks=True)
    except shutil.Error as error:
        raise SourceError(f"{source} cannot be copied whole: {error}") from error
