"""Serve files from the cache, or stream them from the index and cache them on the way.

Only files that a project's page lists can be requested, so that nobody can make the server fetch anything
else. Each file is hashed while it is streamed; if the hash differs from the page's, the response is aborted
and nothing is cached.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from backdate.index.cache import DiskCache
from backdate.index.http import Fetcher, IndexFailure
from backdate.index.page import FileEntry, Microseconds
from backdate.index.page_store import SerialisedPage, entries

_CHUNK = 256 * 1024
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One file to serve: its address and its expected hash and size."""

    url: str
    sha256: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A file that is being streamed."""

    size_bytes: int | None
    chunks: Iterator[bytes]
    """Raises IndexFailure at the end when the content is not what the page says."""
    local: bool
    """Whether it comes from this machine: nobody has to be waited for."""
    close: Callable[[], None]
    """Call it when no more pieces are wanted."""


def find_file(page: SerialisedPage, filename: str, cutoff: Microseconds | None) -> FileEntry | None:
    """The entry of a file that was uploaded strictly before ``cutoff`` (None: at any time)."""
    needle = filename.encode()
    if needle not in page.blob:
        return None
    for entry, uploaded in zip(entries(page), page.times, strict=True):
        if entry.filename == filename and (cutoff is None or uploaded < cutoff):
            return entry
    return None


def wanted(entry: FileEntry, *, metadata: bool) -> Wanted | None:
    """What to fetch for ``entry``, or for the metadata beside it; None when no metadata is advertised."""
    if not metadata:
        return Wanted(url=entry.url, sha256=_known(entry.hashes))
    advertised = entry.metadata
    if not advertised:
        return None
    hashes = advertised if isinstance(advertised, dict) else {}
    return Wanted(url=f"{entry.url}.metadata", sha256=_known(hashes))


def _hint(want: Wanted) -> str:
    """What to do where metadata is missing: a resolver asks for those of releases that it passes over."""
    if not want.url.endswith(".metadata"):
        return ""
    return "; a bundle holds what its locks name: install these locks instead of resolving again"


def _known(hashes: dict[str, str]) -> str | None:
    value = hashes.get("sha256", "").lower()
    return value if _SHA256.match(value) else None


class FileStore:
    """Serves files, from the cache when possible."""

    def __init__(self, fetcher: Fetcher, cache: DiskCache | None, *, offline: bool) -> None:
        self._fetcher = fetcher
        self._cache = cache
        self._offline = offline

    def kept(self, want: Wanted) -> Path | None:
        """The path of the cached file."""
        if self._cache is None or want.sha256 is None:
            return None
        path = self._cache.file_path(want.sha256)
        return path if path.is_file() else None

    def deliver(self, want: Wanted) -> Delivery:
        """The file, in pieces. Raises IndexFailure (404, 502, 504) when it cannot be had."""
        path = self.kept(want)
        if path is not None and self._cache is not None:
            with suppress(FileNotFoundError):  # another process made room: fetch it again
                file = path.open("rb")
                self._cache.touch(path)
                return Delivery(
                    size_bytes=path.stat().st_size, chunks=_read(file), local=True, close=file.close
                )
        if self._offline:
            raise IndexFailure(f"offline, and {want.url} is not in the cache{_hint(want)}", status=504)
        pieces = self._stream(want)
        size = next(pieces)
        assert not isinstance(size, bytes)
        chunks = (piece for piece in pieces if isinstance(piece, bytes))
        return Delivery(size_bytes=size, chunks=chunks, local=False, close=pieces.close)

    def _stream(self, want: Wanted) -> Generator[bytes | int | None, None, None]:
        state = hashlib.sha256()
        keep = self._open_temporary(want)
        try:
            with self._fetcher.stream(want.url) as (length, pieces):
                yield length
                held = b""  # the last piece waits until the hash of the whole is known to be right
                for chunk in pieces:
                    if held:
                        yield held
                    held = chunk
                    state.update(chunk)
                    if keep is not None:
                        keep.write(chunk)
            if want.sha256 is not None and state.hexdigest() != want.sha256:
                raise IndexFailure(
                    f"{want.url} has the hash {state.hexdigest()}, its page says {want.sha256}"
                )
            if keep is not None and want.sha256 is not None and self._cache is not None:
                keep.close()
                path = self._cache.file_path(want.sha256)
                Path(keep.name).replace(path)
                self._cache.grew(path.stat().st_size)
            if held:
                yield held
        finally:
            if keep is not None:
                keep.close()
                Path(keep.name).unlink(missing_ok=True)

    def _open_temporary(self, want: Wanted) -> IO[bytes] | None:
        if self._cache is None or want.sha256 is None:
            return None
        folder = self._cache.file_path(want.sha256).parent
        try:
            folder.mkdir(parents=True, exist_ok=True)
            return tempfile.NamedTemporaryFile(dir=folder, prefix=".part-", delete=False)
        except OSError:
            return None  # a cache that cannot be written: the file passes without being kept


def _read(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk
