"""Patches that anybody may have written, cut into the parts of single files and brought into one form.

Both forms are read, with ``a/`` and ``b/`` before the paths and without. A part that is no change of text is
named as such, so that the other parts can still be used.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from backdate.editing.patch import HUNK_START, OpenHunk
from backdate.editing.patch_text import decode_patch

_OLD = re.compile(rb'--- (?:"?a/|/dev/null)')
_NEW = re.compile(rb'\+\+\+ (?:"?b/|/dev/null)')
_GIT_PREFIXES = re.compile(rb'diff --git "?a/.* "?b/')
_LINK = re.compile(
    rb"(?:new file mode|deleted file mode|old mode|new mode|index [0-9a-f.]+) (?:120000|160000)"
)
_FIRST_HUNK = b"\n" + HUNK_START


class UntextualChange(StrEnum):
    """What a part of a patch is when it is no change of text."""

    BINARY = "it is a binary change"
    LINK = "it makes, changes or removes a link"
    RENAME = "it renames or copies a file"
    MODE = "it changes a file's mode"


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchPart:
    """The part of a foreign patch that is about one file."""

    name: str
    """For messages: the file, or what stands in the place of its name."""
    text: str
    """With bare paths, as ``patch.read_patch`` reads it."""
    untextual: UntextualChange | None


def split_foreign_patch(data: bytes) -> Iterator[PatchPart]:
    """The parts of the patch ``data``, in its order. Never raises because of its content."""
    lines = data.removeprefix(BOM_UTF8).removesuffix(b"\n").split(b"\n")
    outside = _outside_hunks(lines)
    if _is_prefixed(lines, outside):
        lines = _without_prefixes(lines, outside)
    for part in _parts(lines, outside):
        first = part.split(b"\n", 1)[0].decode("utf-8", "replace")
        name = first.removeprefix("diff --git ").split(" ")[0].removeprefix("a/")[:300]
        yield PatchPart(name=name, text=decode_patch(part), untextual=_untextual(part))


def _is_prefixed(lines: list[bytes], outside: list[bool]) -> bool:
    """Whether paths stand behind ``a/`` and ``b/``: of one file both do, or of different ones each.

    Without prefixes both names of a file are the same, so ``a/x`` beside ``b/x`` cannot be bare paths.
    """
    old = new = marked = other = 0
    for number, line in enumerate(lines):
        if not outside[number]:
            continue
        if _is_header(lines, number):
            following = lines[number + 1]
            if not _has_prefixes(lines, number):
                other += 1
                continue
            if b"/dev/null" not in line and b"/dev/null" not in following:
                return True
            old += b"/dev/null" not in line
            new += b"/dev/null" not in following
        marked += _GIT_PREFIXES.match(line) is not None
    return bool(marked or (old and new and not other))


def _has_prefixes(lines: list[bytes], number: int) -> bool:
    """Whether the header there has ``a/`` and ``b/``; a patch may have bare paths beside prefixed ones."""
    return _OLD.match(lines[number]) is not None and _NEW.match(lines[number + 1]) is not None


def _is_header(lines: list[bytes], number: int) -> bool:
    return (
        lines[number].startswith(b"--- ")
        and number + 1 < len(lines)
        and lines[number + 1].startswith(b"+++ ")
    )


def _outside_hunks(lines: list[bytes]) -> list[bool]:
    """For each line whether it stands outside the hunks: a removed line may look like a file's header."""
    outside = []
    hunk: OpenHunk | None = None
    for line in lines:
        inside = hunk is not None and hunk.is_open and hunk.take(line)
        if not inside:
            hunk = OpenHunk.from_header(line)
        outside.append(not inside)
    return outside


def _without_prefixes(lines: list[bytes], outside: list[bool]) -> list[bytes]:
    """The lines with ``a/`` and ``b/`` taken from the paths of those headers that have both."""
    bare = list(lines)
    for number, line in enumerate(lines):
        if not outside[number]:
            continue
        if _GIT_PREFIXES.match(line):
            bare[number] = re.sub(rb'( "?)[ab]/', rb"\1", line)
        elif _is_header(lines, number) and _has_prefixes(lines, number):
            bare[number] = re.sub(rb'^(--- "?)a/', rb"\1", line)
            bare[number + 1] = re.sub(rb'^(\+\+\+ "?)b/', rb"\1", lines[number + 1])
    return bare


def _parts(lines: list[bytes], outside: list[bool]) -> Iterator[bytes]:
    """The patch cut before each file's first header, so that one part that is left out spoils no other."""
    starts: list[int] = []
    in_git_header = False
    for number, line in enumerate(lines):
        if not outside[number]:
            continue
        if line.startswith(b"diff --git "):
            starts.append(number)
            in_git_header = True
        elif _is_header(lines, number):
            if not in_git_header:
                starts.append(number)
            in_git_header = False
    if not starts or any(outside[n] and lines[n].startswith(HUNK_START) for n in range(starts[0])):
        starts.insert(0, 0)
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield b"".join(line + b"\n" for line in lines[start:end])


def _untextual(part: bytes) -> UntextualChange | None:
    header, first_hunk, _ = part.partition(_FIRST_HUNK)
    lines = header.split(b"\n")
    if any(line.startswith((b"GIT binary patch", b"Binary files ")) for line in lines):
        return UntextualChange.BINARY
    if any(_LINK.match(line) for line in lines):
        return UntextualChange.LINK
    if any(line.startswith((b"rename from ", b"copy from ")) for line in lines):
        return UntextualChange.RENAME
    if not first_hunk and any(line.startswith(b"old mode") for line in lines):
        return UntextualChange.MODE
    return None
