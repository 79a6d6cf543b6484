"""``backdate rules mine``: the releases of distributions between two ends, read and compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.version import Version

from backdate.errors import SourceError
from backdate.index.upstream import IndexClient
from backdate.knowledge.changes import PYTHON
from backdate.knowledge.load import left_out_of_mining
from backdate.knowledge.modules import distribution_of
from backdate.mining import two_to_three, typeshed
from backdate.mining.announcements import Announcement
from backdate.mining.candidates import MinedRelease, ReadModules, RuleCandidate, candidates_of, mine_release
from backdate.mining.changelogs import entries_of_changelogs, told_by_changelogs
from backdate.mining.moves import moves_of
from backdate.mining.offered import modules_meant, names_offered, with_each_name
from backdate.mining.releases import ReleaseBounds, ReleaseSources, read_release, releases_between
from backdate.mining.standard_library import libraries_of, stub_archives
from backdate.mining.two_to_three import two_to_three_candidates
from backdate.mining.upgrade_tables import upgrade_table_candidates
from backdate.mining.whole_modules import with_whole_modules
from backdate.timeline.instants import Instant


@dataclass(frozen=True, slots=True, kw_only=True)
class MinedDistribution:
    """What a distribution's releases announced."""

    distribution: str
    releases: tuple[str, ...]
    """The versions read, from the oldest."""
    announcements: int
    candidates: tuple[RuleCandidate, ...]
    left_out: tuple[tuple[str, str], ...]
    """Names that ``mined_left_out.toml`` keeps out, each with the reason."""
    unread: tuple[str, ...]
    """Archives that are damaged or too large."""
    read_from: str = ""
    """What was read, where it is not the distribution's own releases, or a part of them alone."""
    licence: str = ""
    """The SPDX name of the licence of that."""


def mine(
    client: IndexClient,
    distribution: str,
    bounds: ReleaseBounds,
    *,
    cache: Path,
    tell: Callable[[str], None] | None = None,
) -> MinedDistribution:
    """Read one archive of each minor release. Raises SourceError and IndexUnavailable.

    Of "python", the standard library, stubs are read that tell what each Python has.
    """
    if distribution == PYTHON:
        return _standard_library(client, bounds, cache=cache, tell=tell)
    read: list[MinedRelease] = []
    unread: list[str] = []
    tables: list[RuleCandidate] = []
    meant: dict[str, Instant] = {}
    known: ReadModules = {}
    for series in releases_between(client, distribution, bounds):
        file = series.file
        if tell is not None:
            tell(f"reading {file.filename}")
        try:
            release = read_release(file, cache)
        except SourceError:
            unread.append(file.filename)
            continue
        read.append(mine_release(release, first=series.first, known=known))
        meant |= dict.fromkeys(modules_meant(read[-1:]), file.uploaded)
        tables += upgrade_table_candidates(release, distribution)
    offered = {module: _offered(client, module, at, cache=cache) for module, at in meant.items()}
    changelogs = entries_of_changelogs(client, distribution, read, cache)
    told = told_by_changelogs(read, changelogs.entries)
    found = _with_tables(candidates_and_moves(with_each_name(read, offered), told), tables)
    kept, left_out = _without_left_out(distribution, found)
    return MinedDistribution(
        distribution=distribution,
        releases=tuple(str(release.version) for release in read),
        announcements=sum(len(release.announcements) for release in read),
        candidates=kept,
        left_out=left_out,
        unread=(*unread, *changelogs.unread),
    )


def _offered(client: IndexClient, module: str, at: Instant, *, cache: Path) -> frozenset[str]:
    """What a module offered in the newest release before ``at``; nothing where that cannot be read."""
    bounds = ReleaseBounds(first=Version("0"), last=at)
    release = _newest(client, distribution_of(module), bounds, cache=cache)
    return names_offered(release.sources, release.packages, module) if release else frozenset()


