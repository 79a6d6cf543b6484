"""What a patch changes, file by file and hunk by hunk: reading, splitting, joining, writing.

A patch may be hostile. Only unified hunks below plain file headers, and the creation or deletion of an
empty file, are read, each with a name that stays in the tree. Nothing else of the text goes on: no ed
scripts, renames, modes or links.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from backdate.editing.patch_text import (
    NO_FILE,
    decode_patch,
    empty_file_header,
    encode_patch,
    header_path,
    unquoted,
)
from backdate.errors import SourceError

MOST_BYTES = 64 * 1024 * 1024
"""Of one patch."""
MOST_FILES = 20_000
HUNK_START = b"@@ "
_HUNK = re.compile(rb"@@ -\d+(?:,(\d{1,9}))? \+\d+(?:,(\d{1,9}))? @@")
"""GNU patch judges where a hunk stands; the lengths are counted here, and no patch has a billion lines."""
_NOT_TEXT = (b"rename ", b"copy ", b"GIT binary", b"Binary files", b"old mode", b"new mode")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """One place of a file that a patch changes."""

    text: bytes
    """The ``@@`` line and the lines below it."""
    added: int
    removed: int
    """Lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePatch:
    """The part of a patch that is about one file."""

    path: str
    """Relative to the tree, with forward slashes."""
    kind: Literal["change", "create", "delete"]
    header: bytes
    """The ``---`` and ``+++`` lines; empty for an empty file that comes or goes."""
    hunks: tuple[Hunk, ...]

    @property
    def text(self) -> bytes:
        """File headers and hunks; empty for an empty file that comes or goes."""
        return self.header + b"".join(hunk.text for hunk in self.hunks)

    @property
    def added(self) -> int:
        """Lines."""
        return sum(hunk.added for hunk in self.hunks)

    @property
    def removed(self) -> int:
        """Lines."""
        return sum(hunk.removed for hunk in self.hunks)


@dataclass(slots=True)
class OpenHunk:
    """How many lines of a hunk are still to come on each side."""

    old: int
    new: int

    @classmethod
    def from_header(cls, line: bytes) -> OpenHunk | None:
        """The hunk that ``line`` begins; None when it is no hunk's header."""
        match = _HUNK.match(line)
        return match and cls(*(1 if count is None else int(count) for count in match.groups()))

    @property
    def is_open(self) -> bool:
        """Whether lines are still to come."""
        return self.old > 0 or self.new > 0

    def take(self, line: bytes) -> bool:
        """Count ``line``; False when it cannot be a line of a hunk."""
        sign = line[:1]
        context = sign in (b" ", b"\n", b"")  # an empty context line may have lost its space
        self.old -= context or sign == b"-"
        self.new -= context or sign == b"+"
        return context or sign in (b"-", b"+", b"\\")


def read_patch(patch: str, *, what: str = "the patch") -> tuple[FilePatch, ...]:
    """The files that ``patch`` (a unified diff with bare paths, ``-p0``) changes, in its order.

    What stands between the parts (``diff`` and ``index`` lines, prose) is left out. Raises SourceError,
    naming ``what``, for a damaged hunk, a name that leads out of the tree or into ``.git``, and what is no
    change of text: renames, modes, links, binary parts.
    """
    try:
        data = encode_patch(patch)
    except UnicodeEncodeError as error:
        raise SourceError(f"{what} holds characters that are no text: {error.reason}") from error
    if len(data) > MOST_BYTES:
        raise SourceError(f"{what} is longer than {MOST_BYTES:,} bytes")
    lines = [line + b"\n" for line in data.removeprefix(BOM_UTF8).split(b"\n")]
    if lines[-1] == b"\n":
        lines.pop()
    files = tuple(_PatchReader(lines, what).files())
    if len(files) > MOST_FILES:
        raise SourceError(f"{what} changes more than {MOST_FILES:,} files")
    return files


def changed_paths(patch: str, *, what: str = "the patch") -> tuple[str, ...]:
    """The paths that ``patch`` changes, in its order. Raises SourceError as ``read_patch`` does."""
    return tuple(dict.fromkeys(file.path for file in read_patch(patch, what=what)))


def split_hunks(files: Iterable[FilePatch]) -> list[FilePatch]:
    """One part for each hunk; a file that comes or goes stays whole."""
    parts: list[FilePatch] = []
    for file in files:
        if file.kind == "change":
            parts += [replace(file, hunks=(hunk,)) for hunk in file.hunks]
        else:
            parts.append(file)
    return parts


def join_hunks(parts: Iterable[FilePatch]) -> list[FilePatch]:
    """The files that the parts are about; hunks of one file that follow each other share its header."""
    files: list[FilePatch] = []
    for (kind, _), group in groupby(parts, key=lambda part: (part.kind, part.header)):
        if kind == "change":
            same = list(group)
            files.append(replace(same[0], hunks=tuple(hunk for part in same for hunk in part.hunks)))
        else:
            files += group
    return files


def write_patch(files: Sequence[FilePatch]) -> str:
    """The patch that ``read_patch`` reads as ``files``, empty files last.

    git and ``read_patch`` would take a plain header behind an empty file's as part of it.
    """
    texts = b"".join(file.text for file in files)
    empty = [empty_file_header(file.path, created=file.kind == "create") for file in files if not file.hunks]
    return decode_patch(texts) + "".join(empty)


