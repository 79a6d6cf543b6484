"""What the releases between a snippet's two versions announce of names, for answers about them.

A release that deprecates a function warns when that is called: looking it up in an environment shows nothing,
and where a name is gone its environment does not say since when nor what to write. The sources of the
releases in between do. Releases of the target itself are not read.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from packaging.utils import canonicalize_name

from backdate.checking.resources import Resources
from backdate.evaluation.snippets.known_names import KnownName
from backdate.knowledge.changes import PYTHON
from backdate.mining.about import AskedName, announcements_about
from backdate.mining.between import ReleasesBetween
from backdate.mining.candidates import said_replacement
from backdate.snippets.direction import direction_of
from backdate.snippets.snippet import ApiChangeKind, Direction, Snippet
from backdate.text import minor_version
from backdate.timeline.instants import Instant, now

_MOST_S = 300.0
"""For the releases of one target, so that answers do not depend on how busy the machine is."""

ReleasesOf = Callable[[Snippet], ReleasesBetween | None]
"""The releases that may be read for a snippet; None where there are none to read."""


def no_releases(snippet: Snippet) -> None:
    """Nothing is read."""


def releases_from(resources: Resources) -> ReleasesOf:
    """Releases of the index, up to the instant of a snippet's target; what was read is kept in the cache.

    Snippets of the same target share what was read: where time ended for one, the next goes on.
    """
    opened: dict[Instant | None, ReleasesBetween] = {}
    guard = threading.Lock()

    def releases(snippet: Snippet) -> ReleasesBetween | None:
        if snippet.library == PYTHON or direction_of(snippet) is not Direction.FORWARD:
            return None
        assert snippet.target is not None
        until = snippet.target.instant
        with guard:
            if until not in opened:
                opened[until] = ReleasesBetween(
                    index=lambda: resources.index,
                    folder=resources.cache.folder / "announcements",
                    until=until or now(),
                    seconds_left=_MOST_S,
                )
            return opened[until]

    return releases


def with_announced(
    snippet: Snippet, found: Sequence[KnownName], homes: Mapping[str, str], releases: ReleasesBetween
) -> tuple[KnownName, ...]:
    """``found`` with what is announced to take the place of a name, and other names that are to go.

    ``homes``: the names that are asked about, and where the origin says that each is defined ("" for
    unknown). What tables and environments say stays as it is. What the origin's own series announces is no
    change since.
    """
    assert snippet.origin is not None
    assert snippet.target is not None
    known = {one.name: one for one in found}
    wanted = [name for name in homes if name not in known or not known[name].replacement]
    told: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    library = canonicalize_name(snippet.library)
    for release in releases.announced(library, snippet.origin.version, snippet.target.version):
        for name in wanted:
            asked = AskedName(name=name, home=homes[name])
            about = announcements_about(asked, release.announcements)
            if about:
                said = next(filter(None, (said_replacement(one, asked.leaf) for one in about)), "")
                told[name].append((release.series, said))
    own = minor_version(snippet.origin.version)
    for name, announced in told.items():
        first = announced[-1][0]
        replacement = next(filter(None, (said for _, said in announced)), "")
        if name in known or first != own:
            known[name] = _announced(name, known.get(name), replacement, first)
    return tuple(known.values())


def _announced(name: str, before: KnownName | None, replacement: str, since: str) -> KnownName:
    change = ApiChangeKind.MOVED if replacement else ApiChangeKind.REMOVED
    if before is None:
        return KnownName(name=name, change=change, version=since, replacement=replacement)
    return replace(before, change=change, replacement=replacement) if replacement else before
