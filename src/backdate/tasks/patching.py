"""Applying patches that may be hostile, as ``patch -p0 -t -E`` applies them.

The patch is read here first: only unified hunks under plain file headers, and the creation or deletion of
an empty file, go on, each with a name that stays in the tree. GNU patch then gets what was read and
nothing else of the text (no ed scripts, renames, modes or links), with the published options, so that
offsets and fuzz are its own.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from backdate.errors import MachineError, SourceError
from backdate.projects.patches import encode_patch

MOST_BYTES = 64 * 1024 * 1024
"""Of one patch."""
MOST_FILES = 20_000
_TIMEOUT_S = 120.0
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_GIT_HEADER = re.compile(rb"diff --git (?P<old>.+?) (?P<new>(?P=old))\n")
_ESCAPE = re.compile(rb'\\([0-7]{3}|[abfnrtv"\\])')
_SIMPLE = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13, b'"': 34, b"\\": 92}
_NOTHING = b"/dev/null"


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePatch:
    """The part of a patch that is about one file."""

    path: str
    """Relative to the tree, with forward slashes."""
    kind: str
    """"change", "create" or "delete"."""
    text: bytes
    """File headers and hunks; empty for an empty file that comes or goes."""
    added: int
    removed: int
    """Lines."""


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
    lines = [line + b"\n" for line in data.split(b"\n")]
    if lines[-1] == b"\n":
        lines.pop()
    found = tuple(_PatchReader(lines, what).files())
    if len(found) > MOST_FILES:
        raise SourceError(f"{what} changes more than {MOST_FILES:,} files")
    return found


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
                yield from self._of_git(line)
            elif line.startswith(b"@@ "):
                raise SourceError(f"{self._what}: line {self._at + 1} is a hunk of no file")
            else:
                self._at += 1

    def _of_git(self, header: bytes) -> Iterator[FilePatch]:
        """The extended lines of git: an empty file that comes or goes is one; what is no text is refused."""
        kind = ""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith(
                (b"rename ", b"copy ", b"GIT binary", b"Binary files", b"old mode", b"new mode")
            ):
                raise SourceError(f"{self._what} holds a change that is no change of text: {_shown(line)}")
            if line.startswith((b"new file mode ", b"deleted file mode ")):
                if not line.rstrip().endswith((b" 100644", b" 100755")):
                    raise SourceError(f"{self._what} makes or deletes what is no file: {_shown(line)}")
                kind = "create" if line.startswith(b"new") else "delete"
            elif not line.startswith((b"index ", b"similarity ", b"dissimilarity ")):
                break
            self._at += 1
        if (kind and not self._lines[self._at : self._at + 1]) or not self._next_is_text():
            match = _GIT_HEADER.fullmatch(header)
            if kind and match:
                yield FilePatch(path=self._name(match["old"]), kind=kind, text=b"", added=0, removed=0)

    def _next_is_text(self) -> bool:
        return self._at < len(self._lines) and self._lines[self._at].startswith(b"--- ")

    def _file(self) -> FilePatch:
        start = self._at
        old, new = (self._header(self._lines[self._at + step]) for step in (0, 1))
        self._at += 2
        added = removed = 0
        while self._at < len(self._lines) and (match := _HUNK.match(self._lines[self._at])):
            more, less = self._hunk(*(1 if count is None else int(count) for count in match.groups()))
            added, removed = added + more, removed + less
        if self._at == start + 2:
            raise SourceError(f"{self._what} names {_shown(new)} without a hunk")
        if old == new == _NOTHING:
            raise SourceError(f"{self._what} changes /dev/null into itself")
        kind = "create" if old == _NOTHING else "delete" if new == _NOTHING else "change"
        names = {self._name(name) for name in (old, new) if name != _NOTHING}
        if len(names) != 1:
            raise SourceError(f"{self._what} calls one file {' and '.join(sorted(map(repr, names)))}")
        text = b"".join(self._lines[start : self._at])
        return FilePatch(path=names.pop(), kind=kind, text=text, added=added, removed=removed)

    def _hunk(self, old: int, new: int) -> tuple[int, int]:
        """Go behind one hunk; how many lines it adds and removes."""
        where, added, removed = self._at + 1, 0, 0
        self._at += 1
        while old > 0 or new > 0:
            line = self._lines[self._at] if self._at < len(self._lines) else b""
            sign = line[:1]
            if sign == b"-":
                old, removed = old - 1, removed + 1
            elif sign == b"+":
                new, added = new - 1, added + 1
            elif sign in (b" ", b"\n"):  # a context line that is empty may have lost its space
                old, new = old - 1, new - 1
            elif sign != b"\\":
                raise SourceError(f"{self._what}: the hunk in line {where} ends too early")
            self._at += 1
        if old or new:
            raise SourceError(f"{self._what}: the hunk in line {where} has another length than it says")
        if self._lines[self._at : self._at + 1] and self._lines[self._at].startswith(b"\\"):
            self._at += 1
        return added, removed

    def _header(self, line: bytes) -> bytes:
        return line[4:].rstrip(b"\r\n").partition(b"\t")[0]

    def _name(self, raw: bytes) -> str:
        name = _unquoted(raw).decode("utf-8", "surrogateescape")
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if (
            not parts
            or name.startswith(("/", "-"))
            or any(part == ".." or part.lower() == ".git" for part in parts)
            or any(ord(letter) < 32 for letter in name)
        ):
            raise SourceError(f"{self._what} names {name[:200]!r}, which leads out of the tree or into .git")
        return "/".join(parts)


def _unquoted(raw: bytes) -> bytes:
    if not (len(raw) >= 2 and raw.startswith(b'"') and raw.endswith(b'"')):
        return raw

    def byte(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return (
            bytes([int(code, 8) & 255])
            if code.isdigit()
            else bytes([_SIMPLE[code]])
            if code in _SIMPLE
            else b"?"
        )

    return _ESCAPE.sub(byte, raw[1:-1])


def _shown(line: bytes) -> str:
    return repr(line.strip().decode("utf-8", "replace")[:200])


def apply_patch(patch: str, tree: Path, *, what: str = "the patch") -> tuple[str, ...]:
    """Apply ``patch`` to ``tree`` with ``patch -p0 -t -E``; the paths that it changed. An empty one is
    skipped.

    Raises SourceError when it cannot be read (see ``read_patch``), leads through a link, or does not apply;
    the tree is then not to be used.
    """
    if not patch.strip():
        return ()
    return apply_files(read_patch(patch, what=what), tree, what=what)


def apply_files(files: Iterable[FilePatch], tree: Path, *, what: str = "the patch") -> tuple[str, ...]:
    """Apply parts of a patch that was read; the paths that they changed. Raises as ``apply_patch``."""
    found = tuple(files)
    for file in found:
        _require_inside(tree, file.path, what)
    text = b"".join(file.text for file in found)
    if text:
        _run_patch(text, tree, what)
    for file in found:
        target = tree / file.path
        if not file.text and file.kind == "create":
            target.parent.mkdir(parents=True, exist_ok=True)
            target.touch()
        elif not file.text and target.is_file():
            if target.stat().st_size:
                raise SourceError(f"{what} deletes {file.path!r} as an empty file, but it is not empty")
            target.unlink()
    return tuple(file.path for file in found)


def _require_inside(tree: Path, name: str, what: str) -> None:
    path = tree
    for part in name.split("/"):
        path = path / part
        if path.is_symlink():
            raise SourceError(f"{what} changes {name!r}, which leads through the link {part!r}")
    if path.exists() and not path.is_file():
        raise SourceError(f"{what} changes {name!r}, which is not a file")


def _run_patch(text: bytes, tree: Path, what: str) -> None:
    program = shutil.which("patch")
    if program is None:
        raise MachineError("the program patch is not installed; install it (apt-get install patch)")
    command = [program, "-p0", "-t", "-E", "-u", "--no-backup-if-mismatch", "-r", "-"]
    try:
        done = subprocess.run(
            command,
            cwd=tree,
            input=text,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
        )
    except subprocess.TimeoutExpired as error:
        raise SourceError(f"{what} could not be applied within {_TIMEOUT_S:.0f} s") from error
    if done.returncode != 0:
        said = (done.stdout + done.stderr).decode("utf-8", "replace")
        wrong = [line for line in said.splitlines() if not line.startswith("patching file")]
        raise SourceError(f"{what} does not apply: {' '.join(wrong)[:1500] or 'patch gave no reason'}")


def changed_paths(patch: str, *, what: str = "the patch") -> tuple[str, ...]:
    """The paths that ``patch`` changes, in its order. Raises SourceError as ``read_patch`` does."""
    return tuple(dict.fromkeys(file.path for file in read_patch(patch, what=what)))


def as_git_patch(patch: str, *, what: str = "the patch") -> str:
    """``patch`` in the form that ``git apply`` and ``patch -p1`` take: ``a/`` and ``b/`` before each path.

    Raises SourceError as ``read_patch`` does.
    """
    parts: list[bytes] = []
    for file in read_patch(patch, what=what):
        name = file.path.encode("utf-8", "surrogateescape")
        parts.append(b"diff --git a/%s b/%s\n" % (name, name))
        if file.kind != "change":
            parts.append(
                b"new file mode 100644\n" if file.kind == "create" else b"deleted file mode 100644\n"
            )
        if file.text:
            hunks = file.text.split(b"\n", 2)[2]
            parts.append(b"--- " + (b"/dev/null" if file.kind == "create" else b"a/" + name) + b"\n")
            parts.append(b"+++ " + (b"/dev/null" if file.kind == "delete" else b"b/" + name) + b"\n")
            parts.append(hunks if hunks.endswith(b"\n") else hunks + b"\n")
    return b"".join(parts).decode("utf-8", "surrogateescape")
