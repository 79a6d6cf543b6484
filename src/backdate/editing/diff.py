"""Unified diffs between two sets of files, as ``patch -p0`` and ``git apply -p0`` read them.

Paths are written bare (``--- requirements.txt``, no ``a/`` and ``b/``), as in the patches that
TimeMachine-bench publishes. A file that does not exist on one side is ``/dev/null`` there; only the
creation or deletion of an *empty* file, which has no hunk, is written as git's extended header.
GNU patch cannot delete an empty file, and removes one that becomes empty; git handles both correctly.

Lines end at LF alone, so a CR is part of its line and survives. Bytes that are not UTF-8 become surrogate
escapes: write a patch with ``patch_text.encode_patch``, never with a plain ``encode``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import AnyStr

from backdate.editing.patch_text import NO_FILE, decode_patch, empty_file_header, header_path

CONTEXT_LINES = 3

_MATCHED_PAIRS = 25_000_000
"""Beyond this many pairs of lines the quadratic matcher is not run (a hostile file would keep it busy)."""

_NO_NEWLINE = b"\\ No newline at end of file\n"

LineBlock = tuple[int, int, int, int]
"""Lines ``[old_start, old_end)`` became lines ``[new_start, new_end)``."""


def diff_files(old: Mapping[str, bytes | None], new: Mapping[str, bytes | None]) -> str:
    """The unified diff that turns ``old`` into ``new``, files in the order of their paths.

    Keys are paths relative to the folder in which the patch is applied, with forward slashes. A path
    that is absent from a mapping, or None in it, is a file that does not exist on that side. Empty
    files that come or go stand last: git would read a plain header behind theirs as part of it.
    """
    paths = sorted({*old, *new}, key=lambda path: (not old.get(path) and not new.get(path), path))
    return "".join(diff_texts(path, old.get(path), new.get(path)) for path in paths)


def diff_texts(path: str, old: bytes | None, new: bytes | None) -> str:
    """The unified diff of one file; empty when nothing changed. None is a file that does not exist."""
    if old == new:
        return ""
    if not old and not new:
        return empty_file_header(path, created=old is None)
    old_lines, new_lines = _lines(old or b""), _lines(new or b"")
    parts = [
        b"--- " + (NO_FILE if old is None else header_path(path)) + b"\n",
        b"+++ " + (NO_FILE if new is None else header_path(path)) + b"\n",
    ]
    for hunk in _hunks(changed_blocks(old_lines, new_lines)):
        parts.extend(_write_hunk(hunk, old_lines, new_lines))
    return decode_patch(b"".join(parts))


def common_ends(old: Sequence[AnyStr], new: Sequence[AnyStr]) -> tuple[int, int]:
    """How many lines at the beginning, and then how many at the end, are the same on both sides."""
    shorter = min(len(old), len(new))
    head = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    tail = next((i for i in range(shorter - head) if old[-1 - i] != new[-1 - i]), shorter - head)
    return head, tail


def _lines(data: bytes) -> list[bytes]:
    """Lines with their LF; a CR, a form feed or a Unicode separator is content."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    if not lines[-1]:
        lines.pop()
    return lines


def changed_blocks(old: Sequence[AnyStr], new: Sequence[AnyStr]) -> Iterator[LineBlock]:
    """The blocks of lines that differ, in order."""
    head, tail = common_ends(old, new)
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    if not old or not new:
        yield head, head + len(old), head, head + len(new)
    elif len(old) * len(new) <= _MATCHED_PAIRS:
        matcher = SequenceMatcher(None, old, new, autojunk=True)
        for tag, a, b, c, d in matcher.get_opcodes():
            if tag != "equal":
                yield head + a, head + b, head + c, head + d
    elif len(old) == len(new):  # edits inside lines: compare the lines pairwise
        for i, (before, after) in enumerate(zip(old, new, strict=True), start=head):
            if before != after:
                yield i, i + 1, i, i + 1
    else:
        yield head, head + len(old), head, head + len(new)


def _hunks(blocks: Iterator[LineBlock]) -> Iterator[list[LineBlock]]:
    """Blocks grouped so that the contexts of two groups do not touch."""
    group: list[LineBlock] = []
    for block in blocks:
        if group and block[0] - group[-1][1] > 2 * CONTEXT_LINES:
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def _write_hunk(blocks: list[LineBlock], old: Sequence[bytes], new: Sequence[bytes]) -> Iterator[bytes]:
    before = min(CONTEXT_LINES, blocks[0][0])
    after = min(CONTEXT_LINES, len(old) - blocks[-1][1])
    old_range = _range(blocks[0][0] - before, blocks[-1][1] + after)
    new_range = _range(blocks[0][2] - before, blocks[-1][3] + after)
    yield f"@@ -{old_range} +{new_range} @@\n".encode()
    position = blocks[0][0] - before
    for old_start, old_end, new_start, new_end in blocks:
        yield from (_line(b" ", line) for line in old[position:old_start])
        yield from (_line(b"-", line) for line in old[old_start:old_end])
        yield from (_line(b"+", line) for line in new[new_start:new_end])
        position = old_end
    yield from (_line(b" ", line) for line in old[position : position + after])


def _range(start: int, end: int) -> str:
    """Lines ``[start, end)``, counted from 0, as a hunk's header counts them (POSIX diff, unified format)."""
    length = end - start
    if length == 0:
        return f"{start},0"
    return f"{start + 1}" if length == 1 else f"{start + 1},{length}"


def _line(sign: bytes, line: bytes) -> bytes:
    return sign + line if line.endswith(b"\n") else sign + line + b"\n" + _NO_NEWLINE
