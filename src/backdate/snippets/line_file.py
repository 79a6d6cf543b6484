"""A file of JSON, one value a line, to which lines are added: each is on the disk before the work goes on."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Generic, TypeVar

from backdate.errors import StoredDataError
from backdate.serial import from_json, to_json

T = TypeVar("T")


class LineFile(Generic[T]):
    """The file at ``path``, made with the first line. Safe for threads of one process.

    A process that is killed while it writes leaves a last line without its end, which the next one cuts off.
    """

    def __init__(self, path: Path, kind: type[T]) -> None:
        self._path = path
        self._kind = kind
        self._lock = threading.Lock()

    def read(self) -> tuple[T, ...]:
        """The values of all whole lines. Raises StoredDataError for a damaged line, and for no file."""
        self._require_file()
        data = self._path.read_bytes() if self._path.is_file() else b""
        whole = data[: data.rfind(b"\n") + 1]
        return tuple(
            from_json(self._kind, line, what=f"{self._path}, line {number}")
            for number, line in enumerate(whole.splitlines(), start=1)
        )

    def append(self, value: T) -> None:
        """Add a line. Raises StoredDataError where something else than a file is there."""
        line = to_json(value) + b"\n"
        with self._lock:
            self._require_file()
            self._path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(self._path, flags, 0o644)
            try:
                os.lseek(descriptor, _end_of_lines(descriptor), os.SEEK_SET)
                os.ftruncate(descriptor, os.lseek(descriptor, 0, os.SEEK_CUR))
                while line:
                    line = line[os.write(descriptor, line) :]
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def _require_file(self) -> None:
        """A folder that somebody hands over may hold a link to a file of this machine, or a pipe."""
        if self._path.is_symlink() or (self._path.exists() and not self._path.is_file()):
            raise StoredDataError(f"{self._path} is a link, or no file; it is not used")


def _end_of_lines(descriptor: int) -> int:
    """The offset behind the last whole line."""
    end = os.lseek(descriptor, 0, os.SEEK_END)
    while end:
        start = max(0, end - 65536)
        found = os.pread(descriptor, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0
