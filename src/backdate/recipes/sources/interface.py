"""What a source of recipes is: it reads a project's files and returns the jobs that they declare."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from backdate.recipes.actions import DeclaredJob
from backdate.recipes.files import Files
from backdate.recipes.recipe import SkippedInstruction
from backdate.recipes.sources.kinds import SourceKind

DeclaredJobs: TypeAlias = tuple[tuple[DeclaredJob, ...], tuple[SkippedInstruction, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeSource:
    """A source of recipes; an entry point in the group ``backdate.recipe_sources`` names one."""

    kind: SourceKind
    """What its files are like: as much trust is put in them, and leaving the kind out leaves it out."""
    read: Callable[[Files], DeclaredJobs]
    """The jobs that the files declare, the most trusted first, and what is not followed. It runs nothing."""
