"""A task's tree as the tools see it: paths that stay inside, texts that can be written back."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from backdate.editing.encodings import DecodedText, NotText, decode_source
from backdate.solvers.tools.interface import ToolRefusal
from backdate.tasks.edit_policy import EditPolicy

LARGEST_FILE = 4 * 1024 * 1024
"""Bytes; larger ones are data, not source."""
SANDBOX_ROOT = "/work/project/"
"""Where logs say that the tree lies."""


class Tree:
    """The files below a folder. Nothing outside is read or written, whatever links say."""

    def __init__(self, root: Path, rules: EditPolicy) -> None:
        self.root = root.resolve()
        self.rules = rules

    def locate(self, path: str) -> Path:
        """The file or folder that ``path`` names, links followed as long as they stay inside.

        Raises ToolRefusal for what is not there or not inside.
        """
        relative = path.strip()
        if relative.startswith(SANDBOX_ROOT) or relative == SANDBOX_ROOT.rstrip("/"):
            relative = relative[len(SANDBOX_ROOT) :] or "."
        pure = PurePosixPath(relative or ".")
        if "\0" in relative or len(relative) > 1000:
            raise ToolRefusal("that is not a path.")
        if pure.is_absolute() or ".." in pure.parts:
            raise ToolRefusal(
                f"{path!r} is outside of the project. Give a path relative to its root, without '..'."
            )
        try:
            resolved = (self.root / pure).resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            raise ToolRefusal(self._missing(path, pure)) from None
        if not resolved.is_relative_to(self.root):
            raise ToolRefusal(f"{path!r} is a link that leads out of the project.")
        if ".git" in resolved.relative_to(self.root).parts:
            raise ToolRefusal(f"{path!r} is not part of the project's files.")
        return resolved

    def name(self, path: Path) -> str:
        """The path of a located file relative to the root, with forward slashes."""
        return path.relative_to(self.root).as_posix()

    def file(self, path: str) -> Path:
        """The regular file that ``path`` names. Raises ToolRefusal."""
        resolved = self.locate(path)
        if resolved.is_dir():
            raise ToolRefusal(f"{path!r} is a folder; list_dir shows what is in it.")
        if not resolved.is_file():
            raise ToolRefusal(f"{path!r} is not a regular file.")
        if self.rules.is_hidden(self.name(resolved)):
            raise ToolRefusal(f"there is no file {path!r}.")
        return resolved

    def editable(self, path: str) -> Path:
        """The file, if it may be changed. Raises ToolRefusal saying why not."""
        resolved = self.file(path)
        name = self.name(resolved)
        why = self.rules.why_not(name) or self.rules.why_not(path.strip()) or self._shared(resolved)
        if why:
            raise ToolRefusal(f"{path!r} cannot be edited: {why}.")
        return resolved

    def _shared(self, resolved: Path) -> str:
        """A second name (hard link) of a file could be that of a test."""
        return "it has a second name (a hard link)" if resolved.stat().st_nlink > 1 else ""

    def _missing(self, path: str, pure: PurePosixPath) -> str:
        name = pure.name.casefold()
        alike = [
            self.name(file)
            for file in self.walk(self.root)
            if name and file.name.casefold() == name and not self.rules.is_hidden(self.name(file))
        ][:5]
        hint = f" Files of that name: {', '.join(alike)}." if alike else " list_dir shows what there is."
        return f"there is no file {path!r} (new files cannot be made).{hint}"

    def walk(self, start: Path, suffix: str = "") -> Iterator[Path]:
        """Regular files below a folder in a fixed order, without hidden folders and links; at most 50,000."""
        count = 0
        for folder, folders, files in os.walk(start):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(files):
                path = Path(folder, name)
                if name.endswith(suffix) and stat.S_ISREG(path.lstat().st_mode):
                    count += 1
                    if count > 50_000:
                        return
                    yield path

    def read(self, path: Path) -> DecodedText:
        """The text of a located file. Raises ToolRefusal for what is none."""
        name = self.name(path)
        try:
            return decode_source(read_bytes(path), is_python=name.endswith(".py"))
        except NotText as error:
            raise ToolRefusal(f"{name} is {error}.") from error


def read_bytes(path: Path, *, limit: int = LARGEST_FILE) -> bytes:
    """A located file's bytes. Raises ToolRefusal for one that is too large, or no file any more."""
    try:
        # Located: no link is on the way, and it was no pipe. Should it be one now, nothing waits for it.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise ToolRefusal(f"{path.name} cannot be read: {error.strerror}.") from error
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ToolRefusal(f"{path.name} is not a regular file.")
        data = file.read(limit + 1)
    if len(data) > limit:
        raise ToolRefusal(f"{path.name} is larger than {limit // 1024 // 1024} MiB.")
    return data


def numbered(lines: tuple[str, ...], first: int, last: int) -> str:
    """Lines ``first`` to ``last`` (from 1, both included) with their numbers."""
    width = len(str(last))
    return "\n".join(f"{number:>{width}}| {_shown(lines[number - 1])}" for number in range(first, last + 1))


def _shown(line: str) -> str:
    text = line.rstrip("\r\n")
    return text if len(text) <= 1000 else f"{text[:1000]} [{len(text) - 1000} more characters]"
