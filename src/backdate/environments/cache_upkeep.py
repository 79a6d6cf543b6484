"""Keeping a cache within its bound, by hand (``backdate cache prune``); daily_upkeep.py does it by itself."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from backdate.environments.cache import Cache
from backdate.environments.cache_contents import CacheItem, list_items
from backdate.environments.cache_kinds import CacheKind
from backdate.environments.cache_removal import Removal, remove_items
from backdate.errors import UsageError
from backdate.timeline.instants import Instant

GIB = 1024**3
DEFAULT_BOUND_BYTES = 20 * GIB
BOUND_VARIABLE = "BACKDATE_CACHE_LIMIT"
PRUNED = tuple(kind for kind in CacheKind if kind is not CacheKind.BASES)
"""What a bound counts and removes unless kinds are named: environments are of no use without their base."""
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)\s*(?:([kmgt])(i?b)?|b)?", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class KindUse:
    """What a kind takes."""

    kind: CacheKind
    count: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheReport:
    """What a cache keeps, and what was removed of it (``cache size``, ``prune`` and ``clean``)."""

    folder: str
    kinds: tuple[KindUse, ...]
    """What is kept now, every kind."""
    bound_bytes: int | None
    """What it is held to; None where it may grow."""
    removed: tuple[KindUse, ...] = ()
    """With ``dry_run`` what would be removed."""
    in_use: tuple[KindUse, ...] = ()
    """What was to be removed and is in use."""
    dry_run: bool = False

    @property
    def bytes(self) -> int:
        """What all kinds take."""
        return sum(one.bytes for one in self.kinds)

    @property
    def removed_bytes(self) -> int:
        """What all that was removed took."""
        return sum(one.bytes for one in self.removed)


def bytes_of_text(text: str) -> int:
    """The bytes that "20 GiB", "500M" or "0" says; units are powers of 1024 whether or not they have an "i".

    Raises UsageError for anything else.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{text!r} is no size; write a number with a unit, such as 20GiB or 500M")
    power = "kmgt".index(match[2].lower()) + 1 if match[2] else 0
    return int(float(match[1]) * 1024**power)


def bound_of(environment: Mapping[str, str] | None = None) -> int | None:
    """The bound of the user's caches, in bytes: ``$BACKDATE_CACHE_LIMIT``, else 20 GiB; None for "none".

    Raises UsageError for a value that says neither a size nor "none".
    """
    text = (os.environ if environment is None else environment).get(BOUND_VARIABLE, "").strip()
    if text.lower() == "none":
        return None
    try:
        return bytes_of_text(text) if text else DEFAULT_BOUND_BYTES
    except UsageError as error:
        raise UsageError(f"{BOUND_VARIABLE}: {error}, or none") from error


def measure(cache: Cache) -> CacheReport:
    """What ``cache`` keeps, by kind."""
    return _report(cache, list_items(cache))


def prune(
    cache: Cache,
    *,
    to_bytes: int | None = None,
    unused_since: Instant | None = None,
    kinds: Collection[CacheKind] = PRUNED,
    dry_run: bool = False,
) -> CacheReport:
    """Remove what was not used since ``unused_since``, then the least recently used, until ``kinds`` take at
    most ``to_bytes`` together. What is in use stays."""
    items = list_items(cache)
    mine = sorted((item for item in items if item.kind in kinds), key=lambda item: item.used)
    oldest = 0.0 if unused_since is None else unused_since.timestamp()
    total, chosen = sum(item.bytes for item in mine), []
    for item in mine:
        if item.used < oldest or (to_bytes is not None and total > to_bytes):
            chosen.append(item)
            total -= item.bytes
    return _remove(cache, items, chosen, dry_run=dry_run)


def clean(cache: Cache, kinds: Collection[CacheKind], *, dry_run: bool = False) -> CacheReport:
    """Remove everything of ``kinds`` that is not in use."""
    items = list_items(cache)
    return _remove(cache, items, [item for item in items if item.kind in kinds], dry_run=dry_run)


def _remove(
    cache: Cache, items: Sequence[CacheItem], chosen: Sequence[CacheItem], *, dry_run: bool
) -> CacheReport:
    done = (
        [Removal(item=item, removed=True) for item in chosen] if dry_run else [*remove_items(cache, chosen)]
    )
    removed = [one.item for one in done if one.removed]
    gone = {(item.kind, item.name) for item in removed}
    kept = items if dry_run else [item for item in items if (item.kind, item.name) not in gone]
    in_use = [one.item for one in done if not one.removed]
    return _report(cache, kept, removed, in_use, dry_run=dry_run)


def _report(
    cache: Cache,
    items: Iterable[CacheItem],
    removed: Iterable[CacheItem] = (),
    in_use: Iterable[CacheItem] = (),
    *,
    dry_run: bool = False,
) -> CacheReport:
    return CacheReport(
        folder=str(cache.folder),
        kinds=_by_kind(items, every=True),
        bound_bytes=bound_of(),
        removed=_by_kind(removed),
        in_use=_by_kind(in_use),
        dry_run=dry_run,
    )


def _by_kind(items: Iterable[CacheItem], *, every: bool = False) -> tuple[KindUse, ...]:
    each = list(items)
    found = []
    for kind in CacheKind:
        mine = [item for item in each if item.kind is kind]
        if mine or every:
            found.append(KindUse(kind=kind, count=len(mine), bytes=sum(item.bytes for item in mine)))
    return tuple(found)
