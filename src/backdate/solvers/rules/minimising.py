"""Leaving out of a mended tree what is not needed, with the runs that are left.

What no traceback showed to be needed is left out first, all of it at once; what then fails names the lines
that have to come back. Where failures name none, the smallest part that is enough is searched
(``editing/minimise``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from backdate.advice import SourcePlace
from backdate.editing.minimise import Subset, minimise
from backdate.rewriting.rewrite import ChangeKey
from backdate.solvers.rules.applying import Texts
from backdate.solvers.rules.backend import SuiteReading
from backdate.solvers.rules.changes import StandingChange
from backdate.solvers.rules.parts import ChangedPart, ChangedParts


@dataclass(frozen=True, slots=True, kw_only=True)
class MinimisedTexts:
    """What is left."""

    texts: Texts
    removed: int
    """Parts that were not needed."""
    complete: bool
    """Whether each part that is left is known to be needed."""


class _RunsUsedUp(Exception):
    """All runs are used up."""


class _Leaving:
    """The search over one mended tree."""

    def __init__(
        self,
        parts: ChangedParts,
        changes: Sequence[StandingChange],
        run: Callable[[Texts], SuiteReading],
        at_first: SuiteReading,
        runs: int,
    ) -> None:
        self._parts, self.parts = parts, parts.parts
        self._run, self._at_first, self._left = run, at_first, runs
        raised = parts.on(place for change in changes for place in _needed_lines(change))
        self.needed = parts.with_companions(raised, only_additions=True)

    def ask(self, names: Subset) -> SuiteReading:
        """Run with these parts alone; with none of them it is known what fails."""
        if not names:
            return self._at_first
        if not self._left:
            raise _RunsUsedUp
        self._left -= 1
        return self._run(self._parts.texts(names))

    def smallest(self) -> tuple[Subset, bool]:
        """The smallest set of parts that was seen to be enough, and whether the search came to its end."""
        every = frozenset(self.parts)
        kept, enough = set(self._parts.closed(self.needed)), every
        try:
            while kept != every:
                reading = self.ask(frozenset(kept))
                if reading.solved:
                    return frozenset(kept), True
                named = self._named(reading, frozenset(kept)) - kept
                if not named:
                    return self._searched(frozenset(kept), enough)
                kept |= named
        except _RunsUsedUp:
            return enough, False
        return every, True

    def _named(self, reading: SuiteReading, kept: Subset) -> set[str]:
        """The parts that were left out and through whose lines failures go."""
        named: set[str] = set()
        shown = {(place.file, place.line) for group in reading.groups for place in group.places}
        for name, part in self.parts.items():
            if name not in kept and shown & set(self._old_lines(part, kept)):
                named.add(name)
        return self._parts.with_companions(named)

    def _old_lines(self, part: ChangedPart, kept: Subset) -> list[tuple[str, int]]:
        """Where the lines that a part would replace stand while only ``kept`` are made."""
        start, end, _, _ = part.unit
        shift = sum(
            (d - c) - (b - a)
            for name in kept
            if self.parts[name].file == part.file
            for a, b, c, d in (self.parts[name].unit,)
            if b <= start
        )
        return [(part.file, number + 1 + shift) for number in range(start, end)]

    def _searched(self, kept: Subset, enough: Subset) -> tuple[Subset, bool]:
        rest = sorted(enough - kept)

        def is_enough(subset: Subset) -> bool:
            return self.ask(kept | subset).solved

        found = minimise(rest, is_enough, stopped_by=_RunsUsedUp)
        return kept | found.subset, found.complete


def _needed_lines(change: StandingChange) -> frozenset[SourcePlace]:
    """Lines that stay at first: those that raised the error, and the keys of one dictionary together."""
    keys = isinstance(change.planned.proposal.rewrite, ChangeKey) and change.raised_at
    return change.raised_at | change.lines if keys else change.raised_at


def leave_out(
    first: Mapping[str, str],
    texts: Texts,
    changes: Sequence[StandingChange],
    run: Callable[[Texts], SuiteReading],
    *,
    at_first: SuiteReading,
    runs: int,
) -> MinimisedTexts:
    """The smallest part of what was changed that is seen to be enough, by at most ``runs`` runs.

    ``first``: the files as they were, and ``at_first`` what failed then. ``texts``: as they are, which is
    enough. A change alone in its patch is needed: without it the tests fail.
    """
    parts = ChangedParts(first, texts, changes)
    search = _Leaving(parts, changes, run, at_first, runs)
    if len(search.parts) <= 1:
        return MinimisedTexts(texts=texts, removed=0, complete=True)
    smallest, complete = search.smallest()
    subset = parts.closed(smallest)
    return MinimisedTexts(
        texts=parts.texts(subset), removed=len(search.parts) - len(subset), complete=complete
    )
