"""The classes that a project defines, and what they inherit from outside of it, read from its source."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

_MOST_FILES = 3_000
_MOST_BYTES = 64 * 1024 * 1024
_MOST_DEPTH = 6
"""Classes between one and its base outside."""
_MOST_DEFINITIONS = 8
"""Files of one class's name that are looked at."""
_CLASS = re.compile(r"^[ \t]*class[ \t]+([A-Za-z_]\w{0,120})\b", re.MULTILINE)
_LEFT_OUT = frozenset({"node_modules", "site-packages", "__pycache__", "build", "dist"})

Bases = Callable[[str, str], tuple[str, ...]]
"""From a class's name and a file of the tree to its bases, as they are written there."""
Outside = Callable[[str, str], str]
"""From an expression and a file to the dotted name that it stands for; "" for the project's own."""


class OwnClasses:
    """Finds classes by their names in the files of a tree. ``read``: the text of one of its files."""

    def __init__(self, tree: Path | None, read: Callable[[str], str]) -> None:
        self._tree, self._read = tree, read
        self._files: dict[str, list[str]] | None = None

    def base_of(self, name: str, path: str, bases: Bases, outside: Outside) -> str:
        """The dotted name of the only class outside of the project that its class ``name`` inherits.

        ``path``: the file that is looked at first. "" where there is none, or more than one.
        """
        found: dict[str, None] = {}
        waiting, seen = [(name, path, 0)], set[tuple[str, str]]()
        while waiting:
            wanted, file, depth = waiting.pop(0)
            if depth > _MOST_DEPTH or (wanted, file) in seen:
                continue
            seen.add((wanted, file))
            files = [file] if bases(wanted, file) else self._defining(wanted)
            for one in files:
                for base in bases(wanted, one):
                    home = outside(base, one)
                    if home:
                        found[home] = None
                    else:
                        waiting.append((base.rpartition(".")[2], one, depth + 1))
        return next(iter(found)) if len(found) == 1 else ""

    def _defining(self, name: str) -> list[str]:
        if self._files is None:
            self._files = {}
            for file, text in self._texts():
                for match in _CLASS.finditer(text):
                    files = self._files.setdefault(match[1], [])
                    if len(files) < _MOST_DEFINITIONS and file not in files:
                        files.append(file)
        return self._files.get(name, [])

    def _texts(self) -> Iterator[tuple[str, str]]:
        if self._tree is None:
            return
        number = size = 0
        for folder, folders, names in os.walk(self._tree):
            folders[:] = sorted(one for one in folders if one not in _LEFT_OUT and not one.startswith("."))
            for name in sorted(names):
                if not name.endswith(".py"):
                    continue
                file = Path(folder, name).relative_to(self._tree).as_posix()
                text = self._read(file)
                number, size = number + 1, size + len(text)
                if number > _MOST_FILES or size > _MOST_BYTES:
                    return
                yield file, text
