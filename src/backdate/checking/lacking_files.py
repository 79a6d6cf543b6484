"""Files, folders and modules that tests want and that an sdist does not hold: its repository has them."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Container, Iterator
from pathlib import Path

from backdate.testing.outcomes import SuiteRun

_NOT_THERE = re.compile(r"No such file or directory: b?'([^'\n]{1,300})'")
_NO_MODULE = re.compile(r"No module named '?([\w.]{1,200})'?")
_MOST_NAMES = 50_000
_SHORTEST = 5
"""Names that are shorter are in too many texts."""
_OF_THE_SYSTEM = ("/tmp/", "/usr/", "/etc/", "/proc/", "/dev/", "/var/")  # noqa: S108


def lacking_files(run: SuiteRun | None, tree: Path) -> tuple[str, ...]:
    """The names of files that tests of ``run`` could not open, and that are nowhere in ``tree``; of a folder
    that is not there its path, of a module of the tree's own packages its dotted name.

    Only files with an ending count, and no program or temporary file of the system. What tests say is
    compared with the names in the tree; nothing is opened.
    """
    wanted, modules = dict.fromkeys(_not_opened(run)), dict.fromkeys(_not_imported(run))
    if not wanted and not modules:
        return ()
    there = set(_names(tree))
    names = (_lacking(path, there) for path in wanted)
    own = (name for name in modules if _is_own_and_lacking(name, there))
    return tuple(dict.fromkeys(name for name in (*names, *own) if len(name) >= _SHORTEST))


def _is_own_and_lacking(module: str, there: Container[str]) -> bool:
    """Whether a module is in a folder of the tree that does not hold it: ``tests.helpers``."""
    first, _, rest = module.partition(".")
    leaf = module.rpartition(".")[2]
    return bool(rest) and first in there and leaf not in there and f"{leaf}.py" not in there


def _lacking(path: str, there: Container[str]) -> str:
    """The name by which tests tell that they lack ``path``; "" where it, or where it lay, is there."""
    first, *others = path.split("/")
    if first and others and first not in there:
        return path  # a folder of the tree's root, as that of a submodule
    name = posixpath.basename(path)
    return name if posixpath.splitext(name)[1] and name not in there else ""


def _not_opened(run: SuiteRun | None) -> Iterator[str]:
    for result in () if run is None else run.results:
        for raised in result.raised if result.outcome.bad else ():
            match = _NOT_THERE.search(raised.message)
            opened = match and raised.type.endswith(("FileNotFoundError", "IOError", "OSError"))
            if match and opened and not match[1].startswith((*_OF_THE_SYSTEM, ".")):
                yield match[1]


def _not_imported(run: SuiteRun | None) -> Iterator[str]:
    for result in () if run is None else run.results:
        for raised in result.raised if result.outcome.bad else ():
            match = _NO_MODULE.search(raised.message)
            if match and raised.type.endswith(("ModuleNotFoundError", "ImportError")):
                yield match[1]


def _names(tree: Path) -> Iterator[str]:
    left = _MOST_NAMES
    for _, folders, files in os.walk(tree):  # links are not followed
        yield from folders
        yield from files
        left -= len(files)
        if left < 0:
            return
