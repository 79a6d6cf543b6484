"""The releases that a search looks at, as the index has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from backdate.bisection.points import DistributionRelease, releases_between, releases_of
from backdate.bisection.result import Finding
from backdate.checking.sides import SidePair
from backdate.errors import SourceError
from backdate.index.upstream import IndexClient
from backdate.projects.sources.listing import fetch_listing
from backdate.sandboxes import interruption


def releases_on_index(
    names: Iterable[str], client: IndexClient
) -> tuple[dict[str, tuple[DistributionRelease, ...]], tuple[str, ...]]:
    """The releases of each distribution, and a note for each of which the index does not know any more.

    Raises IndexUnavailable, also when the index gives no upload times.
    """
    releases: dict[str, tuple[DistributionRelease, ...]] = {}
    notes: list[str] = []
    for name in names:
        try:
            # In a thread of its own: an index that does not answer must not block an interrupt.
            listing = interruption.wait_for(partial(fetch_listing, client, name))
            releases[name] = releases_of(name, listing)
        except SourceError:
            notes.append(f"{name} is not on the index any more: its releases are no instants to look at")
    return releases, tuple(notes)


def releases_shown(
    findings: Sequence[Finding], releases: dict[str, tuple[DistributionRelease, ...]], pair: SidePair
) -> tuple[DistributionRelease, ...]:
    """Of the culprits, those within the window: what a timeline shows."""
    names = sorted({culprit.name for finding in findings for culprit in finding.culprits})
    return tuple(
        release
        for name in names
        for release in releases_between(releases.get(name, ()), None, None)
        if pair.old.instant < release.uploaded < pair.new.instant
    )
