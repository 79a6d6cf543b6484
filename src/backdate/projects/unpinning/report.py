"""The report of unpinning: changes, and what was left as it is and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from backdate.editing.diff import diff_files

Kind = Literal["dependency", "constraint", "build", "python"]
"""What was loosened: a requirement, a constraint or override, a build dependency, the interpreter's range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoosenedRequirement:
    """One requirement, or one range of interpreters, that was loosened."""

    file: str
    """Path relative to the tree's root, with forward slashes."""
    line: int
    """Counted from 1, in the original file."""
    kind: Kind
    name: str
    """As the file spells it; ``python`` for a range of interpreters, an option's name for an option."""
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedPin:
    """Something that may hold a pin and was left as it is."""

    file: str
    line: int
    """Counted from 1; 0 when the whole file was left alone."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpinning:
    """The unpinned side of a check, as a difference from the tree that was read."""

    changes: tuple[LoosenedRequirement, ...]
    files: dict[str, bytes]
    """The new content of every file that was edited, by path relative to the root."""
    removed: tuple[str, ...]
    """The lock files that were set aside."""
    skipped: tuple[SkippedPin, ...]
    originals: dict[str, bytes]
    """The old content of every file that was edited or removed."""

    @property
    def patch(self) -> str:
        """The unified diff (see :mod:`backdate.editing.diff`), empty when nothing changes.

        Bytes of the files that are not UTF-8 are surrogate escapes in it: ``patch_text.encode_patch``
        gives the bytes to write. It is computed, not stored, because JSON cannot hold those.
        """
        return diff_files(self.originals, self.files)


def printable(text: str, limit: int = 300) -> str:
    """``text`` fit for a message and for JSON: at most ``limit`` characters, no lone surrogates."""
    short = text if len(text) <= limit else text[:limit] + "…"
    return short.encode("utf-8", "backslashreplace").decode("utf-8")
