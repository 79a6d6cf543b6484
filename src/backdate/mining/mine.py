"""``backdate rules mine``: the releases of distributions between two ends, read and compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from backdate.errors import SourceError
from backdate.index.upstream import IndexClient
from backdate.mining.candidates import MinedRelease, RuleCandidate, candidates_of, mine_release
from backdate.mining.releases import ReleaseBounds, read_release, releases_between


@dataclass(frozen=True, slots=True, kw_only=True)
class MinedDistribution:
    """What a distribution's releases announced."""

    distribution: str
    releases: tuple[str, ...]
    """The versions read, from the oldest."""
    announcements: int
    candidates: tuple[RuleCandidate, ...]
    unread: tuple[str, ...]
    """Archives that are damaged or too large."""


def mine(
    client: IndexClient,
    distribution: str,
    bounds: ReleaseBounds,
    *,
    cache: Path,
    tell: Callable[[str], None] | None = None,
) -> MinedDistribution:
    """Read one archive of each minor release. Raises SourceError and IndexUnavailable."""
    read: list[MinedRelease] = []
    unread: list[str] = []
    for series in releases_between(client, distribution, bounds):
        file = series.file
        if tell is not None:
            tell(f"reading {file.filename}")
        try:
            read.append(mine_release(read_release(file, cache), first=series.first))
        except SourceError:
            unread.append(file.filename)
    return MinedDistribution(
        distribution=distribution,
        releases=tuple(str(release.version) for release in read),
        announcements=sum(len(release.announcements) for release in read),
        candidates=candidates_of(read),
        unread=tuple(unread),
    )
