"""Removing what a cache keeps, beside other processes that work with it.

An environment is removed under its guard, and only if it was not used since the oldest process at work began;
its record goes first, without which it does not exist. A wheel goes by the same rule. Packages are removed by
uv itself while no step sees its cache. A page is written whole and read at once, so it may go any time. The
rest goes only while nobody is at work (``cache_use.py``).
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from backdate.environments import uv
from backdate.environments.cache import Cache
from backdate.environments.cache_contents import CacheItem, uv_caches
from backdate.environments.cache_kinds import CacheKind
from backdate.environments.cache_use import nobody_at_work, used_since
from backdate.environments.lent_files import CacheUse
from backdate.environments.wheel_store import BuiltWheel
from backdate.errors import MachineError

_UV_TIMEOUT_S = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """What became of one thing that was to be removed."""

    item: CacheItem
    removed: bool
    """False where it is in use, or might be."""


def remove_items(cache: Cache, items: Iterable[CacheItem]) -> Iterator[Removal]:
    """Remove what of ``items`` nobody uses, kind by kind. Raises MachineError where something cannot go."""
    ordered = sorted(items, key=lambda item: (item.kind, item.used))
    for kind, group in groupby(ordered, key=lambda item: item.kind):
        each = list(group)
        if kind is CacheKind.ENVIRONMENTS:
            yield from (_environment(cache, item) for item in each)
        elif kind is CacheKind.WHEELS:
            yield from _wheels(cache, each)
        elif kind is CacheKind.PACKAGES:
            yield from _packages(cache, each)
        elif kind is CacheKind.PAGES:
            yield from (_page(cache, item) for item in each)
        else:
            yield from _unused_files(cache, each)


def _environment(cache: Cache, item: CacheItem) -> Removal:
    with cache.try_guard(item.name) as held:
        if not held:  # it is being made, or compared with its seal
            return Removal(item=item, removed=False)
        if _may_be_used(cache, cache.folder / "records" / f"{item.name}.json"):
            return Removal(item=item, removed=False)
        cache.discard_environment(item.name)
    return Removal(item=item, removed=True)


def _may_be_used(cache: Cache, noted: Path) -> bool:
    """Whether the time of ``noted`` says that a process at work uses what it stands for."""
    since = used_since(cache)
    try:
        return since is not None and noted.stat().st_mtime >= since
    except FileNotFoundError:
        return False  # it was not finished, or another process removes it


def _wheels(cache: Cache, items: Sequence[CacheItem]) -> Iterator[Removal]:
    names: dict[str, list[str]] = {}
    for key in cache.keys("wheels"):  # one wheel may be that of several keys
        kept = cache.read(BuiltWheel, "wheels", key)
        if kept is not None:
            names.setdefault(kept.built_as or key, []).append(key)
    for item in items:
        folder = cache.built_wheels / item.name
        if _may_be_used(cache, folder):
            yield Removal(item=item, removed=False)
            continue
        for key in names.get(item.name, ()):
            cache.forget("wheels", key)
        cache.discard(folder)
        yield Removal(item=item, removed=True)


def _packages(cache: Cache, items: Sequence[CacheItem]) -> Iterator[Removal]:
    with CacheUse(cache).alone() as alone:
        for top in uv_caches(cache) if alone else ():
            mine = [item for item in items if item.name.partition("/")[0] == top.name]
            names = [name for item in mine if (name := item.name.partition("/")[2])]
            if len(names) < len(mine):  # what belongs to no package: uv knows how to begin anew
                _uv_clean(top, [])
            elif names:
                _uv_clean(top, names)
    yield from (Removal(item=item, removed=alone) for item in items)


def _uv_clean(top: Path, names: Sequence[str]) -> None:
    """Let uv forget these packages, or everything where none is named."""
    command = [str(uv.find_uv()), "cache", "clean", "--quiet", "--no-config", "--cache-dir", str(top), *names]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=_UV_TIMEOUT_S
        )
        reason = " ".join(done.stderr.decode(errors="replace").strip().splitlines()[-1:])
    except subprocess.TimeoutExpired:
        done, reason = None, f"it did not end within {_UV_TIMEOUT_S} seconds"
    if done is None or done.returncode:
        raise MachineError(f"uv cannot clean its cache {top}: {reason}; remove that folder by hand")


def _page(cache: Cache, item: CacheItem) -> Removal:
    (cache.folder / item.name).unlink(missing_ok=True)
    return Removal(item=item, removed=True)


def _unused_files(cache: Cache, items: Sequence[CacheItem]) -> Iterator[Removal]:
    with ExitStack() as stack:
        unused = stack.enter_context(nobody_at_work(cache))
        for item in items if unused else ():
            path = cache.folder / item.name
            if item.kind is CacheKind.DOWNLOADS:  # the record of a repository or an archive goes first
                cache.forget("references", path.name)
            cache.discard(path)
    yield from (Removal(item=item, removed=unused) for item in items)
