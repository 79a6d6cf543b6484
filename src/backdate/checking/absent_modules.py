"""Modules of a project that its own files import relatively and that its source does not hold."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from backdate.errors import ConfigurationError
from backdate.projects.read import read_bytes
from backdate.testing.outcomes import Frame, Raised, SuiteRun

_RELATIVE = re.compile(r"from\s+(?P<dots>\.{1,20})(?P<module>[\w.]{0,200})\s+import\b")
_NO_NAME = re.compile(r"cannot import name '(?P<name>\w{1,200})'")
_MISSING = ("ModuleNotFoundError", "ImportError")
_MOST = 5


def notes_on_absent_modules(runs: Iterable[SuiteRun | None], tree: Path) -> tuple[str, ...]:
    """The files that are not in ``tree`` and for want of which others of it cannot be imported, in words.

    An sdist often holds test files without what they share. A module that is compiled, or that the project's
    build writes, is not told: its folder has other files that begin with its name.
    """
    notes: dict[str, None] = {}
    for run in runs:
        for result in run.results if run is not None and len(notes) < _MOST else ():
            for raised in result.raised:
                for file, by in _wanted(raised):
                    if not _is_there(tree, file):
                        notes[f"not in the tree: {file}, which {by} imports"] = None
    return tuple(notes)[:_MOST]


def _wanted(raised: Raised) -> Iterator[tuple[str, str]]:
    """The file that a failed relative import is for, and the file that it stands in."""
    frame = next((frame for frame in reversed(raised.frames) if frame.source), None)
    statement = _RELATIVE.match(frame.source) if frame is not None else None
    if frame is None or statement is None or raised.type not in _MISSING or not _is_plain(frame):
        return
    name = _NO_NAME.search(raised.message)
    module = statement["module"]
    if raised.type == "ImportError" or not module:
        if module or name is None:
            return  # a name that a module lacks, and no module
        module = name["name"]
    elif not raised.message.endswith(f"{module}'"):
        return  # what the module itself imports
    folder = posixpath.dirname(frame.file)
    for _ in statement["dots"][1:]:
        if not folder:
            return
        folder = posixpath.dirname(folder)
    yield posixpath.join(folder, *module.split(".")) + ".py", frame.file


def _is_plain(frame: Frame) -> bool:
    """Whether a frame's file is one of the project, below its root."""
    parts = frame.file.split("/")
    return not frame.file.startswith(("/", "<")) and ".." not in parts and "site-packages" not in parts


def _is_there(tree: Path, file: str) -> bool:
    """Whether a module is in the tree, as a file or a package; where it cannot be told, it is."""
    base = file.removesuffix(".py")
    try:
        if any(read_bytes(tree, name) is not None for name in (file, f"{base}/__init__.py", f"{base}.pyx")):
            return True
    except ConfigurationError:
        return True
    return (tree / base).is_dir()
