"""Which lines a patch edits, counted so that two patches can be compared.

The unit is one line of a file as it was before the edit (arXiv 2601.22597, Appendix B.2): a replaced line
and a deleted line are that line; lines added at one place are one unit, whatever their number: the line that
they follow. Both patches are compared by one and the same alignment, made from the texts: the alignment that
a patch happens to have been written with differs between programs, and a gold patch would then not agree
with itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from itertools import accumulate

from backdate.editing.diff import common_ends
from backdate.editing.encodings import lines_with_offsets

_MOST_STEPS = 200_000_000
"""Of comparing one file: some twenty seconds. A file of twelve thousand lines of which half are blank, with
edits at both ends, takes half of it."""


@dataclass(frozen=True, slots=True, order=True)
class EditedLine:
    """One line that a patch edits."""

    file: str
    """Relative to the root, with forward slashes."""
    line: int
    """Counted from 1 in the file before the edit. For added lines the one that they follow, 0 at the top."""


def edited_lines(before: Mapping[str, str], after: Mapping[str, str]) -> frozenset[EditedLine]:
    """The lines in which the files ``after`` differ from those ``before``, by path; a file that is in only
    one of the two is empty in the other."""
    edits: set[EditedLine] = set()
    for file in before.keys() | after.keys():
        old, new = before.get(file, ""), after.get(file, "")
        if old != new:
            edits.update(EditedLine(file, line) for line in _lines(old, new))
    return frozenset(edits)


def new_lines(old: str, new: str) -> frozenset[int]:
    """The lines of ``new``, counted from 1, that ``old`` does not have at that place."""
    left, right = _split(old), _split(new)
    lines: set[int] = set()
    for tag, _, _, first, last in _blocks(left, right):
        if tag in ("replace", "insert"):
            lines.update(range(first + 1, last + 1))
    return frozenset(lines)


def _lines(old: str, new: str) -> set[int]:
    lines: set[int] = set()
    for tag, first, last, _, _ in _blocks(_split(old), _split(new)):
        if tag in ("replace", "delete"):
            lines.update(range(first + 1, last + 1))
        elif tag == "insert":
            lines.add(first)
    return lines


def _split(text: str) -> list[str]:
    """The lines as Python counts them: a form feed or U+2028, where ``str.splitlines`` cuts, ends none.

    Line ends are no part of them: an answer that only writes others edits nothing.
    """
    return [line for _, line in lines_with_offsets(text)]


def _blocks(left: Sequence[str], right: Sequence[str]) -> Iterator[tuple[str, int, int, int, int]]:
    """What became of which lines, as ``SequenceMatcher.get_opcodes`` says it.

    Where that takes too many steps, all lines from the first that differs to the last are replaced: it reads
    each pair of equal lines again and again, and an answer may hold millions of them.
    """
    start, end = common_ends(left, right)
    old, new = left[start : len(left) - end], right[start : len(right) - end]
    try:
        opcodes = _Matcher(old, new).get_opcodes()
    except _TooMuch:
        yield "replace", start, len(left) - end, start, len(right) - end
        return
    for tag, first, last, others, end_of_others in opcodes:
        yield tag, start + first, start + last, start + others, start + end_of_others


class _TooMuch(Exception):
    """The comparison takes too many steps."""


class _Matcher(SequenceMatcher[str]):
    """A comparison that ends, if need be with ``_TooMuch``."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        super().__init__(None, old, new, autojunk=False)
        counts = Counter(new)
        self._steps = (0, *accumulate(1 + counts[line] for line in old))
        """Up to each line of ``old``: what one look for the longest match costs."""
        self._left = _MOST_STEPS

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        """As the base's. Raises _TooMuch."""
        self._left -= self._steps[len(self._steps) - 1 if ahi is None else ahi] - self._steps[alo]
        if self._left < 0:
            raise _TooMuch
        return super().find_longest_match(alo, ahi, blo, bhi)


def precision(edits: frozenset[EditedLine], gold: frozenset[EditedLine]) -> float:
    """The share of ``edits`` that are in ``gold`` as well (Equation 3); 0 when nothing was edited."""
    return len(edits & gold) / len(edits) if edits else 0.0