def _newest(
    client: IndexClient, distribution: str, bounds: ReleaseBounds, *, cache: Path
) -> ReleaseSources | None:
    """The newest release within ``bounds``; None where none can be read."""
    try:
        found = releases_between(client, distribution, bounds)
        return read_release(found[-1].file, cache) if found else None
    except SourceError:
        return None


def _without_left_out(
    distribution: str, found: Sequence[RuleCandidate]
) -> tuple[tuple[RuleCandidate, ...], tuple[tuple[str, str], ...]]:
    """What a table does not keep out, and what it does, each with the reason."""
    reasons = left_out_of_mining()
    left_out = {one.subject: why for one in found if (why := reasons.get((distribution, one.subject)))}
    return tuple(one for one in found if one.subject not in left_out), tuple(left_out.items())


def _with_tables(
    candidates: Sequence[RuleCandidate], tables: Sequence[RuleCandidate]
) -> tuple[RuleCandidate, ...]:
    """What the distribution's own upgrade tables say comes before what was found otherwise."""
    found = {(one.name, one.argument): one for one in (*candidates, *tables)}
    return tuple(sorted(found.values(), key=lambda one: (one.since, one.name, one.argument)))


def _standard_library(
    client: IndexClient, bounds: ReleaseBounds, *, cache: Path, tell: Callable[[str], None] | None
) -> MinedDistribution:
    found: dict[tuple[str, str], RuleCandidate] = {}
    announced: set[Announcement] = set()
    pythons: set[Version] = set()
    unread: list[str] = []
    for file in stub_archives(client, bounds.until):
        if tell is not None:
            tell(f"reading {file.filename}")
        try:
            libraries = libraries_of(file, bounds, cache)
        except SourceError:
            unread.append(file.filename)
            continue
        pythons |= {one.version for one in libraries}
        announced |= {one for library in libraries for one in library.announcements}
        # What later stubs say of the same name is surer.
        found |= {(one.name, one.argument): one for one in candidates_and_moves(libraries)}
    if isinstance(bounds.first, Version) and bounds.first < Version("3"):
        ever = ReleaseBounds(first=Version("0"), last=Version("9999"), until=bounds.until)
        fixers = _newest(client, two_to_three.CARRIER, ever, cache=cache)
        listed = two_to_three_candidates(fixers) if fixers else ()
        said = {key for key, one in found.items() if one.by is not None}
        found |= {(one.name, ""): one for one in listed if (one.name, "") not in said}
    ordered = sorted(found.values(), key=lambda one: (one.since, one.name, one.argument))
    kept, left_out = _without_left_out(PYTHON, ordered)
    return MinedDistribution(
        distribution=PYTHON,
        releases=tuple(map(str, sorted(pythons))),
        announcements=len(announced),
        candidates=kept,
        left_out=left_out,
        unread=tuple(unread),
        read_from=f"{typeshed.ORIGIN} and {two_to_three.ORIGIN}",
        licence=f"{typeshed.LICENCE} AND {two_to_three.LICENCE}",
    )


def candidates_and_moves(
    read: Sequence[MinedRelease], told: Sequence[MinedRelease] = ()
) -> tuple[RuleCandidate, ...]:
    """What was announced with what takes its place, then what was found in another place.

    ``told``: the same releases with what changelogs announce: it counts where the releases themselves say
    nothing, and where what was found in another place is the same.
    """
    announced = {(one.name, one.argument): one for one in candidates_of(read)}
    moved = {(one.name, ""): one for one in moves_of(read)}
    said = {key: one for key, one in announced.items() if one.is_rule or key not in moved}
    listed = {
        (one.name, one.argument): one
        for one in candidates_of(told)
        if one.is_rule and _agrees(one, moved.get((one.name, one.argument)))
    }
    ruled = {key: one for key, one in said.items() if one.is_rule}
    return with_whole_modules(tuple((moved | said | listed | ruled).values()), read)


def _agrees(one: RuleCandidate, other: RuleCandidate | None) -> bool:
    return other is None or one.replacement == other.replacement
