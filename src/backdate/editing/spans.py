"""Edits at character spans: the rest of a file is never rewritten.

A :class:`Fragment` is a piece of text that was *read out of* a file (a logical line, the value of a
string literal). It knows where each of its characters stands in the file, so an edit of the value
becomes edits of the file, through line continuations, escapes and concatenated literals.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


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
        """Edits that put ``replacement`` for ``text[start:end]`` and keep what stands between its parts."""
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
    """``content`` with the edits made. Overlapping edits are an error in the program (AssertionError)."""
    parts = []
    position = 0
    for edit in sorted(set(edits)):
        if edit.start < position:
            raise AssertionError(f"overlapping edits at offset {edit.start}")
        parts += [content[position : edit.start], edit.replacement]
        position = edit.end
    return "".join(parts) + content[position:]
