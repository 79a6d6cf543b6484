"""Unpinning a whole tree: find the files, loosen each, follow what they name, set lock files aside."""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path, PurePosixPath

from backdate.editing.encodings import decode_configuration
from backdate.errors import ConfigurationError
from backdate.projects.unpinning.discovery import Format, file_format, is_test_data, walk_files
from backdate.projects.unpinning.draft import Draft, Wanted
from backdate.projects.unpinning.report import LoosenedRequirement, SkippedPin, Unpinning, printable
from backdate.projects.unpinning.requirement_files import loosen_requirements
from backdate.projects.unpinning.setup_cfg import loosen_setup_cfg
from backdate.projects.unpinning.setup_py import loosen_setup_py
from backdate.projects.unpinning.toml_files import loosen_pipfile, loosen_pyproject
from backdate.serial import write_whole

_MOST_FILES = 500
"""Files that are read; with more, the rest keeps its pins, and the result says so."""
_MOST_TOTAL_BYTES = 64 * 2**20

_MIB = 2**20
_MOST_BYTES: dict[Format, int] = {
    "requirements": _MIB,
    "constraints": _MIB,
    "pyproject": _MIB,
    "pipfile": _MIB,
    "setup.cfg": _MIB,
    "setup.py": _MIB // 2,
    "conda": _MIB // 8,  # the YAML reader is the slowest
    "lock": 16 * _MIB,
}
"""Size up to which a file of each format is read; the largest real ones are a tenth of it."""


def unpin_file(
    path: str,
    data: bytes,
    format: Format | None = None,  # noqa: A002 (its name)
    wanted: Wanted | None = None,
) -> tuple[bytes, Draft]:
    """The unpinned content of one file, and what was found in it.

    ``path`` is its name for the report and, without ``format``, decides the format. ``wanted``: which
    requirements are loosened; None for all. Content that cannot be
    read as that format is returned as it is, with a note in the draft's ``skipped``.
    Raises ConfigurationError when ``path`` is not the name of a file that may hold pins.
    """
    kind = format or file_format(path)
    if kind is None or kind == "lock":
        raise ConfigurationError(
            f"{path} is not a file whose pins can be loosened; name a configuration file"
        )
    text = decode_configuration(data)
    draft = Draft(file=path, content=text.content, wanted=wanted)
    _LOOSENERS[kind](draft)
    if wanted is not None and all(change.name.startswith("--") for change in draft.changes):
        draft.edits.clear()  # hashes go only with pins
        draft.changes.clear()
    return (text.encode(draft.result()) if draft.edits else data), draft


def unpin_tree(root: Path, *, requirements: Iterable[str] = (), wanted: Wanted | None = None) -> Unpinning:
    """How the tree at ``root`` is unpinned; nothing is written.

    ``requirements``: files in pip's format, relative to the root, that are read whatever their names are.
    ``wanted``: which requirements are loosened, and then no lock file is set aside; None for all.

    Never raises for what the tree holds: what cannot be read safely is in the result's ``skipped``.
    Raises ConfigurationError when ``root`` is not a folder.
    """
    if not root.is_dir():
        raise ConfigurationError(f"{root} is not a folder; name the root of a source tree")
    return _TreeUnpinning(root.resolve(), wanted).unpin(requirements)


def apply_unpinning(unpinning: Unpinning, root: Path) -> None:
    """Write the unpinned files into the tree at ``root``, which the caller owns, and remove its lock files.

    Files are replaced, not written into, so that a hard link elsewhere keeps its content; modes stay.
    Raises ConfigurationError, before anything is written, when a file is not the one that was unpinned.
    """
    base = root.resolve()
    for path, original in unpinning.originals.items():
        target = _inside(base, PurePosixPath(path))
        if target is None or _read(target, len(original) + 1) != original:
            raise ConfigurationError(
                f"{path} in {root} is not the file that was unpinned; unpin that tree itself"
            )
    for path, data in unpinning.files.items():
        target = base / path
        mode = stat.S_IMODE(target.stat().st_mode)
        write_whole(target, data)
        target.chmod(mode)
    for path in unpinning.removed:
        (base / path).unlink()


