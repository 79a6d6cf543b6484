"""Cut a page at an instant and write it: JSON (PEP 691, 700, 714) or HTML (PEP 503, 592, 658).

A page is prepared once (every file written in the requested form, side by side). Cutting it then copies
the runs of visible files; nothing is parsed or serialised again for a new instant.
"""

from __future__ import annotations

import hashlib
import html
from array import array
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from urllib.parse import quote

import msgspec

from backdate.index.http import MAX_PAGE_BYTES, IndexFailure
from backdate.index.page import FileEntry, Microseconds
from backdate.index.page_store import SerialisedPage, entries, join_fragments


class Form(Enum):
    """A form of a page, by its content type."""

    JSON = "application/vnd.pypi.simple.v1+json"
    HTML_V1 = "application/vnd.pypi.simple.v1+html"
    HTML = "text/html"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyPage:
    """A project's page, ready to be cut in one form."""

    name: str
    source: SerialisedPage
    """For its metadata; the ``blob`` is shared where nothing had to be rewritten."""
    is_json: bool
    offsets: array[int]
    blob: bytes
    ordered: array[int]
    """The sorted upload times: the position of an instant among them says which files are visible."""
    digest: bytes
    """Digest of everything that the page can show, in this form."""
    size_bytes: int

    def visible_count(self, cutoff: Microseconds) -> int:
        """How many files were uploaded strictly before ``cutoff``."""
        return bisect_left(self.ordered, cutoff)


Locate = Callable[[FileEntry], str]
"""Decides the URL of a file for clients."""


def upstream_location(entry: FileEntry) -> str:
    """The index' own URL: clients fetch files there."""
    return entry.url


def our_location(name: str) -> Locate:
    """Relative URLs: clients fetch the files of the project ``name`` through the server that shows them."""
    return lambda entry: f"../../files/{name}/{quote(entry.filename)}"


def make_ready(
    page: SerialisedPage, *, is_json: bool, keep_yanked: bool = True, locate: Locate = upstream_location
) -> ReadyPage:
    """``page`` in one form: with today's yanked flags or none, and files located where ``locate`` says."""
    if is_json and keep_yanked and locate is upstream_location:
        return _ready(page, is_json, page.offsets, page.blob)
    parts: list[bytes] = []
    size = 0
    encode = msgspec.json.Encoder().encode
    for entry in entries(page):
        if not keep_yanked:
            entry.yanked = False
        entry.url = locate(entry)
        parts.append(encode(entry) if is_json else _anchor(entry))
        size += len(parts[-1])
        if size > MAX_PAGE_BYTES:  # each quote takes six bytes in HTML
            raise IndexFailure(f"the page of {page.name!r} is larger than {MAX_PAGE_BYTES} bytes: refused")
    offsets, blob = join_fragments(parts, b"," if is_json else b"\n")
    return _ready(page, is_json, offsets, blob)


def _ready(page: SerialisedPage, is_json: bool, offsets: array[int], blob: bytes) -> ReadyPage:
    if blob is not page.blob:  # let the JSON go when only the HTML is wanted
        values = {field: getattr(page, field) for field in page.__slots__}
        page = SerialisedPage(**{**values, "blob": b"", "offsets": offsets})
    size = len(blob) + page.size_bytes - len(page.blob) + 8 * len(page.times)
    form = b"json" if is_json else b"html"
    return ReadyPage(
        name=page.name,
        source=page,
        is_json=is_json,
        offsets=offsets,
        blob=blob,
        ordered=array("q", sorted(page.times)),
        digest=hashlib.blake2b(blob, digest_size=16, person=form).digest(),
        size_bytes=size,
    )


def _anchor(entry: FileEntry) -> bytes:
    escape = html.escape
    hashes = entry.hashes
    kind = "sha256" if "sha256" in hashes else next(iter(hashes), "")
    fragment = f"#{kind}={hashes[kind]}" if kind else ""
    attributes = f' href="{escape(entry.url + fragment)}"'
    if entry.requires_python:
        attributes += f' data-requires-python="{escape(entry.requires_python)}"'
    metadata = entry.metadata
    if metadata:
        value = "true"
        if isinstance(metadata, dict) and metadata:
            name = "sha256" if "sha256" in metadata else next(iter(metadata))
            value = escape(f"{name}={metadata[name]}")
        attributes += f' data-dist-info-metadata="{value}" data-core-metadata="{value}"'
    if entry.gpg_sig is not None:
        attributes += f' data-gpg-sig="{"true" if entry.gpg_sig else "false"}"'
    if entry.yanked is True or isinstance(entry.yanked, str):
        attributes += f' data-yanked="{"" if entry.yanked is True else escape(entry.yanked)}"'
    attributes += f' data-upload-time="{escape(entry.upload_time or "")}"'
    return f"<a{attributes}>{escape(entry.filename)}</a><br/>".encode()


def cut(page: ReadyPage, cutoff: Microseconds) -> bytes:
    """The page as of ``cutoff``: what was uploaded strictly before it, which may be nothing."""
    times, offsets, blob = page.source.times, page.offsets, memoryview(page.blob)
    hidden = [i for i, uploaded in enumerate(times) if uploaded >= cutoff]
    hidden.append(len(times))
    runs: list[memoryview] = []
    start = 0
    for position in hidden:
        if position > start:
            runs.append(blob[offsets[start] : offsets[position] - 1])
        start = position + 1
    if not page.is_json:
        return b"".join((_html_head(page.name), b"\n".join(runs), b"\n</body>\n</html>\n"))
    source = page.source
    versions = msgspec.json.encode(source.versions_before(cutoff))
    # Version 1.1 of the API demands sizes: where the index gives none, 1.0 with the other keys is true.
    api = b"1.1" if source.has_sizes else b"1.0"
    head = b'{"meta":{"api-version":"%b"},"name":%b,"versions":%b,"files":[' % (
        api,
        msgspec.json.encode(page.name),
        versions,
    )
    return b"".join((head, b",".join(runs), b"]}"))


def _html_head(name: str) -> bytes:
    title = html.escape(name)
    return (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta name="pypi:repository-version" content="1.0">\n'
        f"<title>Links for {title}</title>\n</head>\n<body>\n<h1>Links for {title}</h1>\n"
    ).encode()
