"""The smallest part that is enough: delta debugging (Zeller & Hildebrandt 2002)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

Subset = frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Minimum:
    """A subset that is enough."""

    subset: Subset
    complete: bool
    """Whether the search knows that nothing more can be left out."""


def minimise(
    items: Sequence[str],
    is_enough: Callable[[Subset], bool],
    *,
    suspects: Iterable[str] = (),
    stopped_by: type[Exception] | tuple[type[Exception], ...] = (),
) -> Minimum:
    """A subset of ``items`` that is enough, from which nothing more can be left out.

    All of ``items`` is known to be enough, and nothing is known not to be: ``is_enough`` is asked about
    neither, and about no subset twice. Where it cannot know, it says False, and other subsets are tried.
    ``suspects`` are tried alone first, so that a good guess ends the search after one question. When
    ``is_enough`` raises one of ``stopped_by``, the smallest subset so far is returned.
    """
    search = _Search(items, is_enough)
    try:
        return Minimum(subset=search.run(suspects), complete=True)
    except stopped_by:
        return Minimum(subset=search.smallest, complete=False)


class _Search:
    def __init__(self, items: Sequence[str], is_enough: Callable[[Subset], bool]) -> None:
        self._items, self._ask = items, is_enough
        self.smallest: Subset = frozenset(items)
        self._known: dict[Subset, bool] = {frozenset(): False, self.smallest: True}

    def _is_enough(self, subset: Subset) -> bool:
        if subset not in self._known:
            self._known[subset] = self._ask(subset)
            if self._known[subset]:
                self.smallest = min(self.smallest, subset, key=len)
        return self._known[subset]

    def run(self, suspects: Iterable[str]) -> Subset:
        for suspect in suspects:
            if suspect in self._items and self._is_enough(frozenset({suspect})):
                return frozenset({suspect})
        current, granularity = list(self._items), 2
        while len(current) > 1:
            chunks = [frozenset(current[start::granularity]) for start in range(granularity)]
            rests = [frozenset(current) - chunk for chunk in chunks] if granularity > 2 else []
            smaller = next((subset for subset in (*chunks, *rests) if self._is_enough(subset)), None)
            if smaller is not None:
                current = [item for item in current if item in smaller]
                granularity = 2 if smaller in chunks else max(granularity - 1, 2)
            elif granularity < len(current):
                granularity = min(2 * granularity, len(current))
            else:
                break
        return frozenset(current)
