"""What came of reading a project's files for recipes (``extract.py``)."""

from __future__ import annotations

from dataclasses import dataclass

from backdate.recipes.recipe import Recipe, SkippedInstruction


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """What a project's files say about installing and testing it."""

    candidates: tuple[Recipe, ...]
    """The most trusted first; those that would do the same are merged. Empty when there are no tests."""
    skipped: tuple[SkippedInstruction, ...]
    """What was found and is not followed, each once, with the reason."""
