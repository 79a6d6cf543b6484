"""Putting two layers together: the upper folder gets links to what lies in the lower one.

The upper layer is a virtual environment with the project alone. With links to every top-level package and
file of the lower layer it has one ``site-packages`` and one ``bin`` that hold everything, as one environment
has: the order of ``sys.path``, ``.pth`` files, namespace packages, metadata and ``pip freeze`` need no care
of their own, in any Python. Programs are no links but copies that name the upper interpreter: one that named
the lower one would not see the project. The lower layer is only read.

Both folders were written by hostile builds. Folders are entered only where they are no links, and nothing is
written outside of the upper one.
"""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

from backdate.errors import ConfigurationError
from backdate.projects.read import read_bytes

_LARGEST_PROGRAM = 16 * 1024 * 1024
"""A program that names its environment is a short script; what is larger is no such script."""


class LayersCollide(Exception):
    """Both layers have a file of one name, and which one counts is decided by the order of installing."""


def add_links(lower: Path, upper: Path) -> None:
    """Link everything in the virtual environment ``lower`` that ``upper`` does not have into ``upper``.

    Raises LayersCollide when both have a file at one path with different contents.
    """
    if not _is_real_folder(upper):
        raise LayersCollide(f"{upper} is not a folder")
    _link_folder(lower, upper, "", lower, upper)


def relocated(data: bytes, old: Path, new: Path) -> bytes | None:
    """``data`` with the folder ``new`` in place of ``old``; None when it is no text or does not name it."""
    if os.fsencode(old) not in data or b"\0" in data:
        return None
    return data.replace(os.fsencode(old), os.fsencode(new))


def read_program(root: Path, relative: str) -> bytes | None:
    """The content of a file below ``root`` if it is a regular one and small enough to be a script."""
    try:
        return read_bytes(root, relative, limit=_LARGEST_PROGRAM)
    except ConfigurationError:
        return None


def _link_folder(lower: Path, upper: Path, relative: str, lower_root: Path, upper_root: Path) -> None:
    with os.scandir(lower) as entries:
        for entry in entries:
            below = f"{relative}/{entry.name}" if relative else entry.name
            target = upper / entry.name
            if not os.path.lexists(target):
                if relative == "bin" and _copy_program(below, target, lower_root, upper_root):
                    continue
                target.symlink_to(entry.path)
            elif entry.is_dir(follow_symlinks=False) and _is_real_folder(target):
                _link_folder(Path(entry.path), target, below, lower_root, upper_root)
            elif relative.endswith("__pycache__") and entry.name.endswith(".pyc"):
                continue  # of a module that both have, and that is compared itself
            elif not _same(below, lower_root, upper_root):
                raise LayersCollide(f"both layers have {below}")


def _copy_program(relative: str, target: Path, lower: Path, upper: Path) -> bool:
    """Copy a script that names the lower environment as one that names the upper; False for other files."""
    data = None if (lower / relative).is_symlink() else read_program(lower, relative)
    text = None if data is None else relocated(data, lower, upper)
    if text is None:
        return False
    target.write_bytes(text)
    shutil.copymode(lower / relative, target)
    return True


def _is_real_folder(path: Path) -> bool:
    return stat.S_ISDIR(path.lstat().st_mode)


def _same(relative: str, lower: Path, upper: Path) -> bool:
    """Whether both environments have the same link, or the same file but for their own paths in it."""
    one, other = lower / relative, upper / relative
    if one.is_symlink() or other.is_symlink():
        return one.is_symlink() and other.is_symlink() and one.readlink() == other.readlink()
    below, above = read_program(lower, relative), read_program(upper, relative)
    if below is None or above is None:
        return False
    return below == above or relocated(below, lower, upper) == above
