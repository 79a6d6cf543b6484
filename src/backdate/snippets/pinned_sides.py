"""A side whose requirements are given: as of when what they leave open is resolved.

The pins say which releases are wanted, and when those appeared says which time the row is of: what it leaves
open is as it was then. Two weeks later, since a release's wheels and the first repairs of what lies
around it come in the days that follow; and no sooner than a year after the interpreter's own first release
(``SETTLED_AFTER``, as everywhere), since before that little has wheels for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from functools import cache
from typing import Protocol

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from backdate.errors import SourceError
from backdate.index.upstream import IndexClient
from backdate.projects.sources.listing import ListedFile, fetch_listing
from backdate.snippets.snippet import SnippetSide
from backdate.timeline.calendar import settled_since
from backdate.timeline.instants import Instant

AFTER_RELEASE = timedelta(days=14)
"""How long after the last of the pinned releases."""


class Uploads(Protocol):
    """When releases appeared."""

    def of(self, requirement: Requirement) -> Instant | None:
        """When the newest release that ``requirement`` allows was first uploaded; None without one.

        Raises IndexUnavailable.
        """
        ...


class IndexUploads:
    """As the package index tells it; each distribution is asked for once."""

    def __init__(self, client: IndexClient) -> None:
        self._listed = cache(lambda name: _listing(client, name))

    def of(self, requirement: Requirement) -> Instant | None:
        """See ``Uploads``."""
        files = self._listed(canonicalize_name(requirement.name))
        allowed = [file for file in files if requirement.specifier.contains(file.version, prereleases=True)]
        newest = max((file.version for file in allowed), default=None)
        return min((file.uploaded for file in allowed if file.version == newest), default=None)


def pinned_side(
    version: str, python: str, pins: Iterable[Requirement], others: Iterable[str], uploads: Uploads
) -> SnippetSide:
    """The side of ``version`` with ``pins`` and, as of their time, ``others`` (names alone).

    A pin without a release makes it a side that cannot be had. Raises IndexUnavailable.
    """
    pins = tuple(pins)
    latest = settled_since(python)
    if latest is None:
        return SnippetSide(version=version, python=python, not_had=f"there is no Python {python}")
    for pin in pins:
        uploaded = uploads.of(pin)
        if uploaded is None:
            return SnippetSide(version=version, python=python, not_had=f"the index has no release of {pin}")
        latest = max(latest, uploaded + AFTER_RELEASE)
    pinned = {canonicalize_name(pin.name) for pin in pins}
    open_ones = sorted({canonicalize_name(name) for name in others} - pinned)
    instant = latest.replace(hour=0, minute=0, second=0, microsecond=0)
    return SnippetSide(
        version=version, python=python, requirements=(*map(str, pins), *open_ones), instant=instant
    )


def _listing(client: IndexClient, name: str) -> tuple[ListedFile, ...]:
    try:
        return fetch_listing(client, name)
    except SourceError:
        return ()
