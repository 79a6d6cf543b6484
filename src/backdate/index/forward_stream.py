"""Read compressed archives that may be hostile: only forwards, and up to a limit."""

from __future__ import annotations

import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Self, cast

BROKEN = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError),
    *(RuntimeError, NotImplementedError, ValueError, OverflowError),  # a RecursionError is a RuntimeError
)
"""The exceptions of the standard library's readers for a damaged archive."""

_HEADER_BYTES = 4 * 1024 * 1024
"""tarfile reads extended headers whole; no honest one is larger."""
_GLOBAL_HEADER_BYTES = 64 * 1024
"""Of an archive in all. tarfile keeps them, and gives each member a copy; git's own says one commit."""
_XZ_BYTES = 256 * 1024 * 1024
"""Memory of the reader of .xz, whose dictionary the archive chooses: up to 4 GiB. "xz -9" takes 65 MiB."""
_LIST_BYTES = 32 * 1024 * 1024
"""Of the list of a zip file's members, which is read whole: 200,000 with names of a hundred characters."""
_CHUNK = 1024 * 1024


def bounded_members(refused: Callable[[str], Exception]) -> type[tarfile.TarInfo]:
    """The ``tarinfo`` of one TarFile; its global headers are bounded, or what ``refused`` makes is raised."""
    total = 0

    class _BoundedMember(tarfile.TarInfo):
        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
            nonlocal total
            member = super().frombuf(buf, encoding, errors)
            if member.type == tarfile.XGLTYPE:
                total += member.size
                if total > _GLOBAL_HEADER_BYTES:
                    raise refused(f"holds more than {_GLOBAL_HEADER_BYTES:,} bytes of global headers")
            return member

    return _BoundedMember


def open_xz(packed: IO[bytes]) -> IO[bytes]:
    """``packed`` decompressed, in bounded memory: a dictionary beyond that raises LZMAError."""
    return cast(IO[bytes], io.BufferedReader(_XzBytes(packed)))


class _XzBytes(io.RawIOBase):
    """The bytes of one or more xz streams, one after the other."""

    def __init__(self, packed: IO[bytes]) -> None:
        self._packed = packed
        self._decompressor = _new_decompressor()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._next(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._packed.close()
        super().close()

    def _next(self, size: int) -> bytes:
        while True:
            more = b""
            if self._decompressor.eof:
                # Between two streams there may be zeros, four by four.
                more = self._decompressor.unused_data.lstrip(b"\0") or self._packed.read(_CHUNK).lstrip(b"\0")
                if not more:
                    return b""
                self._decompressor = _new_decompressor()
            elif self._decompressor.needs_input:
                more = self._packed.read(_CHUNK)
                if not more:
                    raise EOFError("the compressed file ends before its end was marked")
            data = self._decompressor.decompress(more, size)
            if data:
                return data


def _new_decompressor() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=_XZ_BYTES)


class BoundedZip(zipfile.ZipFile):
    """A zip file whose list of members, and the memory that one takes, are bounded. Raises BadZipFile."""

    def __init__(self, file: Path | IO[bytes]) -> None:
        raw = io.FileIO(file) if isinstance(file, Path) else cast(io.RawIOBase, file)
        self._own = _BoundedReads(raw)
        try:
            super().__init__(self._own)
        except BaseException:
            self._own.close()
            raise

    def close(self) -> None:
        """Close the file as well."""
        super().close()
        self._own.close()

    def open_member(self, member: zipfile.ZipInfo) -> IO[bytes]:
        """The content of ``member``."""
        if member.compress_type == zipfile.ZIP_LZMA:  # its dictionary may take 4 GiB
            raise zipfile.BadZipFile(f"{member.filename[:200]!r} is compressed by LZMA, which is not read")
        return self.open(member)


class _BoundedReads(io.BufferedReader):
    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > _LIST_BYTES:
            raise zipfile.BadZipFile(f"its list of members has {size:,} bytes")
        return super().read(size)


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
