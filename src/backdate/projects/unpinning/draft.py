"""What unpinning one file finds: edits, the changes that they make, and what is left as it is and why."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from backdate.editing.encodings import line_starts
from backdate.editing.spans import Edit, apply_edits
from backdate.projects.unpinning.report import Kind, LoosenedRequirement, SkippedPin, printable

_MOST_SKIPPED = 100
"""Reports of one file; a file of garbage must not make a report that is larger than itself."""


Wanted = Callable[[Kind, str, str], bool]
"""Of a kind, a name and a requirement as it is stated, whether it is loosened."""


@dataclass(slots=True)
class Draft:
    """What was found in one file so far; the reader of its format adds to it."""

    file: str
    content: str
    edits: list[Edit] = field(default_factory=list)
    changes: list[LoosenedRequirement] = field(default_factory=list)
    skipped: list[SkippedPin] = field(default_factory=list)
    references: list[tuple[str, Kind]] = field(default_factory=list)
    """Requirements files that this one names, as it spells them, and what they hold."""
    wanted: Wanted | None = None
    """Which of the requirements are loosened; None for all."""
    _lines: list[int] = field(default_factory=list)

    def line(self, offset: int) -> int:
        """The number of the line, from 1, that holds the character at ``offset``."""
        if not self._lines:
            self._lines = line_starts(self.content)
        return bisect_right(self._lines, offset)

    def change(self, edits: Iterable[Edit], *, kind: Kind, name: str, before: str, after: str) -> None:
        """Record edits and the change they make, where it is wanted."""
        if self.wanted is not None and not self.wanted(kind, name, before):
            return
        edits = list(edits)
        self.edits += edits
        self.changes.append(
            LoosenedRequirement(
                file=self.file,
                line=self.line(min(edit.start for edit in edits)),
                kind=kind,
                name=printable(name),
                before=printable(before),
                after=printable(after),
            )
        )

    def skip(self, offset: int | None, reason: str) -> None:
        """Record that what stands at ``offset``, or the whole file, is left as it is."""
        if len(self.skipped) < _MOST_SKIPPED:
            line = 0 if offset is None else self.line(offset)
            self.skipped.append(SkippedPin(file=self.file, line=line, reason=printable(reason)))
        elif len(self.skipped) == _MOST_SKIPPED:
            self.skipped.append(
                SkippedPin(file=self.file, line=0, reason="more places like these are not listed")
            )

    def discard(self, reason: str) -> None:
        """Take every edit and change back and record why the file is left as it is."""
        self.edits.clear()
        self.changes.clear()
        self.skip(None, reason)

    def result(self) -> str:
        """The file's new text."""
        return apply_edits(self.content, self.edits)
