"""The lines that a patch changes, without those around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from backdate.editing.patch import read_patch

Line = tuple[str, str]
"""A line's text and its style ("" for none)."""

_FIRST = re.compile(rb"@@ -(\d+)")
_MOST = 24


def changed_lines(patch: str) -> Iterator[Line]:
    """Each place of a patch, ``patch -p0``, below it what goes and what comes; of a long one the first."""
    shown = [*_changed(patch)]
    yield from shown[:_MOST]
    if len(shown) > _MOST:
        yield f"      and {len(shown) - _MOST} more lines (--format json has the patch)", "dim"


def takes_away(patch: str, name: str) -> bool:
    """Whether a line that ``patch`` takes away has ``name`` as a word, and no line that it gives has."""
    whole = re.compile(rf"\b{re.escape(name)}\b")
    found = {text.strip()[:1] for text, _ in _changed(patch) if whole.search(text)}
    return found == {"-"}


def _changed(patch: str) -> Iterator[Line]:
    for file in read_patch(patch):
        for hunk in file.hunks:
            head, *lines = hunk.text.split(b"\n")
            first = _FIRST.match(head)
            yield from _of_hunk(file.path, int(first[1]) if first else 1, lines)


def _of_hunk(path: str, number: int, lines: Sequence[bytes]) -> Iterator[Line]:
    between = True
    for line in lines:
        mark, text = line[:1], line[1:].decode(errors="replace").rstrip("\r")
        if mark in (b"-", b"+"):
            if between:
                yield f"      {path}:{number}", "dim"
            yield f"      {mark.decode()} {text}".rstrip(), "red" if mark == b"-" else "green"
        between = mark == b" " or (between and mark not in (b"-", b"+"))
        number += mark in (b" ", b"-")
