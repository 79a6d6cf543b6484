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
from backdate.serial import decoder_of

_MAGIC = b"backdate page 2\n"
_MAGIC_1 = b"backdate page 1\n"
"""Format 1 lacks ``listed_versions``; its versions are read from files' names, and files may lack hashes."""
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
    listed_versions: list[str] | None = None


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
    listed_versions: tuple[str, ...] | None
    """All versions that the index lists, in its order, with those that no file tells the time of."""
    outdated: bool
    """Whether it was read from an earlier format: it is asked again unless offline."""
    times: array[int]
    """Upload times, in the index' order of files."""
    offsets: array[int]
    """Where each file's JSON starts in ``blob``, and after the last one where the next would."""
    blob: bytes
    """The files' JSON, separated by one comma."""

    def versions_before(self, cutoff: Microseconds) -> list[str]:
        """The versions of files uploaded before ``cutoff``; all that the index lists from ``fetched`` on.

        When a version without files was registered is not known: only what the index lists now shows it.
        """
        if self.listed_versions is not None and cutoff >= self.fetched:
            return list(self.listed_versions)
        dated = zip(self.versions, self.version_times, strict=True)
        return [version for version, first in dated if first < cutoff]

    @property
    def size_bytes(self) -> int:
        """Approximate memory in bytes."""
        versions = len(self.versions) + len(self.listed_versions or ())
        return len(self.blob) + 12 * len(self.times) + 120 * versions + 1000

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
    listed_versions: tuple[str, ...] | None = None,
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
        listed_versions=listed_versions,
        outdated=False,
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
            listed_versions=None if page.listed_versions is None else list(page.listed_versions),
        )
    )
    body = b"".join(
        (len(header).to_bytes(4, "little"), header, page.times.tobytes(), page.offsets.tobytes(), page.blob)
    )
    return _MAGIC + zlib.crc32(body).to_bytes(4, "little") + body


def unpack(data: bytes, *, what: str) -> SerialisedPage:
    """The page that a file named ``what`` holds. Raises StoredDataError when it holds none."""
    start = len(_MAGIC) + 4
    if data[: len(_MAGIC)] not in (_MAGIC, _MAGIC_1) or len(data) < start + 4:
        raise StoredDataError(f"{what} is no cached index page: delete it, it is fetched again")
    view = memoryview(data)
    if zlib.crc32(view[start:]) != int.from_bytes(data[len(_MAGIC) : start], "little"):
        raise StoredDataError(f"{what} is damaged (its checksum differs): delete it, it is fetched again")
    header_start = start + 4
    times_start = header_start + int.from_bytes(data[start:header_start], "little")
    try:
        header = decoder_of(_Header).decode(view[header_start:times_start])
    except msgspec.DecodeError as error:
        raise StoredDataError(f"{what} is damaged ({error}): delete it, it is fetched again") from error
    times = array("q")
    offsets = array("I")
    offsets_start = times_start + times.itemsize * header.count
    blob_start = offsets_start + offsets.itemsize * (header.count + 1)
    times.frombytes(view[times_start:offsets_start])
    offsets.frombytes(view[offsets_start:blob_start])
    page = SerialisedPage(
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
        listed_versions=None if header.listed_versions is None else tuple(header.listed_versions),
        outdated=data.startswith(_MAGIC_1),
        times=times,
        offsets=offsets,
        blob=bytes(view[blob_start:]),
    )
    return _with_hashes(page) if page.outdated and page.blob.count(b'"hashes"') < header.count else page


def _with_hashes(page: SerialisedPage) -> SerialisedPage:
    """``page`` of format 1 with the key ``hashes`` in each file."""
    offsets, blob = join_fragments([msgspec.json.encode(entry) for entry in entries(page)])
    values = {field: getattr(page, field) for field in page.__slots__}
    return SerialisedPage(**{**values, "offsets": offsets, "blob": blob})


_DECODER = decoder_of(FileEntry)


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