class _TreeUnpinning:
    """One unpinning of one tree."""

    def __init__(self, root: Path, wanted: Wanted | None) -> None:
        self.root = root
        self.wanted = wanted
        self.changes: list[LoosenedRequirement] = []
        self.files: dict[str, bytes] = {}
        self.originals: dict[str, bytes] = {}
        self.removed: list[str] = []
        self.skipped: list[SkippedPin] = []
        self.queue: deque[tuple[str, Format]] = deque()
        self.queued: set[str] = set()
        self.read_bytes = 0

    def unpin(self, requirements: Iterable[str]) -> Unpinning:
        for path in walk_files(self.root):
            format_by_name = file_format(path)
            if format_by_name is None or (format_by_name == "lock" and self.wanted is not None):
                continue
            if is_test_data(path):
                self.skip(path, "a file that tests read is not edited")
            elif self.is_nameable(path):
                self.enqueue(path, format_by_name)
        for path in requirements:
            if (self.root / path).is_file() and self.is_nameable(path):
                self.enqueue(path, "requirements")
        while self.queue:
            self.unpin_file(*self.queue.popleft())
        return Unpinning(
            changes=tuple(sorted(self.changes, key=lambda change: (change.file, change.line))),
            files=dict(sorted(self.files.items())),
            removed=tuple(sorted(self.removed)),
            skipped=tuple(sorted(self.skipped, key=lambda skipped: (skipped.file, skipped.line))),
            originals=dict(sorted(self.originals.items())),
        )

    def skip(self, path: str, reason: str, line: int = 0) -> None:
        self.skipped.append(SkippedPin(file=printable(path), line=line, reason=printable(reason)))

    def is_nameable(self, path: str) -> bool:
        """Whether the path can be written in a result and a patch; reports it when not."""
        if printable(path, len(path)) == path:
            return True
        self.skip(path, "a file whose name is not UTF-8 is not edited")
        return False

    def enqueue(self, path: str, kind: Format) -> None:
        """Queue the file, once, under its real path."""
        real = _inside(self.root, PurePosixPath(path))
        if real is None:
            self.skip(path, "a link that leaves the tree or leads nowhere is not followed")
            return
        name = real.relative_to(self.root).as_posix()
        if name in self.queued:
            return
        if kind == "lock" and name != path:
            self.skip(path, "a lock file that is a link is not set aside")
        elif len(self.queued) >= _MOST_FILES:
            self.skip(path, f"more than {_MOST_FILES} files that may hold pins: this one is not read")
        else:
            self.queued.add(name)
            self.queue.append((name, kind))

    def unpin_file(self, path: str, kind: Format) -> None:
        limit = min(_MOST_BYTES[kind], _MOST_TOTAL_BYTES - self.read_bytes)
        data = _read(self.root / path, limit + 1)
        if data is None:
            self.skip(path, "not a regular file that can be read")
        elif len(data) > limit:
            self.skip(path, f"larger than {limit} bytes, which is as much as is read")
        elif kind == "lock":
            self.read_bytes += len(data)
            self.removed.append(path)
            self.originals[path] = data
        else:
            self.read_bytes += len(data)
            after, draft = unpin_file(path, data, kind, self.wanted)
            self.changes += draft.changes
            self.skipped += draft.skipped
            if after != data:
                self.files[path] = after
                self.originals[path] = data
            for reference, held in draft.references:
                self.follow(path, reference, constraint=held == "constraint" or kind == "constraints")

    def follow(self, path: str, reference: str, *, constraint: bool) -> None:
        """Queue the file that ``path`` names with -r or -c, relative to its own folder, as pip does."""
        if "://" in reference or "$" in reference or "\0" in reference:
            self.skip(path, f"a requirements file that is not in the tree is not followed: {reference}")
            return
        target = PurePosixPath(path).parent / reference
        real = _inside(self.root, target)
        if real is None:
            self.skip(path, f"a reference that leaves the tree or leads nowhere is not followed: {reference}")
            return
        name = real.relative_to(self.root).as_posix()
        kind = file_format(name)
        if kind in ("requirements", "constraints", None) and self.is_nameable(name):
            self.enqueue(name, kind or ("constraints" if constraint else "requirements"))


def _inside(root: Path, path: PurePosixPath) -> Path | None:
    """The real path of ``path`` in the tree at ``root`` (itself real); None when it is not inside."""
    try:
        real = (root / path).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):  # missing, too long, a loop of links
        return None
    return real if real.is_relative_to(root) else None


def _read(path: Path, limit: int) -> bytes | None:
    """At most ``limit`` bytes of a regular file; None for anything else. Never blocks."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(limit)
    finally:
        os.close(descriptor)


def _loosen_constraints(draft: Draft) -> None:
    loosen_requirements(draft, "constraint")


def _loosen_conda(draft: Draft) -> None:
    from backdate.projects.unpinning.conda_files import (
        loosen_conda_environment,
    )  # the YAML reader is slow to import

    loosen_conda_environment(draft)


_LOOSENERS: dict[Format, Callable[[Draft], None]] = {
    "requirements": loosen_requirements,
    "constraints": _loosen_constraints,
    "pyproject": loosen_pyproject,
    "pipfile": loosen_pipfile,
    "setup.cfg": loosen_setup_cfg,
    "setup.py": loosen_setup_py,
    "conda": _loosen_conda,
}
