"""Putting two layers together: the upper folder gets links to what lies in the lower one.

The upper layer is a virtual environment with the project alone. With links to every top-level package and
file of the lower layer it has one ``site-packages`` and one ``bin`` that hold everything, as one environment
has: the order of ``sys.path``, ``.pth`` files, namespace packages, metadata and ``pip freeze`` need no care
of their own, in any Python. Programs are no links but copies that name the upper interpreter: one that named
the lower one would not see the project. The lower layer is only read.

Both folders were written by hostile builds: they are read and written through ``projects/hostile.py``.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from backdate.errors import ConfigurationError
from backdate.projects.hostile import Folder, read_beneath

_LARGEST_PROGRAM = 16 * 1024 * 1024
"""A program that names its environment is a short script; what is larger is no such script."""
_DEEPEST = 200
"""Folders below one another that both layers have; each costs two open files."""


class LayersCollide(Exception):
    """Both layers have a file of one name, and which one counts is decided by the order of installing."""


def add_links(lower: Path, upper: Path) -> None:
    """Link everything in the virtual environment ``lower`` that ``upper`` does not have into ``upper``.

    Raises LayersCollide when both have a file at one path with different contents.
    """
    try:
        with Folder.at(lower) as below, Folder.at(upper) as above:
            _Linking(lower, upper).folder(below, above, "", 0)
    except ConfigurationError as error:
        raise LayersCollide(str(error)) from error


def relocated(data: bytes, old: Path, new: Path) -> bytes | None:
    """``data`` with the folder ``new`` in place of ``old``; None when it is no text or does not name it."""
    if os.fsencode(old) not in data or b"\0" in data:
        return None
    return data.replace(os.fsencode(old), os.fsencode(new))


def read_program(root: Path, relative: str) -> bytes | None:
    """The content of a file below ``root`` if it is a regular one and small enough to be a script."""
    try:
        return read_beneath(root, relative, limit=_LARGEST_PROGRAM)
    except ConfigurationError:
        return None


@dataclass(frozen=True, slots=True)
class _Linking:
    """Links from one environment into another, folder by open folder."""

    lower: Path
    upper: Path

    def folder(self, below: Folder, above: Folder, relative: str, depth: int) -> None:
        if depth > _DEEPEST:
            raise LayersCollide(f"{relative[:100]}… lies more than {_DEEPEST} folders deep")
        for name in below.names():
            path = f"{relative}/{name}" if relative else name
            if above.status(name) is None:
                if relative == "bin" and self._copy_program(below, above, name):
                    continue
                above.link(name, str(self.lower / path))
            elif below.is_folder(name) and above.is_folder(name):
                with below.folder(name) as inside, above.folder(name) as target:
                    self.folder(inside, target, path, depth + 1)
            elif relative.endswith("__pycache__") and name.endswith(".pyc"):
                continue  # of a module that both have, and that is compared itself
            elif not self._same(below, above, name):
                raise LayersCollide(f"both layers have {path}")

    def _copy_program(self, below: Folder, above: Folder, name: str) -> bool:
        """Copy a script that names the lower environment as one of the upper; False for other files."""
        data, status = _script(below, name), below.status(name)
        text = None if data is None else relocated(data, self.lower, self.upper)
        if text is None or status is None:
            return False
        above.write_new(name, text, mode=status.st_mode)
        return True

    def _same(self, below: Folder, above: Folder, name: str) -> bool:
        """Whether both have the same link, or the same file but for the environments' own paths in it."""
        one, other = below.link_text(name), above.link_text(name)
        if one is not None or other is not None:
            return one == other
        lower, upper = _script(below, name), _script(above, name)
        if lower is None or upper is None:
            return False
        return lower == upper or relocated(lower, self.lower, self.upper) == upper


def _script(folder: Folder, name: str) -> bytes | None:
    try:
        return folder.read(name, limit=_LARGEST_PROGRAM)
    except ConfigurationError:
        return None
