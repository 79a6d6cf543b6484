"""Snapshot bundles: the part of an index that a set of lock files needs, in one file.

A bundle is a zip archive: ``bundle.json`` says what is in it, ``pages/N.json`` are pages of the
simple repository API (PEP 691), ``files/SHA256`` are files. Importing one fills a cache on a machine
without a network, which ``--offline`` serves. A bundle is checked like the response of any index.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import msgspec

from backdate.errors import SourceError, UsageError
from backdate.index.addresses import check_upstream
from backdate.index.cache import MAX_ENTRY_BYTES, DiskCache
from backdate.index.files import FileStore, Wanted, wanted
from backdate.index.forward_stream import BROKEN
from backdate.index.http import MAX_PAGE_BYTES
from backdate.index.lock_files import Need
from backdate.index.names import is_project_name, normalise, version_of
from backdate.index.page import FileEntry, Microseconds, to_microseconds
from backdate.index.page_store import SerialisedPage, entries, serialise
from backdate.index.reading import UnusableAnswer, read_json
from backdate.index.upstream import IndexClient
from backdate.progress import NO_PROGRESS, Activity, Reporter
from backdate.serial import decoder_of
from backdate.timeline.instants import Instant

_FORMAT = 1
_DATE = (1980, 1, 1, 0, 0, 0)


class _BundledPage(msgspec.Struct):
    upstream: str
    name: str
    fetched: Microseconds
    exists: bool
    hidden: int


class _Manifest(msgspec.Struct):
    format: int
    pages: list[_BundledPage]
    files: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleSummary:
    """How much was written or read."""

    pages: int
    files: int
    size_bytes: int


def export_bundle(
    client: IndexClient,
    needs: Iterable[Need],
    path: Path,
    *,
    until: Instant | None = None,
    with_files: bool = False,
    progress: Reporter = NO_PROGRESS,
) -> BundleSummary:
    """Write what ``needs`` names to ``path``: pages (cut at ``until``), and the files when ``with_files``.

    Raises UsageError when the index lacks something that a lock names, IndexFailure when it cannot be asked.
    """
    at = None if until is None else to_microseconds(until)
    by_name: dict[str, list[Need]] = {}
    for need in needs:
        by_name.setdefault(need.name, []).append(need)
    pages: list[SerialisedPage] = []
    files: dict[str, Wanted] = {}
    lacking: list[str] = []
    for number, name in enumerate(sorted(by_name), start=1):
        progress.report(Activity(text=f"page {number} of {len(by_name)}: {name}"))
        page = client.serialised_page(name, at)
        page = page if at is None else _cut(page, at)
        pages.append(page)
        for need in by_name[name]:
            needed = _files_of(page, need)
            if not page.exists or (need.version is not None and not needed):
                lacking.append(need.name if need.version is None else f"{need.name}=={need.version}")
            for entry in needed if with_files else ():
                files.update(_wanted_files(entry))
    if lacking:
        raise UsageError(
            f"the index has no file of: {', '.join(lacking)}; look at the names and at the instant"
        )
    store = FileStore(client.fetcher, client.cache, offline=client.offline)
    return _write(path, pages, files, store, progress)


def _cut(page: SerialisedPage, at: Microseconds) -> SerialisedPage:
    files = b",".join(
        fragment for fragment, uploaded in zip(page.fragments(), page.times, strict=True) if uploaded < at
    )
    content = b'{"files":[%b]%b}' % (files, _versions_key(page, at))
    reading = read_json(content, base=page.upstream, name=page.name)
    return serialise(
        page.name,
        reading.files,
        upstream=page.upstream,
        fetched=min(page.fetched, at),
        exists=page.exists,
        hidden=page.hidden,
        listed_versions=None if page.listed_versions is None else tuple(page.versions_before(at)),
    )


def _versions_key(page: SerialisedPage, at: Microseconds) -> bytes:
    """The key ``versions`` of a page as of ``at``, where its index lists them."""
    if page.listed_versions is None:
        return b""
    return b',"versions":%b' % msgspec.json.encode(page.versions_before(at))


def _files_of(page: SerialisedPage, need: Need) -> list[FileEntry]:
    if need.version is None:
        return []
    candidates = [entry for entry in entries(page) if version_of(entry.filename, page.name) == need.version]
    if not need.hashes:
        return candidates
    return [entry for entry in candidates if any(f"{k}:{v}" in need.hashes for k, v in entry.hashes.items())]


def _wanted_files(entry: FileEntry) -> dict[str, Wanted]:
    both = (wanted(entry, metadata=False), wanted(entry, metadata=True))
    return {want.sha256: want for want in both if want is not None and want.sha256 is not None}


def _write(
    path: Path, pages: list[SerialisedPage], files: dict[str, Wanted], store: FileStore, progress: Reporter
) -> BundleSummary:
    manifest = _Manifest(
        format=_FORMAT,
        pages=[
            _BundledPage(
                upstream=page.upstream,
                name=page.name,
                fetched=page.fetched,
                exists=page.exists,
                hidden=page.hidden,
            )
            for page in pages
        ],
        files=sorted(files),
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as raw, zipfile.ZipFile(raw, "w", allowZip64=True) as archive:
            _add(
                archive,
                "bundle.json",
                msgspec.json.format(msgspec.json.encode(manifest), indent=1),
                zipfile.ZIP_DEFLATED,
            )
            for number, page in enumerate(pages):
                content = b'{"meta":{"api-version":"1.0"},"name":%b,"files":[%b]%b}' % (
                    msgspec.json.encode(page.name),
                    page.blob,
                    _versions_key(page, page.fetched),
                )
                _add(archive, f"pages/{number}.json", content, zipfile.ZIP_DEFLATED)
            for number, sha256 in enumerate(sorted(files), start=1):
                progress.report(Activity(text=f"file {number} of {len(files)}"))
                delivery = store.deliver(files[sha256])
                info = zipfile.ZipInfo(f"files/{sha256}", _DATE)
                with closing(delivery), archive.open(info, "w", force_zip64=True) as member:
                    for chunk in delivery.chunks:
                        member.write(chunk)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return BundleSummary(pages=len(pages), files=len(files), size_bytes=path.stat().st_size)


def _add(archive: zipfile.ZipFile, name: str, content: bytes, method: int) -> None:
    info = zipfile.ZipInfo(name, _DATE)
    info.compress_type = method
    archive.writestr(info, content)


def import_bundle(path: Path, cache: DiskCache) -> BundleSummary:
    """Fill ``cache`` with what the bundle at ``path`` holds: all of it, or nothing when any of it is unsound.

    Raises SourceError for an unsound one.
    """
    try:
        cache.folder.mkdir(parents=True, exist_ok=True)
        with (
            tempfile.TemporaryDirectory(dir=cache.folder, prefix=".import-") as folder,
            zipfile.ZipFile(path) as archive,
        ):
            manifest = decoder_of(_Manifest).decode(_read(archive, "bundle.json"))
            if manifest.format != _FORMAT:
                raise SourceError(
                    f"{path} has the bundle format {manifest.format}; this backdate reads {_FORMAT}"
                )
            checked = DiskCache(Path(folder), max_bytes=sys.maxsize)
            for number, page in enumerate(manifest.pages):
                _import_page(_read(archive, f"pages/{number}.json"), page, checked)
            for sha256 in manifest.files:
                _import_file(archive, sha256, checked)
            _take_over(checked, cache)
    except (*BROKEN, KeyError, msgspec.DecodeError, UnusableAnswer, UsageError) as error:
        if isinstance(error, SourceError):
            raise
        raise SourceError(f"{path} is no sound snapshot bundle: {error}") from error
    return BundleSummary(pages=len(manifest.pages), files=len(manifest.files), size_bytes=path.stat().st_size)


def _take_over(checked: DiskCache, cache: DiskCache) -> None:
    """Move the entries of ``checked``, which lies in the same file system, to ``cache``."""
    for root, _, names in os.walk(checked.folder):
        for name in names:
            source = Path(root) / name
            target = cache.folder / source.relative_to(checked.folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            size = source.stat().st_size
            source.replace(target)
            cache.grew(size)


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(name) as member:
        content = member.read(MAX_PAGE_BYTES + 1)
    if len(content) > MAX_PAGE_BYTES:
        raise SourceError(f"{name} in the bundle is larger than {MAX_PAGE_BYTES} bytes")
    return content


def _import_page(content: bytes, bundled: _BundledPage, cache: DiskCache) -> None:
    upstream = check_upstream(bundled.upstream)
    if not is_project_name(bundled.name) or bundled.name != normalise(bundled.name):
        raise SourceError(f"the bundle names a project {bundled.name!r}")
    reading = read_json(content, base=f"{upstream}{bundled.name}/", name=bundled.name)
    page = serialise(
        bundled.name,
        reading.files,
        upstream=upstream,
        fetched=bundled.fetched,
        exists=bundled.exists,
        hidden=bundled.hidden + reading.hidden,
        listed_versions=reading.listed_versions,
    )
    if not cache.store_page(page):
        raise SourceError(f"the cache {cache.folder} cannot be written")


def _import_file(archive: zipfile.ZipFile, sha256: str, cache: DiskCache) -> None:
    if len(sha256) != 64 or not set(sha256) <= set("0123456789abcdef"):
        raise SourceError(f"the bundle names a file {sha256!r}, which is no SHA-256")
    target = cache.file_path(sha256)
    target.parent.mkdir(parents=True, exist_ok=True)
    state = hashlib.sha256()
    size = 0
    with (
        archive.open(f"files/{sha256}") as member,
        tempfile.NamedTemporaryFile(dir=target.parent, prefix=".part-", delete=False) as temporary,
    ):
        try:
            while chunk := member.read(256 * 1024):
                size += len(chunk)
                if size > 16 * MAX_ENTRY_BYTES:
                    raise SourceError(f"the file {sha256} in the bundle is too large")
                state.update(chunk)
                temporary.write(chunk)
            if state.hexdigest() != sha256:
                raise SourceError(f"the file {sha256} in the bundle has the hash {state.hexdigest()}")
            temporary.close()
            Path(temporary.name).replace(target)
        finally:
            Path(temporary.name).unlink(missing_ok=True)
    cache.grew(size)
