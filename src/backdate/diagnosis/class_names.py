"""The classes that files of libraries define; each file is read once, whatever is looked for in it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from backdate.diagnosis.distributions import read_bounded

_SOURCE_BYTES = 2 * 1024 * 1024
_MOST_KEPT = 100_000
"""Files: an environment with the largest libraries has some 30,000."""
_CLASS = re.compile(r"^[ \t\f]*class (\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class DefinedClasses:
    """What one file defines."""

    names: frozenset[str] = frozenset()
    characters: int = 0
    """Of the file, as a measure of what reading it takes."""


def classes_in(path: str) -> DefinedClasses:
    """The classes of a module's source; none where it is no regular file, or too large.

    Nothing is read again while the file is as it was.
    """
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return DefinedClasses()
    return _read(path, status.st_ino, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=_MOST_KEPT)
def _read(path: str, _inode: int, _size: int, _changed_ns: int) -> DefinedClasses:
    text = read_bounded(Path(path), _SOURCE_BYTES) or ""
    return DefinedClasses(frozenset(_CLASS.findall(text)), len(text))
