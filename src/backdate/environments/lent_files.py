"""Files of uv's cache that an environment of the caller's shares with it, until the cache is used again.

Copying a large environment out of uv's cache takes as long as downloading it. So one that ``build_at`` hands
out is made of hard links where nobody else uses the cache at that moment. Its owner may change it in place:
its files are *lent*. Before the next step of any process sees the cache, each of them is replaced by a copy.
A wheel whose copies do not have the hashes of its RECORD (which uv never links) is removed, and downloaded
when it is wanted again. So nothing that is done to an environment that was handed out reaches another one.
Environments in the cache are never linked.
"""

from __future__ import annotations

import base64
import csv
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from backdate.environments.cache import Cache
from backdate.errors import ConfigurationError
from backdate.projects.hostile import Folder
from backdate.sandboxes.file_lock import wait_for_lock

_RECORDS = "lent"
_LARGEST_RECORD = 64 * 1024 * 1024
_HASH = "sha256="


@dataclass(frozen=True, slots=True, kw_only=True)
class LentFiles:
    """Unpacked wheels of uv's cache that one environment shares files with."""

    wheels: tuple[str, ...]
    """Their folders below ``Cache.clean``."""


@dataclass(frozen=True, slots=True)
class CacheUse:
    """Who uses uv's caches at a time: any number of steps, or one that links what it installs."""

    cache: Cache

    @contextmanager
    def shared(self) -> Iterator[bool]:
        """Held by every step that sees uv's cache; what was lent is the cache's own again. Yields False.

        Raises KeyboardInterrupt when what the thread obeys is set while it waits.
        """
        with self._file() as file:
            while True:
                wait_for_lock(file.fileno(), fcntl.LOCK_SH)
                if not self.cache.keys(_RECORDS):
                    break
                fcntl.flock(file, fcntl.LOCK_UN)
                wait_for_lock(file.fileno())
                self._take_back()
                fcntl.flock(file, fcntl.LOCK_UN)
            yield False

    @contextmanager
    def lending(self, key: str) -> Iterator[bool]:
        """Whether nobody else uses the cache, so that the environment of that key may be linked; else as
        ``shared``."""
        with self._file() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                with self.shared():
                    yield False
                return
            self._take_back()
            try:
                yield True
            finally:
                self._note_lent(key)

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Whether nobody uses uv's caches; where so, whoever wants to waits until the context ends."""
        with self._file() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield False
                return
            self._take_back()
            yield True

    def _note_lent(self, key: str) -> None:
        metadata = self.cache.clean.glob("uv*/archive-v*/*/*.dist-info/METADATA")
        linked = {path.parent.parent for path in metadata if path.lstat().st_nlink > 1}
        if linked:
            wheels = tuple(sorted(str(folder.relative_to(self.cache.clean)) for folder in linked))
            self.cache.write(_RECORDS, key, LentFiles(wheels=wheels))

    def _unpacked(self) -> tuple[str, ...]:
        folders = self.cache.clean.glob("uv*/archive-v*/*")
        return tuple(str(folder.relative_to(self.cache.clean)) for folder in folders)

    def _take_back(self) -> None:
        for key in self.cache.keys(_RECORDS):
            lent = self.cache.read(LentFiles, _RECORDS, key)
            for wheel in self._unpacked() if lent is None else lent.wheels:  # a damaged record says nothing
                _take_back(self.cache, self.cache.clean / wheel)
            self.cache.forget(_RECORDS, key)

    def _file(self) -> BinaryIO:
        return (self.cache.folder / "guards" / "uv-cache").open("wb")


def _take_back(cache: Cache, wheel: Path) -> None:
    """Make the unpacked ``wheel`` the cache's own; remove it where it is not as it was unpacked."""
    if not os.path.lexists(wheel):
        return
    try:
        with Folder.at(wheel) as top:
            _copy_each(top, *_recorded(top))
    except ConfigurationError:
        cache.discard(wheel)


def _recorded(top: Folder) -> tuple[dict[str, bytes], str]:
    """The SHA-256 of each file of a wheel, by path, and the path of the RECORD that says so.

    Raises ConfigurationError when there is none.
    """
    (name, *others) = [name for name in top.names() if name.endswith(".dist-info")] or [""]
    if not name or others:
        raise ConfigurationError(f"{top.path} is no unpacked wheel")
    with top.folder(name) as folder:
        status = folder.status("RECORD")
        text = folder.read("RECORD", limit=_LARGEST_RECORD)
    if text is None or status is None or status.st_nlink != 1:
        raise ConfigurationError(f"{top.path} has no RECORD of its own")
    found: dict[str, bytes] = {}
    for row in csv.reader(StringIO(text.decode("utf-8", "replace"))):
        if len(row) == 3 and row[1].startswith(_HASH):
            digits = row[1].removeprefix(_HASH)
            found[str(PurePosixPath(row[0]))] = _decoded(digits)
    return found, f"{name}/RECORD"


def _decoded(digits: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(digits + "=" * (-len(digits) % 4))
    except ValueError as error:
        raise ConfigurationError(f"{digits!r} is no hash") from error


def _copy_each(top: Folder, recorded: dict[str, bytes], record: str, at: str = "") -> None:
    """Replace every file of the wheel but its RECORD by a copy. Raises ConfigurationError if one differs."""
    for name in top.names():
        path = f"{at}{name}"
        if top.is_folder(name):
            with top.folder(name) as below:
                _copy_each(below, recorded, record, f"{path}/")
        elif path != record and top.renew(name) != recorded.get(path):
            raise ConfigurationError(f"{top.path / name} was changed")
