"""Edits at character spans: the rest of a file is never written anew.

A :class:`Fragment` is a piece of text that was *read out of* a file (a logical line, the value of a
string literal) and knows where each of its characters stands there, so that an edit of the value
becomes edits of the file, through line continuations, escapes and concatenated literals.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from backdate.projects.unpinning.encodings import line_starts
from backdate.projects.unpinning.report import Kind, LoosenedRequirement, SkippedPin, printable

_MOST_SKIPPED = 100
"""Reports of one file; a file of garbage must not make a report that is larger than itself."""


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace ``[start, end)``, offsets in characters of the file's text."""

    start: int
    end: int
    replacement: str


@dataclass(frozen=True, slots=True)
class Fragment:
    """Text and, for each of its characters, where that begins and ends in the file."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def plain(cls, text: str, offset: int) -> Fragment:
        """Text that stands in the file as it is, at ``offset``."""
        return cls(text, range(offset, offset + len(text)), range(offset + 1, offset + len(text) + 1))

    def part(self, start: int, end: int) -> Fragment:
        """The fragment of ``text[start:end]``."""
        return Fragment(self.text[start:end], self.starts[start:end], self.ends[start:end])

    def replace(self, start: int, end: int, replacement: str) -> list[Edit]:
        """Edits that put ``replacement`` for ``text[start:end]``, leaving what stands between its parts."""
        if start >= end:
            raise ValueError("only a span that is not empty can be replaced")
        edits: list[Edit] = []
        first = start
        for index in range(start + 1, end + 1):
            if index == end or self.starts[index] != self.ends[index - 1]:
                edits.append(Edit(self.starts[first], self.ends[index - 1], "" if edits else replacement))
                first = index
        return edits

    def cut(self, start: int, end: int) -> Edit:
        """The edit that removes ``text[start:end]`` together with what stands between its parts."""
        return Edit(self.starts[start], self.ends[end - 1], "")


def apply_edits(content: str, edits: Iterable[Edit]) -> str:
    """``content`` with the edits made. Edits that overlap an earlier one are an error in the program."""
    parts = []
    position = 0
    for edit in sorted(set(edits)):
        if edit.start < position:
            raise AssertionError(f"overlapping edits at offset {edit.start}")
        parts += [content[position : edit.start], edit.replacement]
        position = edit.end
    return "".join(parts) + content[position:]


@dataclass(slots=True)
class Draft:
    """What was found in one file so far: the place where its reader collects."""

    file: str
    content: str
    edits: list[Edit] = field(default_factory=list)
    changes: list[LoosenedRequirement] = field(default_factory=list)
    skipped: list[SkippedPin] = field(default_factory=list)
    references: list[tuple[str, Kind]] = field(default_factory=list)
    """Requirements files that this one names, as it spells them, and what they hold."""
    _lines: list[int] = field(default_factory=list)

    def line(self, offset: int) -> int:
        """The number of the line, from 1, that holds the character at ``offset``."""
        if not self._lines:
            self._lines = line_starts(self.content)
        return bisect_right(self._lines, offset)

    def change(self, edits: Iterable[Edit], *, kind: Kind, name: str, before: str, after: str) -> None:
        """Record edits and the change they make."""
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
