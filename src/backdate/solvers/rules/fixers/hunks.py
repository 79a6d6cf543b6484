"""What of a rewritten file concerns a failure: the parts on its lines, and what goes with them."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from backdate.editing.diff import LineBlock
from backdate.editing.encodings import split_lines
from backdate.editing.line_maps import line_units, with_units
from backdate.editing.python_source import parsed_or_none

_NAME = re.compile(r"[^\W\d]\w*")


def concerning(
    before: str, after: str, failing: frozenset[int], executed: frozenset[int] = frozenset()
) -> str:
    """``before`` with what ``after`` changes on the lines ``failing``, and with what goes with that.

    With them go the imports of names that came, and what is written for names that went: in imports, and on
    the lines ``executed``. All lines are those of ``before``.
    """
    old, new = split_lines(before), split_lines(after)
    parts = _Parts(old, new, _import_lines(before), _import_lines(after))
    units = line_units(old, new)
    kept = {unit for unit in units if _lines(unit) & failing}
    while kept:
        went, came = parts.difference(kept)
        more = {unit for unit in units if unit not in kept and parts.goes_with(unit, went, came, executed)}
        if not more:
            break
        kept |= more
    return with_units(old, new, kept)


def names_in(text: str) -> frozenset[str]:
    """All that could be a name in a piece of source."""
    return frozenset(_NAME.findall(text))


def _lines(unit: LineBlock) -> frozenset[int]:
    return frozenset(range(unit[0] + 1, unit[1] + 1))


class _Parts:
    """The parts in which two texts differ, by the names in them."""

    def __init__(
        self, old: Sequence[str], new: Sequence[str], old_imports: frozenset[int], new_imports: frozenset[int]
    ) -> None:
        self._old, self._new = old, new
        self._old_imports, self._new_imports = old_imports, new_imports

    def names(self, unit: LineBlock) -> tuple[frozenset[str], frozenset[str]]:
        return names_in("".join(self._old[unit[0] : unit[1]])), names_in(
            "".join(self._new[unit[2] : unit[3]])
        )

    def difference(self, units: set[LineBlock]) -> tuple[frozenset[str], frozenset[str]]:
        """The names that went with ``units``, and those that came."""
        pairs = [self.names(unit) for unit in units]
        before = frozenset().union(*(old for old, _ in pairs))
        after = frozenset().union(*(new for _, new in pairs))
        return before - after, after - before

    def goes_with(
        self, unit: LineBlock, went: frozenset[str], came: frozenset[str], executed: frozenset[int]
    ) -> bool:
        old, new = self.names(unit)
        lines = _lines(unit)
        if (old - new) & went and (lines & executed or lines & self._old_imports):
            return True
        written = frozenset(range(unit[2] + 1, unit[3] + 1))
        return bool((new - old) & came and written & self._new_imports)


def _import_lines(text: str) -> frozenset[int]:
    tree = parsed_or_none(text)
    if tree is None:
        return frozenset()
    return frozenset(
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    )
