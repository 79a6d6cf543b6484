"""How a test is changed."""

from __future__ import annotations

from enum import StrEnum


class ChangeKind(StrEnum):
    """How a test is changed so that a real execution of it fails."""

    INVERTED = "inverted"
    """Its last assertion asserts the opposite."""
    RAISES = "raises-at-end"
    """Its last statement raises."""
    LITERAL = "literal"
    """A literal expected value is another one of the same type."""
    WRAPPED = "wrapped"
    """The expected value is a tuple of it and a secret: ``x == (expected, secret)``."""
    REPLACED = "raises-instead"
    """A raise stands where its last assertion was: shows whether that is reached. Not for judge runs."""


JUDGING_KINDS = (ChangeKind.INVERTED, ChangeKind.RAISES, ChangeKind.LITERAL, ChangeKind.WRAPPED)
"""Those that judge runs use."""
