"""Leaving out of a mended tree what is not needed, with the runs that are left.

What no traceback showed to be needed is left out first, all of it at once; what then fails names the lines
that have to come back. Where failures name none, the smallest part that is enough is searched
(``editing/minimise``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from backdate.advice import SourcePlace
from backdate.editing.diff import LineBlock
from backdate.editing.encodings import split_lines
from backdate.editing.line_maps import line_units, with_units
from backdate.editing.minimise import Subset, minimise
from backdate.solvers.rules.applying import Texts
from backdate.solvers.rules.backend import SuiteReading
from backdate.solvers.rules.changes import StandingChange


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedPart:
    """One of the smallest parts that a patch consists of."""

    file: str
    unit: LineBlock

    @property
    def lines(self) -> frozenset[SourcePlace]:
        """In the new text; of lines that only went, the one in their place."""
        _, _, start, end = self.unit
        return frozenset(
            SourcePlace(file=self.file, line=n) for n in range(start + 1, max(end, start + 1) + 1)
        )


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
        first: Mapping[str, str],
        texts: Texts,
        changes: Sequence[StandingChange],
        run: Callable[[Texts], SuiteReading],
        at_first: SuiteReading,
        runs: int,
    ) -> None:
        self._run, self._at_first, self._left = run, at_first, runs
        self._old = {file: split_lines(first[file]) for file in texts}
        self._new = {file: split_lines(text) for file, text in texts.items()}
        self.parts = {
            f"{file}:{number}": ChangedPart(file=file, unit=unit)
            for file in sorted(texts)
            for number, unit in enumerate(line_units(self._old[file], self._new[file]))
        }
        self._together = [
            frozenset(name for name, part in self.parts.items() if part.lines & change.lines)
            for change in changes
        ]
        raised = {place for change in changes for place in change.raised_at}
        self.needed = self._with_companions(
            {name for name, part in self.parts.items() if part.lines & raised}, only_additions=True
        )

    def texts(self, names: Subset) -> Texts:
        """The texts with these parts alone."""
        chosen: dict[str, list[LineBlock]] = {}
        for name in names:
            chosen.setdefault(self.parts[name].file, []).append(self.parts[name].unit)
        return {
            file: with_units(self._old[file], self._new[file], units)
            for file, units in sorted(chosen.items())
        }

    def _with_companions(self, names: set[str], *, only_additions: bool = False) -> set[str]:
        """With the parts of the same changes; where so asked only those that add lines, such as imports."""
        more = set(names)
        for together in self._together:
            if not names.isdisjoint(together):
                more |= {
                    name
                    for name in together
                    if not only_additions or self.parts[name].unit[0] == self.parts[name].unit[1]
                }
        return more

    def ask(self, names: Subset) -> SuiteReading:
        """Run with these parts alone; with none of them it is known what fails."""
        if not names:
            return self._at_first
        if not self._left:
            raise _RunsUsedUp
        self._left -= 1
        return self._run(self.texts(names))

    def smallest(self) -> tuple[Subset, bool]:
        """The smallest set of parts that was seen to be enough, and whether the search came to its end."""
        every = frozenset(self.parts)
        kept, enough = set(self.needed), every
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
        return self._with_companions(named)

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
    search = _Leaving(first, texts, changes, run, at_first, runs)
    if len(search.parts) <= 1:
        return MinimisedTexts(texts=texts, removed=0, complete=True)
    subset, complete = search.smallest()
    return MinimisedTexts(
        texts=search.texts(subset), removed=len(search.parts) - len(subset), complete=complete
    )
