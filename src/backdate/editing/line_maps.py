"""Which line of a changed text a line of the text before became, and the changed parts one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from backdate.editing.diff import LineBlock, changed_blocks
from backdate.editing.encodings import split_lines


def line_units(old: Sequence[str], new: Sequence[str]) -> tuple[LineBlock, ...]:
    """The smallest parts in which two texts differ: a line that became another, lines that came or went."""
    units: list[LineBlock] = []
    for old_start, old_end, new_start, new_end in changed_blocks(old, new):
        if old_end - old_start == new_end - new_start:
            units += [
                (old_start + at, old_start + at + 1, new_start + at, new_start + at + 1)
                for at in range(old_end - old_start)
                if old[old_start + at] != new[new_start + at]
            ]
        else:
            units.append((old_start, old_end, new_start, new_end))
    return tuple(units)


def with_units(old: Sequence[str], new: Sequence[str], units: Iterable[LineBlock]) -> str:
    """The old text with some of its ``line_units`` changed to what stands in the new one."""
    parts: list[str] = []
    position = 0
    for old_start, old_end, new_start, new_end in sorted(units):
        parts += old[position:old_start]
        parts += new[new_start:new_end]
        position = old_end
    return "".join((*parts, *old[position:]))


@dataclass(frozen=True, slots=True)
class LineMap:
    """The lines of two texts beside each other; lines count from 1."""

    units: tuple[LineBlock, ...] = ()

    @classmethod
    def between(cls, old: str, new: str) -> LineMap:
        """The map of two texts."""
        return cls(() if old == new else line_units(split_lines(old), split_lines(new)))

    def of(self, lines: Collection[int]) -> frozenset[int]:
        """The lines that ``lines`` became: all of a part whose length changed, none of one that is gone."""
        return frozenset(new for line in lines for new in self._of_line(line - 1))

    def _of_line(self, line: int) -> Iterator[int]:
        shift = 0
        for old_start, old_end, new_start, new_end in self.units:
            if line < old_start:
                break
            if line < old_end:
                yield from range(new_start + 1, new_end + 1)
                return
            shift = new_end - old_end
        yield line + shift + 1

    @property
    def changed(self) -> frozenset[int]:
        """Lines of the new text that differ; of lines that only went, the one that stands in their place."""
        lines: set[int] = set()
        for _, _, new_start, new_end in self.units:
            lines.update(range(new_start + 1, max(new_end, new_start + 1) + 1))
        return frozenset(lines)
