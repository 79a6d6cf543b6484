"""Files that tests open and that an sdist does not hold: its repository has them."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from backdate.testing.outcomes import SuiteRun

_NOT_THERE = re.compile(r"No such file or directory: b?'([^'\n]{1,300})'")
_MOST_NAMES = 50_000
_SHORTEST = 5
"""Names that are shorter are in too many texts."""
_OF_THE_SYSTEM = ("/tmp/", "/usr/", "/etc/", "/proc/", "/dev/", "/var/")  # noqa: S108


def lacking_files(run: SuiteRun | None, tree: Path) -> tuple[str, ...]:
    """The names of files that tests of ``run`` could not open, and that are nowhere in ``tree``.

    Only names with an ending count, and no program or temporary file of the system. What tests say is
    compared with the names in the tree; nothing is opened.
    """
    wanted = dict.fromkeys(_not_opened(run))
    if not wanted:
        return ()
    there = set(_names(tree))
    return tuple(name for name in wanted if name not in there)


def _not_opened(run: SuiteRun | None) -> Iterator[str]:
    for result in () if run is None else run.results:
        for raised in result.raised if result.outcome.bad else ():
            match = _NOT_THERE.search(raised.message)
            if match and raised.type.endswith(("FileNotFoundError", "IOError", "OSError")):
                name = posixpath.basename(match[1])
                ending = posixpath.splitext(name)[1]
                if len(name) >= _SHORTEST and ending and not match[1].startswith(_OF_THE_SYSTEM):
                    yield name


def _names(tree: Path) -> Iterator[str]:
    left = _MOST_NAMES
    for _, folders, files in os.walk(tree):  # links are not followed
        yield from folders
        yield from files
        left -= len(files)
        if left < 0:
            return
