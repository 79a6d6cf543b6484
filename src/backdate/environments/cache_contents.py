"""What a cache keeps, by kind: each thing that can be removed by itself, its size and when it was last used.

What an environment and an unpacked wheel take on disk is measured once: they are never written again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from backdate.environments.cache import Cache
from backdate.environments.cache_kinds import CacheKind

_MEASURED = "measured"
_ROOM = "sizes"


FOLDERS: dict[CacheKind, tuple[str, ...]] = {
    CacheKind.DOWNLOADS: ("downloads", "references"),
    CacheKind.PAGES: ("index",),
    CacheKind.RESULTS: ("runs", "logs", "suite-runs", "probes", "api-answers"),
    CacheKind.RESOLUTIONS: (
        *("locks", "layers", "choices", "extractions", "announcements", "modules", "neighbours"),
    ),
    CacheKind.BASES: ("systems", "services"),
}
"""The folders of the kinds that are nothing but folders of files. What lies in none of them (proven recipes,
data sets that are being built, clones) is never removed by the commands for the cache."""
UNITS_BELOW = {"runs": 1, "downloads": 2, "references": 2, "systems": 0, "services": 0}
"""How far below its folder one thing lies, where that is not a file. Base systems go together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheItem:
    """One thing in a cache that can be removed by itself."""

    kind: CacheKind
    name: str
    """The key of an environment or a wheel, the name of a package, else the path below the cache."""
    bytes: int
    """On disk."""
    used: float
    """When it was last used, as far as that is known, else when it was made; seconds since 1970."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredSizes:
    """What was measured before: bytes on disk by path below the cache."""

    sizes: dict[str, int] = field(default_factory=dict)


def list_items(cache: Cache, kinds: Iterable[CacheKind] = tuple(CacheKind)) -> list[CacheItem]:
    """Everything that ``cache`` keeps of these kinds; what another process removes meanwhile is left out."""
    sizes = _Sizes(cache)
    found = [item for kind in kinds for item in _LISTED[kind](cache, kind, sizes)]
    sizes.keep()
    return found


def environment_folders(cache: Cache) -> list[str]:
    """The keys of all environments, finished or not."""
    named = (path.name for folder in (cache.environments, cache.built) for path in _entries(folder))
    return sorted({*cache.keys("records"), *named})


def uv_caches(cache: Cache) -> list[Path]:
    """uv's caches: its own, and one for each other base system."""
    return [path for path in _entries(cache.clean) if path.name == "uv" or path.name.startswith("uv-")]


def folder_bytes(folder: Path) -> int:
    """What a folder, or a file, takes on disk; without what builds left too deep for a path."""
    try:
        total = folder.lstat().st_blocks * 512
    except FileNotFoundError:
        return 0
    waiting = [os.fspath(folder)]
    while waiting:  # os.walk of Python 3.11 calls itself for each folder
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:  # a file, what is gone or closed by now, and what is too deep
            continue
    return total


class _Sizes:
    """Measures what never changes once."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        kept = cache.read(MeasuredSizes, _ROOM, _MEASURED)
        self._known = {} if kept is None else kept.sizes

    def of(self, path: Path) -> int:
        name = str(path.relative_to(self._cache.folder))
        if name not in self._known:
            self._known[name] = folder_bytes(path)
        return self._known[name]

    def keep(self) -> None:
        gone = [name for name in self._known if not os.path.lexists(self._cache.folder / name)]
        kept = {name: size for name, size in self._known.items() if name not in gone}
        self._cache.write(_ROOM, _MEASURED, MeasuredSizes(sizes=kept))


def _environments(cache: Cache, kind: CacheKind, sizes: _Sizes) -> Iterator[CacheItem]:
    for key in environment_folders(cache):
        record = cache.folder / "records" / f"{key}.json"
        roots = [folder / key for folder in (cache.environments, cache.built)]
        finished = record.exists()
        size = sum(sizes.of(root) if finished else folder_bytes(root) for root in roots if root.exists())
        used = max(_time(record), 0.0 if finished else max(map(_time, roots)))
        yield CacheItem(kind=kind, name=key, bytes=size, used=used)


def _packages(cache: Cache, kind: CacheKind, sizes: _Sizes) -> Iterator[CacheItem]:
    for top in uv_caches(cache):
        for name, folders in _by_package(top).items():
            archives = {
                link.resolve() for folder in folders for link in _entries(folder) if link.is_symlink()
            }
            inside = [path for path in archives if path.is_relative_to(top) and path.exists()]
            yield CacheItem(
                kind=kind,
                name=f"{top.name}/{name}",
                bytes=sum(map(sizes.of, inside)) + sum(map(folder_bytes, folders)),
                used=max(map(_time, folders)),
            )
        rest = [path for path in _entries(top) if not path.name.startswith(("wheels-v", "archive-v"))]
        yield CacheItem(
            kind=kind,
            name=f"{top.name}/",
            bytes=sum(map(folder_bytes, rest)),
            used=max(map(_time, rest), default=0.0),
        )


def _by_package(top: Path) -> dict[str, list[Path]]:
    """The folders of the wheels of each package in a cache of uv."""
    found: dict[str, list[Path]] = {}
    for bucket in top.glob("wheels-v*"):
        for folder in (*bucket.glob("pypi/*"), *bucket.glob("index/*/*")):
            if folder.is_dir():
                found.setdefault(folder.name, []).append(folder)
    return found


def _wheels(cache: Cache, kind: CacheKind, sizes: _Sizes) -> Iterator[CacheItem]:
    for folder in _entries(cache.built_wheels):
        yield CacheItem(kind=kind, name=folder.name, bytes=sizes.of(folder), used=_time(folder))


def _files(cache: Cache, kind: CacheKind, _: _Sizes) -> Iterator[CacheItem]:
    for name in FOLDERS[kind]:
        top = cache.folder / name
        paths = _below(top, UNITS_BELOW[name]) if name in UNITS_BELOW else _all_files(top)
        for path in paths:
            path_name = str(path.relative_to(cache.folder))
            yield CacheItem(kind=kind, name=path_name, bytes=folder_bytes(path), used=_time(path))


def _below(top: Path, levels: int) -> Iterator[Path]:
    if levels and top.is_dir() and not top.is_symlink():
        for path in _entries(top):
            yield from _below(path, levels - 1)
    elif os.path.lexists(top):
        yield top


def _all_files(top: Path) -> Iterator[Path]:
    for parent, _, files in os.walk(top):
        yield from (Path(parent, name) for name in sorted(files))


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):  # another process may have removed it
        return []


def _time(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except FileNotFoundError:
        return 0.0


_LISTED: dict[CacheKind, Callable[[Cache, CacheKind, _Sizes], Iterator[CacheItem]]] = {
    CacheKind.ENVIRONMENTS: _environments,
    CacheKind.PACKAGES: _packages,
    CacheKind.WHEELS: _wheels,
    **dict.fromkeys(FOLDERS, _files),
}
