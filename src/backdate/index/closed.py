"""An index of exactly the files of a lock, and a record of which files are taken from an index.

Behind a server it shows builds nothing but what was locked; with nothing named it shows all, and tells
afterwards which files a build took, so that these can be locked.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from types import TracebackType
from typing import Self

from backdate.index.application import ServerOptions
from backdate.index.cache import DiskCache
from backdate.index.names import canonical_version, normalise, version_of
from backdate.index.page import FileEntry, Microseconds
from backdate.index.page_store import FileColumns, SerialisedPage, entries, serialise
from backdate.index.routes import FileRoute, parse_path
from backdate.index.server import SnapshotServer
from backdate.index.upstream import IndexClient


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedFiles:
    """Of one release, the files that are shown."""

    name: str
    """Normalised."""
    version: str
    hashes: frozenset[str] = frozenset()
    """"sha256:…"; empty for every file of the release."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class TakenFile:
    """A file that was handed out."""

    name: str
    """Of the project, normalised."""
    filename: str


class ClosedIndexClient(IndexClient):
    """Shows of every project the allowed files alone; everything where ``allowed`` is None."""

    def __init__(self, allowed: Iterable[AllowedFiles] | None, *, upstream: str, cache: DiskCache) -> None:
        super().__init__(upstreams=(upstream,), cache=cache)
        self._allowed: dict[str, dict[str, list[AllowedFiles]]] | None = None
        if allowed is not None:
            self._allowed = {}
            for one in allowed:
                releases = self._allowed.setdefault(normalise(one.name), {})
                releases.setdefault(canonical_version(one.version), []).append(one)
        self._filtered: dict[str, tuple[SerialisedPage, SerialisedPage]] = {}
        self._filtering = threading.Lock()
        self._withheld: set[str] = set()

    def serialised_page(self, name: str, at: Microseconds | None) -> SerialisedPage:
        """See ``IndexClient``."""
        return self._shown(super().serialised_page(name, at))

    def cached_page(self, name: str, at: Microseconds | None) -> SerialisedPage | None:
        """See ``IndexClient``."""
        page = super().cached_page(name, at)
        return None if page is None else self._shown(page)

    def withheld(self) -> tuple[str, ...]:
        """The projects that were asked for and of which no file is allowed; normalised names."""
        with self._filtering:
            return tuple(sorted(self._withheld))

    def _shown(self, page: SerialisedPage) -> SerialisedPage:
        if self._allowed is None:
            return page
        with self._filtering:
            if page.name not in self._allowed:
                self._withheld.add(page.name)
            known = self._filtered.get(page.name)
            if known is None or known[0] is not page:
                known = self._filtered[page.name] = (
                    page,
                    _with_allowed(page, self._allowed.get(page.name, {})),
                )
            return known[1]


class FilesServer:
    """A server of the allowed files, or of all; use as a context manager."""

    def __init__(self, allowed: Iterable[AllowedFiles] | None, *, upstream: str, cache: Path) -> None:
        """``allowed``: None for every file. ``cache``: the folder in which pages and files are kept."""
        self._log = StringIO()
        self._client = ClosedIndexClient(allowed, upstream=upstream, cache=DiskCache(cache))
        self._server = SnapshotServer(self._client, ServerOptions(files="through"), log=self._log)

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        self._client.close()

    def stop(self) -> None:
        """Serve no more; after that every file is in ``taken``."""
        self._server.close()

    @property
    def url(self) -> str:
        """The index of the files; clients cut it at their instants themselves."""
        return self._server.url(None)

    @property
    def taken(self) -> tuple[TakenFile, ...]:
        """The files that were handed out whole; complete once it is stopped."""
        found = set()
        for line in self._log.getvalue().splitlines():
            _, _, _, path, status, _ = line.split(" ")
            route = parse_path(path.encode("ascii", "replace"))
            if status == "200" and isinstance(route, FileRoute) and not route.metadata:
                found.add(TakenFile(name=route.name, filename=route.filename))
        return tuple(sorted(found))

    @property
    def withheld(self) -> tuple[str, ...]:
        """See ``ClosedIndexClient``."""
        return self._client.withheld()

    def releases(self, files: Iterable[TakenFile]) -> tuple[AllowedFiles, ...]:
        """The releases and hashes of files that were taken, by name and version."""
        found: dict[tuple[str, str], set[str]] = {}
        for file in files:
            page = self._client.cached_page(file.name, None) or self._client.serialised_page(file.name, None)
            version = version_of(file.filename, file.name)
            hashes = next((one.hashes for one in entries(page) if one.filename == file.filename), None)
            if version is not None and hashes:
                known = found.setdefault((file.name, version), set())
                known.update(f"{kind}:{value}" for kind, value in hashes.items())
        return tuple(
            AllowedFiles(name=name, version=version, hashes=frozenset(hashes))
            for (name, version), hashes in sorted(found.items())
        )


def _with_allowed(page: SerialisedPage, releases: Mapping[str, list[AllowedFiles]]) -> SerialisedPage:
    kept = [
        (fragment, uploaded, version)
        for fragment, entry, uploaded in zip(page.fragments(), entries(page), page.times, strict=True)
        if (version := version_of(entry.filename, page.name)) is not None
        and any(_is_allowed(entry, one) for one in releases.get(version, ()))
    ]
    files = FileColumns(
        times=array("q", (uploaded for _, uploaded, _ in kept)),
        versions=tuple(version for _, _, version in kept),
        json=tuple(bytes(fragment) for fragment, _, _ in kept),
        has_sizes=page.has_sizes,
    )
    listed = None if page.listed_versions is None else tuple(dict.fromkeys(files.versions))
    return serialise(
        page.name,
        files,
        upstream=page.upstream,
        fetched=page.fetched,
        exists=page.exists,
        hidden=page.hidden,
        listed_versions=tuple(one for one in listed if one is not None) if listed is not None else None,
    )


def _is_allowed(entry: FileEntry, release: AllowedFiles) -> bool:
    return not release.hashes or any(
        f"{kind}:{value}" in release.hashes for kind, value in entry.hashes.items()
    )
