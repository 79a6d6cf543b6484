"""Half of a known solution: what tests must not take for all of it. Pure functions but for reading trees.

The places that the known solution changes are kept up to the middle and undone after it, or the other way
round. A place counts that makes another program: comments, documents and the like stay in both halves. A
solution of one place is cut within it, at the line nearest to its middle at which Python can still read the
file, so that no half fails for being no program.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.editing.diff import LineBlock, changed_blocks, diff_files
from backdate.editing.encodings import NotText, decode_source
from backdate.editing.python_source import parsed_or_none
from backdate.projects.hostile import read_beneath
from backdate.tasks.quality.meaning import same_program
from backdate.tasks.quality.record import HalfName

_LARGEST_FILE = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file that became others, or some of them."""

    path: str
    block: LineBlock

    @property
    def size(self) -> int:
        """How many lines it takes and gives."""
        old_start, old_end, new_start, new_end = self.block
        return old_end - old_start + new_end - new_start


@dataclass(frozen=True, slots=True)
class _Sides:
    """The files that a solution changes, before and after it; None: not there."""

    before: Mapping[str, bytes | None]
    after: Mapping[str, bytes | None]

    def without(self, undone: Iterable[Place]) -> dict[str, bytes | None]:
        """The new files with these places as they were before."""
        by_path: dict[str, list[Place]] = {}
        for place in undone:
            by_path.setdefault(place.path, []).append(place)
        return {path: self._undo(path, by_path.get(path, ())) for path in self.after}

    def _undo(self, path: str, places: Sequence[Place]) -> bytes | None:
        old, new = _lines(self.before[path]), _lines(self.after[path])
        for place in sorted(places, key=lambda each: each.block, reverse=True):
            old_start, old_end, new_start, new_end = place.block
            new[new_start:new_end] = old[old_start:old_end]
        absent = self.before[path] if self.after[path] is None or not new else b""
        return None if absent is None and not new else b"".join(new)


def half_of(
    old: Mapping[str, bytes | None], new: Mapping[str, bytes | None], half: HalfName = "first"
) -> str | None:
    """The patch of half of what became of the files; None where nothing of it can be halved."""
    sides = _Sides(old, new)
    places = [place for place in _places(sides) if _is_program(sides, [place])]
    if len(places) == 1:
        cuts: list[tuple[list[Place], list[Place]]] = list(_cuts_within(places[0]))
    else:
        cuts = [(places[:cut], places[cut:]) for cut in range(1, len(places))]
    for first, second in sorted(cuts, key=_imbalance):
        kept, undone = (first, second) if half == "first" else (second, first)
        if _reads(sides, undone) and _is_program(sides, undone) and _is_program(sides, kept, undone):
            return diff_files(sides.before, sides.without(undone))
    return None


def _places(sides: _Sides) -> Iterable[Place]:
    for path in sides.after:
        blocks = changed_blocks(_lines(sides.before[path]), _lines(sides.after[path]))
        yield from (Place(path, block) for block in blocks)


def _cuts_within(place: Place) -> Iterable[tuple[list[Place], list[Place]]]:
    """One place cut in two, after each of its new lines; the old lines are shared out as the new ones are."""
    old_start, old_end, new_start, new_end = place.block
    removed, added = old_end - old_start, new_end - new_start
    for kept in range(1, added):
        taken = min(removed, kept) if removed <= added else round(removed * kept / added)
        first = (old_start, old_start + taken, new_start, new_start + kept)
        second = (old_start + taken, old_end, new_start + kept, new_end)
        yield [replace(place, block=first)], [replace(place, block=second)]
    if not added:  # lines that only go
        for taken in range(1, removed):
            first = (old_start, old_start + taken, new_start, new_start)
            second = (old_start + taken, old_end, new_start, new_start)
            yield [replace(place, block=first)], [replace(place, block=second)]


def _imbalance(cut: tuple[list[Place], list[Place]]) -> int:
    first, second = (sum(place.size for place in part) for part in cut)
    return abs(first - second)


def _is_program(sides: _Sides, undone: Sequence[Place], beside: Sequence[Place] = ()) -> bool:
    """Whether undoing these makes another program of what is there without ``beside``."""
    with_them, without = sides.without(beside), sides.without([*beside, *undone])
    return any(
        not _same(path, with_them[path], without[path]) for path in dict.fromkeys(p.path for p in undone)
    )


def _same(path: str, one: bytes | None, other: bytes | None) -> bool:
    if not path.endswith(".py"):
        return not path.endswith(_PROGRAM) or one == other
    return (one is None) == (other is None) and same_program(
        _text(one), _text(other), exports=path.endswith("__init__.py")
    )


_PROGRAM = (".pyx", ".pxd", ".c", ".h", ".cpp", ".rs", ".js", ".ts", ".html", ".jinja", ".jinja2", ".j2")


def _reads(sides: _Sides, undone: Sequence[Place]) -> bool:
    """Whether Python reads every file that it reads with the whole solution."""
    left = sides.without(undone)
    return all(
        parsed_or_none(_text(data)) is not None or parsed_or_none(_text(sides.after[path])) is None
        for path, data in left.items()
        if path.endswith(".py")
    )


def _lines(data: bytes | None) -> list[bytes]:
    return (data or b"").splitlines(keepends=True)


def _text(data: bytes | None) -> str:
    try:
        return decode_source(data or b"", is_python=True).content
    except NotText:
        return ""


def files_at(tree: Path, paths: Sequence[str]) -> dict[str, bytes | None]:
    """What is at ``paths`` below ``tree``; None where nothing is, as in a folder that a solution makes.

    Raises ConfigurationError for what is no plain file, or is too large.
    """
    return {
        path: read_beneath(tree, path, limit=_LARGEST_FILE) if (tree / path).parent.is_dir() else None
        for path in paths
    }
