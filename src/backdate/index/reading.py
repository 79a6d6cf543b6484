"""Parse the page of an index: JSON (PEP 691), HTML (PEP 503), or the per-project JSON API.

Each parser is a pure function from the body to the files in it. Responses are not trusted: an invalid file
(no upload time, a name with a slash, a strange URL) is left out and counted, an invalid page raises
UnusableAnswer. Nothing is guessed.
"""

from __future__ import annotations

import codecs
import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast
from urllib.parse import urljoin

import msgspec

from backdate.index.listed_versions import listed_versions
from backdate.index.names import MAX_VERSION, are_file_names, is_file_name, version_of
from backdate.index.page import FileEntry, Microseconds, parse_upload_time
from backdate.index.page_store import FileColumns
from backdate.serial import decoder_of

T = TypeVar("T")


class UnusableAnswer(ValueError):
    """The response is not a page of the simple repository API."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedPage:
    """The files of a page."""

    files: FileColumns
    hidden: int
    """How many files were left out: without an upload time, or invalid."""
    listed_versions: tuple[str, ...] | None = None
    """The versions that the index lists (PEP 700), in its order; None when it lists none."""

    @property
    def lacks_times(self) -> bool:
        """Whether there were files, but none with an upload time."""
        return self.hidden > 0 and not self.files.json


class _Meta(msgspec.Struct, rename="kebab"):
    api_version: str = "1.0"


class _JsonPage(msgspec.Struct):
    files: list[msgspec.Raw]
    versions: list[str] | None = None
    meta: _Meta = msgspec.field(default_factory=_Meta)


class _PageOfEntries(msgspec.Struct):
    files: list[FileEntry]


class _ReleaseFile(msgspec.Struct):
    filename: str
    url: str
    digests: dict[str, str] = msgspec.field(default_factory=dict)
    requires_python: str | None = None
    size: int | None = None
    upload_time_iso_8601: str | None = None
    yanked: bool = False
    yanked_reason: str | None = None


class _ProjectDocument(msgspec.Struct):
    releases: dict[str, list[msgspec.Raw]]


_MOST_PARTS = 400_000
"""Ten times the commas of the largest page on the public index."""
MOST_FILES = 50_000
"""Of a page, and versions: more than a page of the largest size has whose files have a hash."""
MOST_ENTRY_BYTES = 32 * 1024
_PIECE_BYTES = 1024 * 1024
_ENTRY = decoder_of(FileEntry)
_ENTRIES = decoder_of(_PageOfEntries)
_PAGE = decoder_of(_JsonPage)
_RELEASE_FILE = decoder_of(_ReleaseFile)
_DOCUMENT = decoder_of(_ProjectDocument)
_ENCODER = msgspec.json.Encoder()
_BRACKETED_HOST = re.compile(r"https?://\[[0-9A-Fa-f:.]+\][^\[]*\Z")
_BAD = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError)


def check_parts(body: bytes) -> None:
    """Raises UnusableAnswer for a page of so many small parts that reading them would fill the memory."""
    if any(body.count(mark) > _MOST_PARTS for mark in (b",", b"{", b"<")):
        raise UnusableAnswer(f"more than {_MOST_PARTS} parts")


def check_count(count: int, what: str) -> None:
    """Raises UnusableAnswer for a page of more files or versions than are read."""
    if count > MOST_FILES:
        raise UnusableAnswer(f"more than {MOST_FILES} {what}")


def _check_text(body: bytes) -> None:
    """Raises UnicodeDecodeError for what is not UTF-8, of which msgspec looks at the keys alone.

    A piece at a time: one wide character would make a text of four times its size.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(body), _PIECE_BYTES):
        decoder.decode(body[start : start + _PIECE_BYTES])
    decoder.decode(b"", final=True)


def has_web_address(url: str) -> bool:
    """Whether ``url`` is absolute, with http or https and only characters that a URL may have."""
    return (
        url.startswith(("https://", "http://"))
        and url.isprintable()
        and " " not in url
        and ("[" not in url or _BRACKETED_HOST.match(url) is not None)
    )


def are_web_addresses(urls: Sequence[str]) -> bool:
    """Whether ``has_web_address`` certainly holds for all: one check of all instead of thousands.

    None of them holds a backslash or a quote, either: each can stand in JSON as it is.
    """
    joined = " ".join(("", *urls))
    addresses = joined.count(" https://") + joined.count(" http://")
    odd = "[" in joined or "\\" in joined or '"' in joined
    return addresses == len(urls) == joined.count(" ") and not odd and joined.isprintable()


