"""Which of the things that moved together are at fault: delta debugging (Zeller & Hildebrandt 2002).

A generator without I/O: it yields a subset to try and is sent what became of it. Subsets that cannot be
tried (they do not resolve) are neither good nor bad, and others are tried instead.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence

from backdate.bisection.search import ProbeStatus

Subset = frozenset[str]


def minimise(moved: Sequence[str], suspects: Iterable[str] = ()) -> Generator[Subset, ProbeStatus, Subset]:
    """A subset of ``moved`` that is enough to fail, from which nothing more could be left out.

    All of ``moved`` together is known to fail and nothing to pass; neither is asked, and no subset is
    asked twice. ``suspects`` are tried alone first, so that a good guess ends it after one answer.
    """
    known: dict[Subset, ProbeStatus] = {frozenset(): ProbeStatus.GOOD, frozenset(moved): ProbeStatus.BAD}

    def ask(subset: Subset) -> Generator[Subset, ProbeStatus, bool]:
        if subset not in known:
            known[subset] = yield subset
        return known[subset] is ProbeStatus.BAD

    for suspect in suspects:
        if suspect in moved and (yield from ask(frozenset({suspect}))):
            return frozenset({suspect})
    current, parts = list(moved), 2
    while len(current) > 1:
        chunks = [frozenset(current[start::parts]) for start in range(parts)]
        rests = [frozenset(current) - chunk for chunk in chunks] if parts > 2 else []
        for smaller in (*chunks, *rests):
            if (yield from ask(smaller)):
                current = [name for name in current if name in smaller]
                parts = 2 if smaller in chunks else max(parts - 1, 2)
                break
        else:
            if parts >= len(current):
                break
            parts = min(2 * parts, len(current))
    return frozenset(current)
