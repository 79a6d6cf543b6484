"""The instants between two resolutions at which another resolution is possible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise

from packaging.version import Version

from backdate.environments.environment import Lock
from backdate.index.wheel_tags import compiled_for
from backdate.projects.sources.listing import ListedFile
from backdate.text import UNREADABLE, version_numbers
from backdate.timeline.instants import Instant

_SAME_RELEASE = timedelta(hours=24)
"""Files of a version that were uploaded within a day belong together: a build service uploads its wheels one
by one, and in between the release is there for some machines only."""
_JUST_AFTER = timedelta(seconds=1)
"""What an instant sees was uploaded strictly before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DistributionRelease:
    """One version of a distribution."""

    name: str
    version: str
    uploaded: Instant
    """When its first file was uploaded."""
    instants: tuple[Instant, ...]
    """Just after its files were there: one instant for each batch of uploads."""
    prerelease: bool
    yanked: bool
    """Whether all its files are yanked (PEP 592) today."""
    compiled_for: tuple[str, ...] = ()
    """The interpreters ("cp39") that its wheels were compiled for; empty where one suits them all, it has
    none, or what there is to compile is little."""

    def ships_for(self, python: str) -> bool:
        """Whether not much has to be compiled for the interpreter ``python``, as far as its files say."""
        short = "".join(map(str, version_numbers(python)[:2]))
        return not self.compiled_for or f"cp{short}" in self.compiled_for


def releases_of(name: str, files: Iterable[ListedFile]) -> tuple[DistributionRelease, ...]:
    """The releases that a listing holds, by version."""
    batches: dict[Version, list[ListedFile]] = {}
    for file in files:
        batches.setdefault(file.version, []).append(file)
    return tuple(
        DistributionRelease(
            name=name,
            version=str(version),
            uploaded=min(file.uploaded for file in members),
            instants=_batch_ends(sorted(file.uploaded for file in members)),
            prerelease=version.is_prerelease,
            yanked=all(file.yanked for file in members),
            compiled_for=compiled_for(members),
        )
        for version, members in sorted(batches.items())
    )


def _batch_ends(times: Sequence[Instant]) -> tuple[Instant, ...]:
    ends: list[Instant] = []
    start = times[0]
    for before, after in pairwise(times):
        if after - start > _SAME_RELEASE:
            ends.append(before + _JUST_AFTER)
            start = after
    return (*ends, times[-1] + _JUST_AFTER)


def moving_range(old: Lock, new: Lock) -> dict[str, tuple[Version | None, Version | None]]:
    """The distributions of the index that differ between two locks, each with its two versions."""
    before = {
        distribution.name: distribution.version
        for distribution in old.distributions
        if distribution.source is None
    }
    after = {
        distribution.name: distribution.version
        for distribution in new.distributions
        if distribution.source is None
    }
    return {
        name: (_version(before.get(name)), _version(after.get(name)))
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    }


def releases_between(
    releases: Iterable[DistributionRelease], low: Version | None, high: Version | None
) -> tuple[DistributionRelease, ...]:
    """The releases that a resolver may have taken on the way from ``low`` to ``high``, both included.

    Pre-releases only where one of the two is one, and nothing that is yanked: a resolver passes it over.
    None: it was not there, so that nothing is known of that end.
    """
    pre = any(end is not None and end.is_prerelease for end in (low, high))
    if low is not None and high is not None and low > high:
        low, high = high, low
    return tuple(
        release
        for release in releases
        if not release.yanked
        and (pre or not release.prerelease)
        and (low is None or Version(release.version) >= low)
        and (high is None or Version(release.version) <= high)
    )


def candidate_instants(
    releases: Mapping[str, Sequence[DistributionRelease]],
    ranges: Mapping[str, tuple[Version | None, Version | None]],
    start: Instant,
    end: Instant,
) -> tuple[Instant, ...]:
    """``start``, ``end``, and every instant between at which a release of ``ranges`` came in; ascending."""
    between = {
        instant
        for name, (low, high) in ranges.items()
        for release in releases_between(releases.get(name, ()), low, high)
        for instant in release.instants
        if start < instant < end
    }
    return (start, *sorted(between), end)


def count_candidates(
    releases: Mapping[str, Sequence[DistributionRelease]],
    ranges: Mapping[str, tuple[Version | None, Version | None]],
    end: Instant,
) -> int:
    """How many releases before ``end`` a search among all that moved chooses from."""
    return sum(
        release.uploaded < end
        for name, (low, high) in ranges.items()
        for release in releases_between(releases.get(name, ()), low, high)
    )


def _version(text: str | None) -> Version | None:
    try:
        return None if text is None else Version(text)
    except UNREADABLE:
        return None
