"""A tree as one file, the same bytes whenever and wherever it is made.

What is in it: one commit's files and nothing later than it, so that whoever unpacks it sees no future.
"""

from __future__ import annotations

import gzip
import io
import os
import posixpath
import stat
import tarfile
import tempfile
from pathlib import Path

MTIME = 315_619_200
"""1980-01-02, the first day that every zip file, and so every wheel, can hold."""


def pack_tree(tree: Path, target: Path) -> tuple[str, ...]:
    """Write the files of ``tree`` to ``target``, a gzip-compressed tar, whole or not at all.

    The links that lead out of the tree are left out, and returned: they lead nowhere in a sandbox, and
    whoever unpacks must be able to refuse them.
    """
    left_out: list[str] = []
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with (
            os.fdopen(descriptor, "wb") as raw,
            gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0, compresslevel=6) as compressed,
            tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as tar,
        ):
            for path in _files(tree):
                name = path.relative_to(tree).as_posix()
                if not _add(tar, path, name):
                    left_out.append(name)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return tuple(left_out)


def _files(tree: Path) -> list[Path]:
    paths = []
    for folder, folders, files in os.walk(tree):
        links = [name for name in folders if Path(folder, name).is_symlink()]
        paths += [Path(folder, name) for name in (*files, *links)]
    return sorted(paths, key=lambda path: os.fsencode(path.relative_to(tree)))


def _add(tar: tarfile.TarFile, path: Path, name: str) -> bool:
    status = path.lstat()
    information = tarfile.TarInfo(name)
    information.mtime = MTIME
    if stat.S_ISLNK(status.st_mode):
        link = os.readlink(path)  # noqa: PTH115 - the text as it is, which Path would tidy up
        reached = posixpath.normpath(posixpath.join(posixpath.dirname(name), link))
        if link.startswith("/") or reached == ".." or reached.startswith("../"):
            return False
        information.type, information.linkname, information.mode = tarfile.SYMTYPE, link, 0o777
        tar.addfile(information)
    elif stat.S_ISREG(status.st_mode):
        data = path.read_bytes()
        information.size = len(data)
        information.mode = 0o755 if status.st_mode & stat.S_IXUSR else 0o644
        tar.addfile(information, io.BytesIO(data))
    return True
