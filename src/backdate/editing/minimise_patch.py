"""Leaving out of a patch what is not needed: delta debugging over its hunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from backdate.editing.minimise import Subset, minimise
from backdate.editing.patch import FilePatch, join_hunks, split_hunks, write_patch


@dataclass(frozen=True, slots=True, kw_only=True)
class MinimisedPatch:
    """A smaller patch that does the same."""

    patch: str
    kept: int
    """Hunks."""
    removed: int
    runs: int
    complete: bool
    """Whether nothing more can be left out; False when the runs did not suffice to know."""


class _NoRunsLeft(Exception):
    """All runs are used up."""


def minimise_patch(
    files: Sequence[FilePatch], solves: Callable[[str], bool], *, most_runs: int = 60
) -> MinimisedPatch:
    """The smallest patch that was found to solve, of ``files``, which do.

    ``solves`` is asked at most ``most_runs`` times, never twice for the same hunks.
    """
    parts = {str(number): part for number, part in enumerate(split_hunks(files))}
    runs = 0

    def patch_of(subset: Subset) -> str:
        return write_patch(join_hunks(part for name, part in parts.items() if name in subset))

    def is_enough(subset: Subset) -> bool:
        nonlocal runs
        if runs >= most_runs:
            raise _NoRunsLeft
        runs += 1
        return solves(patch_of(subset))

    smallest = minimise(list(parts), is_enough, stopped_by=_NoRunsLeft)
    return MinimisedPatch(
        patch=patch_of(smallest.subset),
        kept=len(smallest.subset),
        removed=len(parts) - len(smallest.subset),
        runs=runs,
        complete=smallest.complete,
    )
