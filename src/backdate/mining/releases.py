"""The releases of a distribution between two versions or instants, and the sources in their archives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import Version

from backdate.index.upstream import IndexClient
from backdate.projects.sources.archives import read_members
from backdate.projects.sources.download import download, new_client
from backdate.projects.sources.listing import ListedFile, fetch_listing
from backdate.timeline.instants import Instant

MOST_BYTES = 256 * 1024 * 1024
_MOST_FILES = 8_000
_LARGEST_FILE = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseBounds:
    """The ends of a range of releases: each a version or an instant."""

    first: Version | Instant
    last: Version | Instant
    until: Instant | None = None
    """Files that were uploaded then or later do not count, whatever their version."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseSources:
    """The modules of one release."""

    version: Version
    sources: dict[str, str]
    """By dotted name; of a package its ``__init__``."""
    packages: frozenset[str]
    compiled: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseSeries:
    """A minor release, "2.1", as its newest archive shows it."""

    file: ListedFile
    first: Version
    """The first release of the series."""


def releases_between(
    client: IndexClient, name: str, bounds: ReleaseBounds, *, most_bytes: int = MOST_BYTES
) -> tuple[ReleaseSeries, ...]:
    """One archive for each minor release in ``bounds``, the newest of its series, from the oldest.

    A wheel for any or some machine before an sdist, none larger than ``most_bytes`` as the index says. Raises
    SourceError and IndexUnavailable.
    """
    files = [
        file
        for file in fetch_listing(client, name)
        if not file.yanked and not file.version.is_prerelease and _is_within(file, bounds)
    ]
    chosen: dict[tuple[int, ...], ListedFile] = {}
    for file in sorted(files, key=lambda file: (file.version, _fitness(file, most_bytes))):
        if _fitness(file, most_bytes) > 0:
            chosen[file.version.release[:2]] = file
    first: dict[tuple[int, ...], Version] = {}
    for file in files:
        series = file.version.release[:2]
        first[series] = min(file.version, first.get(series, file.version))
    return tuple(
        ReleaseSeries(file=file, first=first[series])
        for series, file in sorted(chosen.items(), key=lambda pair: pair[1].version)
    )


def _is_within(file: ListedFile, bounds: ReleaseBounds) -> bool:
    if bounds.until is not None and file.uploaded >= bounds.until:
        return False
    after = (
        file.version >= bounds.first if isinstance(bounds.first, Version) else file.uploaded >= bounds.first
    )
    before = file.version <= bounds.last if isinstance(bounds.last, Version) else file.uploaded < bounds.last
    return after and before


def _fitness(file: ListedFile, most_bytes: int) -> int:
    """How well its sources can be read: wheels of Linux first, the others, then sdists."""
    if file.size_bytes is not None and file.size_bytes > most_bytes:
        return 0
    if file.filename.endswith(".whl"):
        try:
            tags = {tag.platform for tag in parse_wheel_filename(file.filename)[3]}
        except InvalidWheelFilename:
            return 0
        return 3 if "any" in tags else 2 + any("linux" in tag and "x86_64" in tag for tag in tags)
    return 1 if file.sdist else 0


def read_release(
    file: ListedFile, cache: Path, *, most_bytes: int = MOST_BYTES, most_s: float | None = None
) -> ReleaseSources:
    """The modules of an archive; tests and what is bundled of others are left out.

    ``most_s``: for fetching it. Raises SourceError and IndexUnavailable.
    """
    with new_client() as client:
        archive = download(client, file, cache, most_bytes=most_bytes, most_s=most_s)
    members = read_members(
        archive,
        lambda name: name.endswith((".py", ".so", ".pyd")) and not _is_left_out(name),
        what=file.filename,
        most_files=_MOST_FILES,
        most_bytes=_LARGEST_FILE,
    )
    sources: dict[str, str] = {}
    packages: set[str] = set()
    compiled: set[str] = set()
    for path, data in members.items():
        parts = _parts_of(path, file)
        if not parts:
            continue
        leaf = parts[-1]
        if leaf.endswith(".py"):
            dotted = ".".join((*parts[:-1], *(() if leaf == "__init__.py" else (leaf[:-3],))))
            if not dotted or not all(part.isidentifier() for part in dotted.split(".")):
                continue
            sources[dotted] = data.decode("utf-8", "replace")
            if leaf == "__init__.py":
                packages.add(dotted)
        else:
            compiled.add(".".join((*parts[:-1], leaf.partition(".")[0])))
    return ReleaseSources(
        version=file.version,
        sources=sources,
        packages=frozenset(packages),
        compiled=frozenset(compiled - set(sources)),
    )


def _is_left_out(name: str) -> bool:
    parts = name.split("/")
    return any(
        part in ("tests", "test", "testing_data", "_vendor", "vendored", "benchmarks") for part in parts
    )


def _parts_of(path: str, file: ListedFile) -> Sequence[str]:
    """The path below the root of modules; empty for what is no module of an sdist."""
    parts = path.split("/")
    if file.filename.endswith(".whl"):
        return () if parts[0].endswith((".data", ".dist-info")) else parts
    inner = parts[1:]
    if inner[:1] in (["src"], ["lib"]):
        inner = inner[1:]
    return () if len(inner) < 2 or inner[0] in ("doc", "docs", "examples", "tools", "scripts") else inner
