"""Writing a source tree from a hostile source, without ever writing outside of it."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from backdate.errors import DiskFull, SourceError, SourceProblem

_OLDEST_MTIME = datetime(1980, 1, 2, tzinfo=UTC).timestamp()
"""Zip files, and so wheels, cannot hold an older time."""

CHUNK = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeLimits:
    """How much a source tree may hold. More is refused, not cut."""

    files: int = 200_000
    bytes: int = 4 * 1024 * 1024 * 1024
    depth: int = 100
    """Folders within folders."""


def safe_name(text: str) -> str:
    """A short name made of ``text`` that is safe as a folder name."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip(".-")[:60].strip(".-") or "project"


class TreeWriter:
    """Writes files and links below one new folder.

    No name leads out of it, nothing is written through a link (links are made last, by ``finish``),
    nothing is overwritten, and the limits hold while writing, whatever sizes were announced.
    Every refusal is a SourceError that names ``what``.
    """

    def __init__(self, root: Path, *, what: str, limits: TreeLimits) -> None:
        root.mkdir(parents=True)
        self._root = root
        self._what = what
        self._limits = limits
        self._folders = {""}
        self._links: dict[str, str] = {}
        self._files = 0
        self._bytes = 0
        self.python_files = 0

    def add_folder(self, name: str) -> None:
        """Make the folder ``name`` and its parents."""
        self._make_folders(self._parts(name))

    def add_file(
        self, name: str, content: Iterable[bytes], *, executable: bool = False, mtime: float | None = None
    ) -> None:
        """Write a regular file. ``mtime`` is in seconds since 1970."""
        path = self._place(name)
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                for chunk in content:
                    self._bytes += len(chunk)
                    if self._bytes > self._limits.bytes:
                        raise SourceError(
                            f"{self._what} holds more than {self._limits.bytes:,} bytes",
                            SourceProblem.TOO_LARGE,
                        )
                    file.write(chunk)
                os.fchmod(descriptor, 0o755 if executable else 0o644)
        except FileExistsError as error:
            raise SourceError(f"{self._what} holds {name!r} twice") from error
        except OSError as error:
            raise self._explain(name, error) from error
        if mtime is not None:
            seconds = max(mtime, _OLDEST_MTIME)
            os.utime(path, (seconds, seconds))
        if name.endswith((".py", ".pyx")):
            self.python_files += 1

    def add_link(self, name: str, target: str) -> None:
        """Add a symbolic link, which ``finish`` makes. The target is kept as it is, wherever it leads."""
        if not target or "\0" in target or len(target) > 4095:
            raise SourceError(f"{self._what} holds a link {name!r} with an impossible target")
        if name in self._links:
            raise SourceError(f"{self._what} holds {name!r} twice")
        self._count()
        self._parts(name)
        self._links[name] = target

    def finish(self) -> None:
        """Make the links. The tree is whole afterwards."""
        for name, target in self._links.items():
            parts = self._parts(name)
            path = self._make_folders(parts[:-1]) / parts[-1]
            try:
                path.symlink_to(target)
            except FileExistsError as error:
                raise SourceError(f"{self._what} holds {name!r} twice") from error
            except OSError as error:
                raise self._explain(name, error) from error

    def path_of(self, name: str) -> Path:
        """Where ``name`` was written."""
        return self._root.joinpath(*self._parts(name))

    def _place(self, name: str) -> Path:
        self._count()
        parts = self._parts(name)
        return self._make_folders(parts[:-1]) / parts[-1]

    def _count(self) -> None:
        self._files += 1
        if self._files > self._limits.files:
            raise SourceError(
                f"{self._what} holds more than {self._limits.files:,} files", SourceProblem.TOO_LARGE
            )

    def _parts(self, name: str) -> list[str]:
        parts = name.split("/")
        # A ".git" of the source would make git run what its configuration says, later and elsewhere.
        forbidden = any(part in ("", ".", "..") or part.lower() == ".git" for part in parts)
        if forbidden or "\0" in name:
            raise SourceError(
                f"{self._what} holds the name {name!r}, which leads out of it or into git's files",
                SourceProblem.LEADS_OUT,
            )
        if len(parts) > self._limits.depth:
            raise SourceError(
                f"{self._what} is more than {self._limits.depth} folders deep", SourceProblem.TOO_LARGE
            )
        return parts

    def _make_folders(self, parts: list[str]) -> Path:
        path, name = self._root, ""
        for part in parts:
            path, name = path / part, f"{name}/{part}"
            if name in self._folders:
                continue
            try:
                path.mkdir(mode=0o755)
            except FileExistsError as error:
                if not stat.S_ISDIR(path.lstat().st_mode):
                    raise SourceError(f"{self._what} holds {name[1:]!r} as a file and as a folder") from error
            except OSError as error:
                raise self._explain(name[1:], error) from error
            self._folders.add(name)
        return path

    def _explain(self, name: str, error: OSError) -> Exception:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return DiskFull(f"no space left below {self._root.parent} to write {self._what}")
        return SourceError(f"{self._what} holds {name[:200]!r}, which cannot be written: {error.strerror}")


def read_chunks(path: Path | str, *, folder: int | None = None) -> Iterator[bytes]:
    """The content of a regular file, piece by piece; a link or a device is refused with OSError.

    ``folder``: an open folder that ``path`` is relative to.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    with os.fdopen(descriptor, "rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk
