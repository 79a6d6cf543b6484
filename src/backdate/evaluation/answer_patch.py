"""Taking an answer: of a patch that anybody may have written, the changes of allowed files.

Both forms are read, with ``a/`` and ``b/`` before the paths and without. What is not part of an answer is
left out and named: tests, configuration, scripts, declarations, links, binary files, modes, renames, files
that are new or removed. The rest is applied by ``tasks.patching``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from backdate.errors import SourceError
from backdate.evaluation.scores import ScoreOutcome
from backdate.projects.patches import encode_patch
from backdate.tasks.edit_policy import EditPolicy
from backdate.tasks.patching import FilePatch, read_patch

LONGEST_PATCH = 8 * 1024 * 1024
"""Bytes; the largest gold patch of the published data is a thousandth of it."""
_MOST_DROPPED = 50
_LONGEST_PATH, _LONGEST_PART = 2000, 255
"""Bytes of a path and of a name in it."""
_LONGEST_TOLD = 500
"""Characters of foreign text in a reason."""

_HUNK = re.compile(rb"@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@")
_OLD = re.compile(rb'--- (?:"?a/|/dev/null)')
_NEW = re.compile(rb'\+\+\+ (?:"?b/|/dev/null)')
_BINARY = (b"GIT binary patch", b"Binary files ")
_LINK = re.compile(
    rb"(?:new file mode|deleted file mode|old mode|new mode|index [0-9a-f.]+) (?:120000|160000)"
)
_UNTEXTUAL = (b"rename from ", b"copy from ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What an answer comes to."""

    files: tuple[FilePatch, ...]
    """To be applied."""
    dropped: tuple[str, ...] = ()
    """What is not part of the answer, each "path: why"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedAnswer:
    """An answer that comes to nothing."""

    outcome: ScoreOutcome
    reason: str
    dropped: tuple[str, ...] = ()


def take_patch(patch: str, tree: Path, rules: EditPolicy) -> Taken | RejectedAnswer:
    """The part of ``patch`` that changes allowed files of ``tree``; never raises because of its content."""
    try:
        data = encode_patch(patch)
    except UnicodeEncodeError:
        return RejectedAnswer(
            outcome=ScoreOutcome.MALFORMED, reason="the patch holds characters that are no text"
        )
    if not data.strip():
        return RejectedAnswer(outcome=ScoreOutcome.EMPTY, reason="the patch is empty")
    if len(data) > LONGEST_PATCH:
        reason = f"the patch has {len(data):,} bytes; {LONGEST_PATCH:,} are allowed"
        return RejectedAnswer(outcome=ScoreOutcome.HUGE, reason=reason)
    files: list[FilePatch] = []
    dropped: list[str] = []
    binary = 0
    lines = data.removesuffix(b"\n").split(b"\n")
    outside = _outside_hunks(lines)
    if _is_prefixed(lines, outside):
        lines = _bare(lines, outside)
    for section in _sections(lines, outside):
        why = _untextual(section)
        if why:
            binary += why == "it is a binary change"
            dropped.append(f"{_name_of(section)}: {why}")
            continue
        try:
            found = read_patch(section.decode("utf-8", "surrogateescape"))
        except SourceError as error:
            reason = _cut(str(error))
            return RejectedAnswer(outcome=ScoreOutcome.MALFORMED, reason=reason, dropped=_shortened(dropped))
        for file in found:
            why = _why_not(file, tree, rules)
            if why:
                dropped.append(f"{_cut(file.path)}: {why}")
            else:
                files.append(file)
    return _taken(files, _shortened(dropped), only_binary=bool(binary) and binary == len(dropped))


def _taken(files: list[FilePatch], dropped: tuple[str, ...], *, only_binary: bool) -> Taken | RejectedAnswer:
    if files:
        return Taken(files=tuple(files), dropped=dropped)
    if only_binary:
        return RejectedAnswer(outcome=ScoreOutcome.BINARY, reason="the patch is binary", dropped=dropped)
    if dropped:
        reason = f"nothing of the patch may be changed: {dropped[0]}"
        return RejectedAnswer(outcome=ScoreOutcome.NOT_ALLOWED, reason=reason, dropped=dropped)
    return RejectedAnswer(
        outcome=ScoreOutcome.MALFORMED, reason="the text is no patch: it has no file header and hunk"
    )


def _is_prefixed(lines: list[bytes], outside: list[bool]) -> bool:
    """Whether the paths stand behind ``a/`` and ``b/``: all of them do, and one of each kind is there.

    Without prefixes both names of a file are the same, so ``a/x`` beside ``b/x`` cannot be bare paths.
    """
    old = new = marked = 0
    for number, line in enumerate(lines):
        if not outside[number]:
            continue
        if _is_header(lines, number):
            following = lines[number + 1]
            if not (_OLD.match(line) and _NEW.match(following)):
                return False
            old += b"/dev/null" not in line
            new += b"/dev/null" not in following
        marked += line.startswith((b"diff --git a/", b'diff --git "a/'))
    return bool(marked or (old and new))


def _is_header(lines: list[bytes], number: int) -> bool:
    return (
        lines[number].startswith(b"--- ")
        and lines[number + 1 : number + 2] != []
        and lines[number + 1].startswith(b"+++ ")
    )


def _outside_hunks(lines: list[bytes]) -> list[bool]:
    """For each line whether it stands outside the hunks: a removed line may look like a file's header."""
    outside = []
    old = new = 0
    for line in lines:
        sign = line[:1]
        if (old > 0 or new > 0) and sign in (b"-", b"+", b" ", b"", b"\\"):
            old -= sign in (b"-", b" ", b"")
            new -= sign in (b"+", b" ", b"")
            outside.append(False)
            continue
        match = _HUNK.match(line)
        old, new = (1 if count is None else int(count) for count in match.groups()) if match else (0, 0)
        outside.append(True)
    return outside


def _bare(lines: list[bytes], outside: list[bool]) -> list[bytes]:
    """The lines with ``a/`` and ``b/`` taken from the headers' paths."""
    bare = list(lines)
    for number, line in enumerate(lines):
        if not outside[number]:
            continue
        if line.startswith(b"diff --git "):
            bare[number] = re.sub(rb'( "?)[ab]/', rb"\1", line)
        elif _is_header(lines, number):
            bare[number] = re.sub(rb'^(--- "?)a/', rb"\1", line)
            bare[number + 1] = re.sub(rb'^(\+\+\+ "?)b/', rb"\1", lines[number + 1])
    return bare


def _sections(lines: list[bytes], outside: list[bool]) -> Iterator[bytes]:
    """The patch cut before each file's first header, so that one part that is left out spoils no other."""
    starts: list[int] = []
    in_git_head = False
    for number, line in enumerate(lines):
        if not outside[number]:
            continue
        if line.startswith(b"diff --git "):
            starts.append(number)
            in_git_head = True
        elif _is_header(lines, number):
            if not in_git_head:
                starts.append(number)
            in_git_head = False
    if not starts or any(outside[n] and lines[n].startswith(b"@@ ") for n in range(starts[0])):
        starts.insert(0, 0)
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield b"".join(line + b"\n" for line in lines[start:end])


def _untextual(section: bytes) -> str:
    """What makes a section no change of text; empty when nothing does."""
    head = section.split(b"\n@@ ", 1)[0]
    lines = head.split(b"\n")
    if any(line.startswith(_BINARY) for line in lines):
        return "it is a binary change"
    if any(_LINK.match(line) for line in lines):
        return "it makes, changes or removes a link"
    if any(line.startswith(_UNTEXTUAL) for line in lines):
        return "it renames or copies a file"
    if b"\n@@ " not in section and any(line.startswith(b"old mode") for line in lines):
        return "it changes a file's mode"
    return ""


def _name_of(section: bytes) -> str:
    first = section.split(b"\n", 1)[0].decode("utf-8", "replace")
    return first.removeprefix("diff --git ").split(" ")[0].removeprefix("a/")[:300]


def _why_not(file: FilePatch, tree: Path, rules: EditPolicy) -> str:
    # No file system that a tree comes from holds longer ones, and asking for one is an error of its own.
    data = file.path.encode("utf-8", "surrogateescape")
    if len(data) > _LONGEST_PATH or any(len(part) > _LONGEST_PART for part in data.split(b"/")):
        return "its path is longer than any file's"
    path = tree
    for part in file.path.split("/"):
        path = path / part
        if path.is_symlink():
            return "it is reached through a link"
    why = rules.why_not(file.path)
    if why:
        return why
    if file.kind == "delete":
        return "it is removed, and answers change files"
    if file.kind == "create" or not path.exists():
        return "new files are not part of an answer"
    return "" if path.is_file() else "it is not a file"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TOLD else f"{text[:_LONGEST_TOLD]}…"


def _shortened(dropped: list[str]) -> tuple[str, ...]:
    more = len(dropped) - _MOST_DROPPED
    return (*dropped[:_MOST_DROPPED], *((f"… and {more} more",) if more > 0 else ()))
