"""The first release that a bound keeps away: which one the index knows, and what a run with it breaks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from backdate.checking.own_bounds import OwnBound
from backdate.errors import SourceError
from backdate.index.upstream import IndexClient
from backdate.projects.sources.listing import ListedFile, fetch_listing
from backdate.text import UNREADABLE
from backdate.timeline.instants import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstAbove:
    """The first release above a bound."""

    version: str
    uploaded: Instant
    """When its first file was."""
    broken: frozenset[str] | None = None
    """The tests that break with it; None where nobody saw that."""


def first_above(bound: OwnBound, before: Instant, index: IndexClient) -> FirstAbove | None:
    """The first final release above ``bound`` that the index had at ``before``; None where it knows none.

    Raises IndexUnavailable when the index does not answer.
    """
    try:
        files = fetch_listing(index, bound.distribution)
    except SourceError:
        return None  # it came from elsewhere
    return lowest_above(bound.specifier, before, files)


def lowest_above(specifier: str, before: Instant, files: Iterable[ListedFile]) -> FirstAbove | None:
    """The lowest of all final releases above those that ``specifier`` allows, of ``files`` before an instant.

    None also where it allows none of them: nobody can say what is above it then.
    """
    bound = SpecifierSet(specifier)
    uploaded: dict[Version, Instant] = {}
    for file in files:
        if file.uploaded < before and not file.yanked:
            uploaded[file.version] = min(file.uploaded, uploaded.get(file.version, file.uploaded))
    try:
        allowed = [version for version in uploaded if bound.contains(version, prereleases=True)]
    except UNREADABLE:
        return None
    if not allowed:
        return None
    highest = max(allowed)
    above = [version for version in uploaded if version > highest and not version.is_prerelease]
    if not above:
        return None
    first = min(above)
    return FirstAbove(version=str(first), uploaded=uploaded[first])
