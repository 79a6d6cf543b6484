"""Reading what an index answers: JSON (PEP 691), HTML (PEP 503), or the per-project JSON API.

Each reader is a pure function from the body to the files it holds. What an index says is not
trusted: a file that makes no sense (no upload time, a name with a slash, a strange URL) is left out
and counted, a page that makes no sense is an UnusableAnswer. Nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urljoin

import msgspec

from backdate.index.names import canonical_version, is_file_name, version_of
from backdate.index.page import FileEntry, parse_upload_time
from backdate.index.serialised import Fragment


class UnusableAnswer(ValueError):
    """An index' answer that is no page of the simple repository API."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a page held."""

    fragments: tuple[Fragment, ...]
    hidden: int
    """Files left out: without an upload time, or senseless."""

    @property
    def lacks_times(self) -> bool:
        """Whether there were files and none of them can be placed in time."""
        return self.hidden > 0 and not self.fragments


class _Meta(msgspec.Struct, rename="kebab"):
    api_version: str = "1.0"


class _ProjectPage(msgspec.Struct):
    files: list[msgspec.Raw]
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


_ENTRY = msgspec.json.Decoder(FileEntry)
_ENTRIES = msgspec.json.Decoder(_PageOfEntries)
_PAGE = msgspec.json.Decoder(_ProjectPage)
_RELEASE_FILE = msgspec.json.Decoder(_ReleaseFile)
_DOCUMENT = msgspec.json.Decoder(_ProjectDocument)
_ENCODER = msgspec.json.Encoder()
_BRACKETED_HOST = re.compile(r"https?://\[[0-9A-Fa-f:.]+\][^\[]*\Z")
_BAD = (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError)


def has_web_address(url: str) -> bool:
    """Whether ``url`` is absolute, with the scheme of the web and no character that a URL cannot have."""
    return (
        url.startswith(("https://", "http://"))
        and url.isprintable()
        and " " not in url
        and ("[" not in url or _BRACKETED_HOST.match(url) is not None)
    )


def read_json(body: bytes, *, base: str, name: str) -> Reading:
    """The files of a PEP 691 page; ``base`` is its URL, ``name`` the project's normalised name.

    A file's JSON is kept byte for byte (with keys that are not known here), except that a relative
    URL becomes absolute. Raises UnusableAnswer when it is no such page.
    """
    try:
        body.decode()
        page = _PAGE.decode(body)
    except _BAD as error:
        raise UnusableAnswer(f"not a JSON page of the simple repository API: {error}") from error
    if page.meta.api_version.split(".")[0] != "1":
        raise UnusableAnswer(f"version {page.meta.api_version} of the simple repository API, not 1.x")
    try:
        found: Iterable[FileEntry | None] = _ENTRIES.decode(body).files
    except _BAD:  # some entry is not as it has to be: look at each alone
        found = map(_entry_or_none, page.files)
    fragments: list[Fragment] = []
    for entry, raw in zip(found, page.files, strict=True):
        if entry is None:
            continue
        json: bytes | None = bytes(raw)
        if not entry.url.startswith(("https://", "http://")):
            entry.url, json = _absolute(base, entry.url), None
        fragment = to_fragment(entry, name, json=json)
        if fragment is not None:
            fragments.append(fragment)
    return Reading(fragments=tuple(fragments), hidden=len(page.files) - len(fragments))


def _entry_or_none(raw: msgspec.Raw) -> FileEntry | None:
    try:
        return _ENTRY.decode(raw)
    except _BAD:
        return None


def read_project_document(body: bytes, *, base: str, name: str) -> Reading:
    """The files of a per-project JSON document (``/pypi/NAME/json``). Raises UnusableAnswer."""
    try:
        body.decode()
        document = _DOCUMENT.decode(body)
    except _BAD as error:
        raise UnusableAnswer(f"not a project's JSON document: {error}") from error
    fragments: list[Fragment] = []
    count = 0
    for version, raws in document.releases.items():
        count += len(raws)
        for raw in raws:
            try:
                file = _RELEASE_FILE.decode(raw)
            except _BAD:
                continue
            entry = FileEntry(
                filename=file.filename,
                url=_absolute(base, file.url),
                hashes={kind: file.digests[kind] for kind in ("sha256", "md5") if kind in file.digests},
                requires_python=file.requires_python,
                size=file.size,
                upload_time=file.upload_time_iso_8601,
                yanked=(file.yanked_reason or True) if file.yanked else False,
            )
            fragment = to_fragment(entry, name, version=canonical_version(version))
            if fragment is not None:
                fragments.append(fragment)
    return Reading(fragments=tuple(fragments), hidden=count - len(fragments))


def read_entries(found: Iterator[FileEntry], *, name: str) -> Reading:
    """The files among ``found`` that can be placed in time."""
    fragments: list[Fragment] = []
    count = 0
    for entry in found:
        count += 1
        fragment = to_fragment(entry, name)
        if fragment is not None:
            fragments.append(fragment)
    return Reading(fragments=tuple(fragments), hidden=count - len(fragments))


def to_fragment(
    entry: FileEntry, name: str, *, json: bytes | None = None, version: str | None = None
) -> Fragment | None:
    """``entry`` as it is kept, its JSON being ``json`` if given; None when it has to be left out."""
    uploaded = parse_upload_time(entry.upload_time)
    if uploaded is None or not is_file_name(entry.filename) or not has_web_address(entry.url):
        return None
    return Fragment(
        uploaded=uploaded,
        filename=entry.filename,
        version=version or version_of(entry.filename, name),
        json=json or _ENCODER.encode(entry),
        has_size=entry.size is not None,
    )


def _absolute(base: str, url: str) -> str:
    if has_web_address(url):
        return url
    try:
        return urljoin(base, url)
    except ValueError:
        return ""
