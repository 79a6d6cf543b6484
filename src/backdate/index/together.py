"""How several indexes are shown as one: which of them has a project, in uv's words."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from enum import StrEnum

from backdate.errors import UsageError
from backdate.index.names import version_of
from backdate.index.page_store import SerialisedPage, entries, join_fragments


class IndexStrategy(StrEnum):
    """uv's ``--index-strategy`` (docs.astral.sh/uv/concepts/indexes, "Searching across multiple indexes")."""

    FIRST_INDEX = "first-index"
    """All files of a project come from the first index that knows it: nobody can put a newer version of a
    private package on a public index."""
    UNSAFE_BEST_MATCH = "unsafe-best-match"
    """The versions of all indexes are candidates; a version's files are those of the first that has it."""


_FIRST_MATCH = "unsafe-first-match"


def index_strategy(text: str) -> IndexStrategy:
    """The strategy that ``text`` names. Raises UsageError, also for the one of uv's that cannot be had."""
    try:
        return IndexStrategy(text)
    except ValueError:
        names = " or ".join(IndexStrategy)
        why = f"{text!r} is no strategy"
        if text == _FIRST_MATCH:
            why = (
                f"{_FIRST_MATCH} needs a resolver that sees each index for itself, and the indexes are shown "
                "as one, to old pips as well"
            )
        raise UsageError(f"--index-strategy is {names}: {why}") from None


def merge_pages(pages: Sequence[SerialisedPage]) -> SerialisedPage:
    """The pages that several indexes have of one project, as one: each version as the first has it.

    A file whose name states no version is taken from the first index that has a file of this name. The page
    is as old as the oldest of them; it has no validators, since no index knows it.
    """
    known = [page for page in pages if page.exists]
    if len(known) < 2:
        page = known[0] if known else pages[-1]
        return _changed(page, fetched=min(each.fetched for each in pages))
    parts: list[bytes] = []
    times = array("q")
    first_times: dict[str, int] = {}
    taken: set[str] = set()
    for page in known:
        own: set[str] = set()
        for entry, fragment, uploaded in zip(entries(page), page.fragments(), page.times, strict=True):
            version = version_of(entry.filename, page.name)
            key = f"file {entry.filename}" if version is None else version
            if key in taken:
                continue
            own.add(key)
            parts.append(bytes(fragment))
            times.append(uploaded)
            if version is not None:
                first_times[version] = min(uploaded, first_times.get(version, uploaded))
        taken |= own
    listed = (each for page in known for each in page.listed_versions or page.versions)
    offsets, blob = join_fragments(parts)
    return _changed(
        known[0],
        upstream=" ".join(page.upstream for page in known),
        fetched=min(page.fetched for page in pages),
        etag=None,
        last_modified=None,
        hidden=sum(page.hidden for page in known),
        has_sizes=all(page.has_sizes for page in known),
        versions=tuple(first_times),
        version_times=tuple(first_times.values()),
        listed_versions=tuple(dict.fromkeys(listed)),
        outdated=any(page.outdated for page in pages),
        times=times,
        offsets=offsets,
        blob=blob,
    )


def _changed(page: SerialisedPage, **changes: object) -> SerialisedPage:
    values = {field: getattr(page, field) for field in page.__slots__}
    return SerialisedPage(**{**values, **changes})