def read_json(body: bytes, *, base: str, name: str) -> ParsedPage:
    """The files of a PEP 691 page; ``base`` is its URL, ``name`` the project's normalised name.

    A file's JSON is kept byte for byte (with keys that are not known here), except that a relative
    URL becomes absolute. Raises UnusableAnswer for anything else.
    """
    check_parts(body)
    try:
        _check_text(body)
        page = _PAGE.decode(body)
    except _BAD as error:
        raise UnusableAnswer(f"not a JSON page of the simple repository API: {error}") from error
    if page.meta.api_version.split(".")[0] != "1":
        raise UnusableAnswer(f"version {page.meta.api_version} of the simple repository API, not 1.x")
    check_count(len(page.files), "files")
    check_count(len(page.versions or ()), "versions")
    decoded: Iterable[FileEntry | None]
    try:
        # All at once is faster, but a single huge one would be read whole.
        fit = max(map(_size, page.files), default=0) <= MOST_ENTRY_BYTES
        decoded = _ENTRIES.decode(body).files if fit else map(_entry_or_none, page.files)
    except _BAD:  # some entry is not as it has to be: look at each alone
        decoded = map(_entry_or_none, page.files)
    kept: list[FileEntry] = []
    written: list[bytes] = []
    for entry, raw in zip(decoded, page.files, strict=True):
        if entry is None:
            continue
        if entry.url.startswith(("https://", "http://")) and (entry.hashes or b'"hashes"' in bytes(raw)):
            json = bytes(raw)
        else:
            entry.url = _absolute(base, entry.url)
            json = _ENCODER.encode(entry)
        kept.append(entry)
        written.append(json)
    reading = read_entries(kept, name=name, json=written, listed=len(page.files))
    return reading if page.versions is None else _with_listed(reading, _sensible(page.versions))


def _sensible(versions: Iterable[str]) -> list[str]:
    """Without those that are no versions but a way to fill the memory, or to keep it busy."""
    return [version for version in versions if len(version) <= MAX_VERSION]


def _with_listed(reading: ParsedPage, listed: Sequence[str]) -> ParsedPage:
    versions = listed_versions(reading.files.versions, listed)
    files = replace(reading.files, versions=versions)
    return replace(reading, files=files, listed_versions=tuple(dict.fromkeys(listed)))


def _size(raw: msgspec.Raw) -> int:
    return len(memoryview(raw))


def _entry_or_none(raw: msgspec.Raw) -> FileEntry | None:
    if _size(raw) > MOST_ENTRY_BYTES:
        return None
    try:
        return _ENTRY.decode(raw)
    except _BAD:
        return None


def read_project_document(body: bytes, *, base: str, name: str) -> ParsedPage:
    """The files of a per-project JSON document (``/pypi/NAME/json``). Raises UnusableAnswer."""
    check_parts(body)
    try:
        _check_text(body)
        document = _DOCUMENT.decode(body)
    except _BAD as error:
        raise UnusableAnswer(f"not a project's JSON document: {error}") from error
    entries: list[FileEntry] = []
    versions: list[str] = []
    listed = 0
    check_count(len(document.releases), "versions")
    check_count(sum(map(len, document.releases.values())), "files")
    for version in _sensible(document.releases):
        raws = document.releases[version]
        listed += len(raws)
        for raw in raws:
            if _size(raw) > MOST_ENTRY_BYTES:
                continue
            try:
                file = _RELEASE_FILE.decode(raw)
            except _BAD:
                continue
            versions.append(version)
            entries.append(
                FileEntry(
                    filename=file.filename,
                    url=_absolute(base, file.url),
                    hashes={kind: file.digests[kind] for kind in ("sha256", "md5") if kind in file.digests},
                    requires_python=file.requires_python,
                    size=file.size,
                    upload_time=file.upload_time_iso_8601,
                    yanked=(file.yanked_reason or True) if file.yanked else False,
                )
            )
    reading = read_entries(entries, name=name, versions=versions, listed=listed)
    return replace(reading, listed_versions=tuple(_sensible(document.releases)))


def read_entries(
    entries: Sequence[FileEntry],
    *,
    name: str,
    listed: int,
    json: Sequence[bytes] | None = None,
    versions: Sequence[str] | None = None,
) -> ParsedPage:
    """Those of ``entries`` that are valid and have an upload time; the page listed ``listed`` files.

    ``json`` and ``versions``: the JSON text and the version of each entry, where the caller knows them.
    """
    json = json or [_ENCODER.encode(entry) for entry in entries]
    times: list[Microseconds | None] = [parse_upload_time(entry.upload_time) for entry in entries]
    sensible = are_file_names([entry.filename for entry in entries]) and are_web_addresses(
        [entry.url for entry in entries]
    )
    if not sensible or None in times:
        chosen = [
            index
            for index, entry in enumerate(entries)
            if times[index] is not None and is_file_name(entry.filename) and has_web_address(entry.url)
        ]
        entries, times, json = _chosen(entries, chosen), _chosen(times, chosen), _chosen(json, chosen)
        versions = _chosen(versions, chosen) if versions else versions
    files = FileColumns(
        times=array("q", cast("list[int]", times)),
        versions=versions or [version_of(entry.filename, name) for entry in entries],
        json=json,
        has_sizes=all(entry.size is not None for entry in entries),
    )
    return ParsedPage(files=files, hidden=listed - len(entries))


def _chosen(column: Sequence[T], indices: Sequence[int]) -> list[T]:
    return [column[index] for index in indices]


def _absolute(base: str, url: str) -> str:
    if has_web_address(url):
        return url
    try:
        return urljoin(base, url)
    except ValueError:
        return ""
