"""The stored form of a page: every file already serialised as JSON, side by side, with the upload times.

To cut such a page at an instant is to choose slices of one block of bytes. The form on disk is the same,
so that loading a page from the cache takes one read and no parsing.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from backdate.errors import StoredDataError
from backdate.index.names import version_of
from backdate.index.page import (
    FileEntry,
    IndexFile,
    Microseconds,
    ProjectPage,
    from_microseconds,
)

_MAGIC = b"backdate page 1\n"
_SEPARATOR = b","


@dataclass(frozen=True, slots=True, kw_only=True)
class FileColumns:
    """A page's files, column by column and in the index' order, because thousands of small objects would
    take too long to create."""

    times: array[int]
    """When each was uploaded, in microseconds since 1970."""
    versions: Sequence[str | None]
    """As each file's name states it, in PEP 440's spelling."""
    json: Sequence[bytes]
    """Each file's entry of PEP 691."""
    has_sizes: bool
    """Whether every file tells its size."""


class _Header(msgspec.Struct):
    name: str
    exists: bool
    upstream: str
    fetched: Microseconds
    etag: str | None
    last_modified: str | None
    hidden: int
    has_sizes: bool
    versions: list[str]
    version_times: list[Microseconds]
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SerialisedPage:
    """A project's page in its stored form."""

    name: str
    exists: bool
    upstream: str
    fetched: Microseconds
    """When the index listed them. Its answer for earlier instants changes only by yanks and deletions."""
    etag: str | None
    last_modified: str | None
    """The index' validators, for conditional requests."""
    hidden: int
    has_sizes: bool
    """Whether every file tells its size, which version 1.1 of the API demands."""
    versions: tuple[str, ...]
    version_times: tuple[Microseconds, ...]
    """When the first file of each version was uploaded."""
    times: array[int]
    """Upload times, in the index' order of files."""
    offsets: array[int]
    """Where each file's JSON starts in ``blob``, and after the last one where the next would."""
    blob: bytes
    """The files' JSON, separated by one comma."""

    @property
    def size_bytes(self) -> int:
        """Approximate memory in bytes."""
        return len(self.blob) + 12 * len(self.times) + 120 * len(self.versions) + 1000

    def fragments(self) -> Iterable[bytes]:
        """Each file's JSON."""
        offsets, blob = self.offsets, self.blob
        return (blob[offsets[i] : offsets[i + 1] - 1] for i in range(len(self.times)))

    def confirmed(self, fetched: Microseconds) -> SerialisedPage:
        """The same page, confirmed by the index at ``fetched`` (a 304)."""
        values = {field: getattr(self, field) for field in self.__slots__}
        return SerialisedPage(**{**values, "fetched": fetched})


def join_fragments(parts: Sequence[bytes], separator: bytes = _SEPARATOR) -> tuple[array[int], bytes]:
    """Where each part starts, and all of them joined by a separator of one byte."""
    offsets = array("I", [0])
    position = 0
    for part in parts:
        position += len(part) + 1
        offsets.append(position)
    return offsets, separator.join(parts)


NO_FILES = FileColumns(times=array("q"), versions=(), json=(), has_sizes=True)


def serialise(
    name: str,
    files: FileColumns,
    *,
    upstream: str,
    fetched: Microseconds,
    exists: bool = True,
    etag: str | None = None,
    last_modified: str | None = None,
    hidden: int = 0,
) -> SerialisedPage:
    """The page of the project ``name`` (normalised) that holds ``files``."""
    first: dict[str, Microseconds] = {}
    for version, uploaded in zip(files.versions, files.times, strict=True):
        if version is not None and uploaded < first.get(version, sys.maxsize):
            first[version] = uploaded
    offsets, blob = join_fragments(files.json)
    return SerialisedPage(
        name=name,
        exists=exists,
        upstream=upstream,
        fetched=fetched,
        etag=etag,
        last_modified=last_modified,
        hidden=hidden,
        has_sizes=files.has_sizes,
        versions=tuple(first),
        version_times=tuple(first.values()),
        times=files.times,
        offsets=offsets,
        blob=blob,
    )


def pack(page: SerialisedPage) -> bytes:
    """``page`` as a file's content; ``unpack`` gives it back."""
    header = msgspec.json.encode(
        _Header(
            name=page.name,
            exists=page.exists,
            upstream=page.upstream,
            fetched=page.fetched,
            etag=page.etag,
            last_modified=page.last_modified,
            hidden=page.hidden,
            has_sizes=page.has_sizes,
            versions=list(page.versions),
            version_times=list(page.version_times),
            count=len(page.times),
        )
    )
    body = b"".join(
        (len(header).to_bytes(4, "little"), header, page.times.tobytes(), page.offsets.tobytes(), page.blob)
    )
    return _MAGIC + zlib.crc32(body).to_bytes(4, "little") + body


def unpack(data: bytes, *, what: str) -> SerialisedPage:
    """The page that a file named ``what`` holds. Raises StoredDataError when it holds none."""
    start = len(_MAGIC) + 4
    if data[: len(_MAGIC)] != _MAGIC or len(data) < start + 4:
        raise StoredDataError(f"{what} is no cached index page: delete it, it is fetched again")
    view = memoryview(data)
    if zlib.crc32(view[start:]) != int.from_bytes(data[len(_MAGIC) : start], "little"):
        raise StoredDataError(f"{what} is damaged (its checksum differs): delete it, it is fetched again")
    header_start = start + 4
    times_start = header_start + int.from_bytes(data[start:header_start], "little")
    try:
        header = msgspec.json.decode(view[header_start:times_start], type=_Header)
    except msgspec.DecodeError as error:
        raise StoredDataError(f"{what} is damaged ({error}): delete it, it is fetched again") from error
    times = array("q")
    offsets = array("I")
    offsets_start = times_start + times.itemsize * header.count
    blob_start = offsets_start + offsets.itemsize * (header.count + 1)
    times.frombytes(view[times_start:offsets_start])
    offsets.frombytes(view[offsets_start:blob_start])
    return SerialisedPage(
        name=header.name,
        exists=header.exists,
        upstream=header.upstream,
        fetched=header.fetched,
        etag=header.etag,
        last_modified=header.last_modified,
        hidden=header.hidden,
        has_sizes=header.has_sizes,
        versions=tuple(header.versions),
        version_times=tuple(header.version_times),
        times=times,
        offsets=offsets,
        blob=bytes(view[blob_start:]),
    )


_DECODER = msgspec.json.Decoder(FileEntry)


def entries(page: SerialisedPage) -> Iterator[FileEntry]:
    """The files of ``page``, decoded one by one."""
    return map(_DECODER.decode, page.fragments())


def to_page(page: SerialisedPage) -> ProjectPage:
    """``page`` with one object for each file, for other rooms."""
    files = tuple(
        IndexFile(
            filename=entry.filename,
            url=entry.url,
            version=version_of(entry.filename, page.name),
            upload_time=from_microseconds(uploaded),
            hashes=tuple(f"{kind}:{value}" for kind, value in entry.hashes.items()),
            requires_python=entry.requires_python,
            size_bytes=entry.size,
            yanked=entry.yanked is True or isinstance(entry.yanked, str),
            yanked_reason=entry.yanked if isinstance(entry.yanked, str) and entry.yanked else None,
            has_metadata=bool(entry.metadata),
        )
        for entry, uploaded in zip(entries(page), page.times, strict=True)
    )
    return ProjectPage(
        name=page.name,
        exists=page.exists,
        files=files,
        hidden_files=page.hidden,
        fetched_at=from_microseconds(page.fetched),
        upstream=page.upstream,
    )
