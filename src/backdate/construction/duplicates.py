"""Near-duplicates: projects that are copies of one another, with a few lines changed.

Every project gets a bottom-k sketch (Broder 1997): of the hashes of all runs of seven words of its Python
files the smallest 256. The share of the smallest hashes of two projects together that both have estimates
the Jaccard similarity of their texts, with a standard error of 0.03 at most. Exact copies are those with
one digest over their Python files.
"""

from __future__ import annotations

import heapq
import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

SKETCH = 256
SHINGLE = 7
SIMILAR = 0.8
"""Projects at least as similar are near-duplicates."""
LEAST_WORDS = 50
"""A project of fewer words is compared by its digest alone: there is too little to estimate from."""
_PROBED = 24
"""Two projects of similarity 0.8 share one of each one's smallest 24 hashes, but for one pair in 10^9."""
_WORD = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """What of a project is compared."""

    exact: str
    """A digest over its Python files' contents, whatever their names."""
    smallest: tuple[int, ...] = ()
    """The smallest hashes in order; empty for a project of few words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketched:
    """A project to be compared: who wins is decided by stars, then by the order of the sources."""

    id: int
    stars: int
    sketch: Sketch


def sketch_texts(texts: Iterable[str]) -> tuple[int, ...]:
    """The smallest hashes over runs of words of ``texts``; empty for fewer than ``LEAST_WORDS``."""
    hashes: set[int] = set()
    words_seen = 0
    for text in texts:
        words = _WORD.findall(text)
        words_seen += len(words)
        hashes.update(_shingles(words))
        if len(hashes) > 200_000:
            hashes = set(heapq.nsmallest(SKETCH, hashes))
    return tuple(heapq.nsmallest(SKETCH, hashes)) if words_seen >= LEAST_WORDS else ()


def _shingles(words: Sequence[str]) -> Iterator[int]:
    for start in range(len(words) - SHINGLE + 1):
        text = "\0".join(words[start : start + SHINGLE]).encode("utf-8", "replace")
        yield (zlib.crc32(text) << 32) | zlib.adler32(text)


def similarity(sketch: Sequence[int], other: Sequence[int]) -> float:
    """The estimated Jaccard similarity of two sketches: 0 to 1."""
    if not sketch or not other:
        return 0.0
    ours, theirs = set(sketch), set(other)
    size = min(SKETCH, len(ours | theirs))
    smallest = heapq.nsmallest(size, ours | theirs)
    return sum(value in ours and value in theirs for value in smallest) / len(smallest)


def find_duplicates(projects: Iterable[Sketched]) -> dict[int, tuple[int, float]]:
    """For each near-duplicate, by its id: the id of the better project that it repeats, and their similarity.

    More stars are better, then an earlier entry. A project is compared with the kept ones only, so that a
    chain of small changes does not remove a project that differs a lot.
    """
    exact: dict[str, int] = {}
    index: dict[int, list[Sketched]] = defaultdict(list)
    removed: dict[int, tuple[int, float]] = {}
    for project in sorted(projects, key=lambda project: (-project.stars, project.id)):
        if project.sketch.exact in exact:
            removed[project.id] = (exact[project.sketch.exact], 1.0)
            continue
        probes = project.sketch.smallest[:_PROBED]
        rivals = {rival.id: rival for value in probes for rival in index.get(value, ())}
        best = max(
            (
                (similarity(project.sketch.smallest, rival.sketch.smallest), -rival.id)
                for rival in rivals.values()
            ),
            default=(0.0, 0),
        )
        if best[0] >= SIMILAR:
            removed[project.id] = (-best[1], best[0])
            continue
        exact[project.sketch.exact] = project.id
        for value in probes:
            index[value].append(project)
    return removed