def as_git_patch(patch: str, *, what: str = "the patch") -> str:
    """``patch`` in the form that ``git apply`` and ``patch -p1`` take: ``a/`` and ``b/`` before each path.

    Raises SourceError as ``read_patch`` does.
    """
    parts: list[bytes] = []
    for file in read_patch(patch, what=what):
        old, new = (header_path(f"{side}/{file.path}") for side in "ab")
        parts.append(b"diff --git %s %s\n" % (old.rstrip(b"\t"), new.rstrip(b"\t")))
        if file.kind != "change":
            parts.append(b"%s file mode 100644\n" % (b"new" if file.kind == "create" else b"deleted"))
        if file.hunks:
            parts.append(b"--- %s\n" % (NO_FILE if file.kind == "create" else old))
            parts.append(b"+++ %s\n" % (NO_FILE if file.kind == "delete" else new))
            parts += [hunk.text for hunk in file.hunks]
    return decode_patch(b"".join(parts))


class _PatchReader:
    def __init__(self, lines: list[bytes], what: str) -> None:
        self._lines = lines
        self._what = what
        self._at = 0

    def files(self) -> Iterator[FilePatch]:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            following = self._lines[self._at + 1] if self._at + 1 < len(self._lines) else b""
            if line.startswith(b"--- ") and following.startswith(b"+++ "):
                yield self._file()
            elif line.startswith(b"diff --git "):
                self._at += 1
                yield from self._git_file(line)
            elif line.startswith(HUNK_START):
                raise SourceError(f"{self._what}: line {self._at + 1} is a hunk of no file")
            else:
                self._at += 1

    def _git_file(self, header: bytes) -> Iterator[FilePatch]:
        """Read git's extended lines: an empty file that comes or goes is read, what is no text is refused."""
        kind: Literal["create", "delete"] | None = None
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith(_NOT_TEXT):
                raise SourceError(f"{self._what} holds a change that is no change of text: {_shown(line)}")
            if line.startswith((b"new file mode ", b"deleted file mode ")):
                if not line.rstrip().endswith((b" 100644", b" 100755")):
                    raise SourceError(f"{self._what} makes or deletes what is no file: {_shown(line)}")
                kind = "create" if line.startswith(b"new") else "delete"
            elif not line.startswith((b"index ", b"similarity ", b"dissimilarity ")):
                break
            self._at += 1
        has_hunks = self._at < len(self._lines) and self._lines[self._at].startswith(b"--- ")
        name = _name_of_git_header(header)
        if kind and name and not has_hunks:
            yield FilePatch(path=self._path(name), kind=kind, header=b"", hunks=())

    def _file(self) -> FilePatch:
        header = self._lines[self._at : self._at + 2]
        old, new = (line[4:].rstrip(b"\r\n").partition(b"\t")[0] for line in header)
        self._at += 2
        hunks = tuple(self._hunks())
        if not hunks:
            raise SourceError(f"{self._what} names {_shown(new)} without a hunk")
        if old == new == NO_FILE:
            raise SourceError(f"{self._what} changes /dev/null into itself")
        paths = {self._path(name) for name in (old, new) if name != NO_FILE}
        if len(paths) != 1:
            raise SourceError(f"{self._what} calls one file {' and '.join(sorted(map(repr, paths)))}")
        return FilePatch(
            path=paths.pop(),
            kind="create" if old == NO_FILE else "delete" if new == NO_FILE else "change",
            header=b"".join(header),
            hunks=hunks,
        )

    def _hunks(self) -> Iterator[Hunk]:
        """The hunks that follow."""
        while self._at < len(self._lines) and (hunk := OpenHunk.from_header(self._lines[self._at])):
            start = self._at
            self._at += 1
            while hunk.is_open:
                if self._at == len(self._lines) or not hunk.take(self._lines[self._at]):
                    raise SourceError(f"{self._what}: the hunk in line {start + 1} ends too early")
                self._at += 1
            if hunk.old or hunk.new:
                raise SourceError(
                    f"{self._what}: the hunk in line {start + 1} has another length than it says"
                )
            if self._at < len(self._lines) and self._lines[self._at].startswith(b"\\"):
                self._at += 1
            signs = [line[:1] for line in self._lines[start + 1 : self._at]]
            yield Hunk(
                text=b"".join(self._lines[start : self._at]),
                added=signs.count(b"+"),
                removed=signs.count(b"-"),
            )

    def _path(self, raw: bytes) -> str:
        name = decode_patch(unquoted(raw))
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if (
            not parts
            or name.startswith(("/", "-"))
            or any(part == ".." or part.lower() == ".git" for part in parts)
            or any(ord(letter) < 32 for letter in name)
        ):
            raise SourceError(f"{self._what} names {name[:200]!r}, which leads out of the tree or into .git")
        return "/".join(parts)


def _name_of_git_header(line: bytes) -> bytes | None:
    """The name that stands twice in a ``diff --git`` line; None when two names stand there."""
    names = line.removeprefix(b"diff --git ").removesuffix(b"\n")
    # By its length: a pattern with a back reference takes quadratic time on a hostile line.
    middle = len(names) // 2
    old, between, new = names[:middle], names[middle : middle + 1], names[middle + 1 :]
    return old if old and old == new and between == b" " else None


def _shown(line: bytes) -> str:
    return repr(line.strip().decode("utf-8", "replace")[:200])
