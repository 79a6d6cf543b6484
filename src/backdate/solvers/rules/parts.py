"""The smallest parts of a changed tree, and what of the changes each of them is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from backdate.advice import SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.editing.diff import LineBlock
from backdate.editing.encodings import split_lines
from backdate.editing.line_maps import line_units, with_units
from backdate.rewriting.names import SourceNames, is_use
from backdate.rewriting.rewrite import CallYielded, ReplaceClass
from backdate.rewriting.source_tree import source_tree
from backdate.solvers.rules.applying import Texts
from backdate.solvers.rules.changes import StandingChange
from backdate.solvers.rules.judgement import ends_runner
from backdate.solvers.rules.proposals import FailureGroup

_IMPORT = re.compile(r"\s{0,80}(?:import|from)\s")


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


class ChangedParts:
    """All parts in which texts differ from what they were, and the changes that made them."""

    def __init__(self, first: Mapping[str, str], texts: Texts, changes: Sequence[StandingChange]) -> None:
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
        self._whole = [
            together
            for together, change in zip(self._together, changes, strict=True)
            if isinstance(change.planned.proposal.rewrite, ReplaceClass)
        ]
        """Of changes that are made as a whole or not at all."""

    def on(self, places: Iterable[SourcePlace]) -> set[str]:
        """The parts that wrote some lines."""
        lines = set(places)
        return {name for name, part in self.parts.items() if part.lines & lines}

    def closed(self, names: Iterable[str]) -> frozenset[str]:
        """With the rest of the changes that are made as a whole."""
        own = frozenset(names)
        return own.union(*(whole for whole in self._whole if own & whole))

    def texts(self, names: Iterable[str]) -> Texts:
        """The texts with these parts alone, and what goes with them."""
        chosen: dict[str, list[LineBlock]] = {}
        for name in sorted(self.closed(names)):
            chosen.setdefault(self.parts[name].file, []).append(self.parts[name].unit)
        return {
            file: with_units(self._old[file], self._new[file], units)
            for file, units in sorted(chosen.items())
        }

    def only_adds(self, name: str) -> bool:
        """Whether a part adds lines and replaces none, as an import does."""
        start, end, _, _ = self.parts[name].unit
        return start == end

    def with_companions(self, names: set[str], *, only_additions: bool = False) -> set[str]:
        """With the parts of the same changes; where so asked only those that add lines, such as imports."""
        more = set(names)
        for together in self._together:
            if not names.isdisjoint(together):
                more |= {name for name in together if not only_additions or self.only_adds(name)}
        return more

    def without(self, names: set[str]) -> Texts:
        """The texts without some parts, nor what changes of which nothing else is left add or import."""
        left = set(self.parts) - names
        broken = [together & left for together in self._together if together & names]
        whole = [together for together in self._together if not together & names]
        for own in broken:
            if all(self.only_adds(name) or self._only_imports(name) for name in own):
                left -= own.difference(*whole)
        return self.texts(left)

    def without_cutting(self, names: set[str]) -> Texts:
        """As ``without``, but not in files that would use a name whose import another part has taken away."""
        texts = self.without(names)
        cut = set()
        for file, text in texts.items():
            old, whole = "".join(self._old[file]), "".join(self._new[file])
            if not cut_off(old, text) <= cut_off(old, whole):
                cut.add(file)
        return self.without({name for name in names if self.parts[name].file not in cut}) if cut else texts

    def _only_imports(self, name: str) -> bool:
        """Whether all that a part writes, if anything, are import statements of one line."""
        part = self.parts[name]
        _, _, start, end = part.unit
        return all(_IMPORT.match(line) for line in self._new[part.file][start:end])


def cut_off(old: str, new: str) -> frozenset[str]:
    """The names that ``old`` imports, and that ``new`` uses and binds nowhere."""
    names = SourceNames(source_tree(new))
    imported = {one.local for one in SourceNames(source_tree(old)).imported()}
    return frozenset(
        name
        for name in imported
        if not names.bindings(name) and any(map(is_use, names.tree.identifiers(name)))
    )


def without_failing_lines(
    first: Mapping[str, str],
    texts: Texts,
    changes: Sequence[StandingChange],
    remaining: Sequence[FailureGroup],
    *,
    at_first: Sequence[FailureGroup] = (),
) -> Texts:
    """The texts of an unsolved tree without edits of lines that fail all the same: half a mend is none.

    Of what ended the runner ``at_first`` and still does nothing is left: no test ran with any of the edits.

    Nor does an edit stay with which code may do another thing, where all its tests fail by an assertion now.
    A test that yielded and fails now that it is called stays: pytest refuses its whole file otherwise. So
    does what would need an import that an edit beside it, which helps, has replaced.
    """
    if not ends_runner(at_first).isdisjoint(ends_runner(remaining)):
        return {}
    parts = ChangedParts(first, texts, changes)
    called = parts.on(
        place
        for change in changes
        if isinstance(change.planned.proposal.rewrite, CallYielded)
        for place in change.lines
    )
    failing = parts.on(place for group in remaining for place in group.raised_at) - called
    failing |= parts.on(place for change in _contradicted(changes, remaining) for place in change.lines)
    return parts.without_cutting(failing) if failing else texts


def _contradicted(
    changes: Sequence[StandingChange], remaining: Sequence[FailureGroup]
) -> Iterator[StandingChange]:
    """Unsure changes whose tests all fail by an assertion, and foreseen ones beside them in their files."""
    asserted = {
        test for group in remaining if group.cause.kind is CauseKind.ASSERTION for test in group.tests
    }
    unsure = [change for change in changes if change.planned.proposal.unsure]
    own = [
        change
        for change in unsure
        if change.planned.group.tests and asserted.issuperset(change.planned.group.tests)
    ]
    files = {place.file for change in own for place in change.lines}
    yield from own
    for change in unsure:
        if not change.planned.group.tests and files.issuperset(place.file for place in change.lines):
            yield change
