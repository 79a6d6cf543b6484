"""The files of one project, read once each, bounded, with what could not be read kept aside."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from backdate.errors import ConfigurationError
from backdate.projects.read import read_text
from backdate.recipes.declared import Declared, read_declared
from backdate.recipes.recipe import Provenance, SkippedInstruction, unread_metadata

FILE_BYTES = 512 * 1024
"""The largest file that is read."""

PARSING = 500
"""What parsing one more file costs of the budget; one step or command costs 1."""

_BUDGET = 10_000
"""Files may call each other, and themselves, so that the work multiplies: the limit for one project."""

_MOST_ENTRIES = 2_000
"""Of one folder; a hand-written folder has fewer."""


class Files:
    """What the sources of recipes may ask of a project's tree. Never raises because of the tree."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.unread: list[SkippedInstruction] = []
        """Files that are there but could not be read, each once."""
        self._texts: dict[str, str | None] = {}
        self._left = _BUDGET

    def spend(self, amount: int = 1) -> bool:
        """Whether there is still budget to follow ``amount`` more steps; it is then spent."""
        if self._left < 0:
            return False
        self._left -= amount
        if self._left < 0:
            reason = "the project's files call each other too often: the rest is not read"
            self.unread.append(SkippedInstruction(reason=reason, provenance=Provenance(rule="budget")))
            return False
        return True

    def text(self, relative: str) -> str | None:
        """The text of a file; None when there is none, or when it cannot be read (see ``unread``)."""
        if relative not in self._texts:
            try:
                self._texts[relative] = read_text(self.root, relative, limit=FILE_BYTES)
            except ConfigurationError as error:
                self._texts[relative] = None
                self.unread.append(
                    SkippedInstruction(reason=str(error), provenance=Provenance(rule="a file", file=relative))
                )
        return self._texts[relative]

    def has(self, relative: str) -> bool:
        """Whether there is a file or folder ``relative`` in the project; links that lead out do not count."""
        path = normal_path(".", relative)
        if path is None:
            return False
        try:
            resolved = (self.root / path).resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            return False
        return resolved.is_relative_to(self.root.resolve())

    def names(self, folder: str) -> tuple[str, ...]:
        """The names of the regular files in a folder, sorted; none when it is not a folder."""
        return tuple(name for name, is_file in self._entries(folder) if is_file)

    def folders(self, folder: str = ".") -> tuple[str, ...]:
        """The names of the folders in a folder, sorted."""
        return tuple(name for name, is_file in self._entries(folder) if not is_file)

    def folders_below(self, *, depth: int, most: int) -> Iterator[str]:
        """The folders down to ``depth`` levels below the root, the upper ones first, at most ``most``; hidden
        ones are left out."""
        level, left = ["."], most
        for _ in range(depth):
            level = [
                name if folder == "." else f"{folder}/{name}"
                for folder in level
                for name in self.folders(folder)
                if not name.startswith(".")
            ]
            yield from level[:left]
            left -= len(level)
            if left <= 0:
                return

    def _entries(self, folder: str) -> list[tuple[str, bool]]:
        if not self.has(folder):
            return []
        try:
            with os.scandir(self.root / folder) as entries:
                bounded = [entry for entry, _ in zip(entries, range(_MOST_ENTRIES), strict=False)]
            return sorted(
                (entry.name, entry.is_file(follow_symlinks=False))
                for entry in bounded
                if not entry.is_symlink() and (entry.is_file() or entry.is_dir())
            )
        except OSError:
            return []

    def declared(self) -> Declared:
        """What the project's metadata declares; nothing when it cannot be read."""
        return self._declared

    @cached_property
    def _declared(self) -> Declared:
        try:
            declared = read_declared(self.root)
        except ConfigurationError as error:
            self.unread.append(unread_metadata(str(error)))
            return Declared()
        self.unread += [unread_metadata(reason, file) for file, reason in declared.unread]
        return declared


def normal_path(cwd: str, path: str) -> str | None:
    """``path`` as seen from ``cwd``, relative to the project's root; None when it leads out of it.

    ``/PROJECT`` at the front of ``path`` stands for the root.
    """
    if "\0" in path:
        return None
    if path == "/PROJECT" or path.startswith("/PROJECT/"):
        cwd, path = ".", path[len("/PROJECT") :].lstrip("/") or "."
    if path.startswith(("/", "~")):
        return None
    joined = posixpath.normpath(posixpath.join(cwd, path))
    return None if joined == ".." or joined.startswith("../") else joined


def first_line_with(text: str, part: str) -> int | None:
    """The number of the first line of ``text`` that contains ``part``, counted from 1."""
    offset = text.find(part)
    return None if offset < 0 else text.count("\n", 0, offset) + 1


def numbered(text: str) -> Iterator[tuple[int, str]]:
    """The lines of ``text`` with their numbers, from 1."""
    return enumerate(text.split("\n"), start=1)
