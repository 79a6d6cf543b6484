"""Read compressed archives that may be hostile: only forwards, and up to a limit."""

from __future__ import annotations

import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from typing import IO

BROKEN = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError),
    *(RuntimeError, NotImplementedError, ValueError, OverflowError),  # a RecursionError is a RuntimeError
)
"""The exceptions of the standard library's readers for a damaged archive."""

_HEADER_BYTES = 4 * 1024 * 1024
"""tarfile reads extended headers whole; no honest one is larger."""
_CHUNK = 1024 * 1024


class ForwardStream:
    """The file object that tarfile reads from; refuses to return more than a limit, in all or at once.

    Given the compressed file itself, tarfile would read a header of any size into memory before checking it,
    and would seek backwards for a member whose size is negative.
    """

    def __init__(self, stream: IO[bytes], allowed: int, refused: Callable[[str], Exception]) -> None:
        """``allowed`` bytes in all; ``refused`` makes the exception from the reason for refusing more."""
        self._stream = stream
        self._allowed = allowed
        self._refused = refused
        self._position = 0

    def read(self, size: int) -> bytes:
        """The next ``size`` bytes, fewer at the end. Raises what ``refused`` makes."""
        if not 0 <= size <= _HEADER_BYTES:
            raise self._refused(f"holds an extended header of {size:,} bytes")
        data = self._stream.read(size)
        self._position += len(data)
        if self._position > self._allowed:
            raise self._refused("unpacks to more than is allowed")
        return data

    def tell(self) -> int:
        """How many bytes were read."""
        return self._position

    def seek(self, position: int) -> int:
        """Read on to ``position``, or to the end. Raises ReadError for a position before the current one."""
        if position < self._position:
            raise tarfile.ReadError("its members overlap")
        while self._position < position:
            if not self.read(min(_CHUNK, position - self._position)):
                break
        return self._position
