"""What became of a rewrite of one file: its text by now, and what was left alone with why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from backdate.editing.spans import Edit


class LeftAloneReason(StrEnum):
    """Why a use is not changed."""

    UNPARSABLE = "unparsable"
    """The file is no Python of any version."""
    GENERATED = "generated"
    """The file says that a program writes it."""
    SHADOWED = "shadowed"
    """The name stands for something else there."""
    STAR_IMPORT = "star-import"
    """Nobody can tell what ``from … import *`` brings."""
    GUARDED = "guarded"
    """The code is ready for both: ``try … except ImportError``, ``hasattr``, a test of the version."""
    IN_TEXT = "in-text"
    """It stands in a string or a comment."""
    ARGUMENTS = "arguments"
    """The call gives what the rewrite cannot carry over: ``*args``, ``**kwargs``, a missing value."""
    TOO_DEEP = "too-deep"
    """The file nests expressions so deeply that looking around a use takes too long."""
    NOT_THERE = "not-there"
    """No line that was asked for uses it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftAlone:
    """A use, or a whole file, that is not changed."""

    reason: LeftAloneReason
    line: int = 0
    """From 1; 0 for the whole file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RewrittenSource:
    """What a rewrite makes of one file's text."""

    edits: tuple[Edit, ...] = ()
    """They do not overlap; offsets in characters."""
    lines: tuple[int, ...] = ()
    """The lines, before the edits, of the uses that are changed."""
    left: tuple[LeftAlone, ...] = ()
