"""The solver that hands in half of the known solution: what tests must not take for all of it."""

from __future__ import annotations

from backdate.editing.apply import apply_patch
from backdate.editing.patch import changed_paths
from backdate.projects.tree import copy_tree
from backdate.solvers.interface import Assignment, SolverResult
from backdate.solvers.records import StopReason
from backdate.tasks.quality.halves import files_at, half_of
from backdate.tasks.quality.record import HalfName


class HalfSolver:
    """Hands in half of the known solution. Tests that take it are weak."""

    def __init__(self, half: HalfName = "first") -> None:
        self._half: HalfName = half

    @property
    def name(self) -> str:
        """See ``Solver``."""
        return f"half:{self._half}"

    def attempt(self, assignment: Assignment) -> SolverResult:
        """Half of the gold patch, where there is one that has halves."""
        reference = assignment.task.patches.reference
        if not reference:
            return SolverResult(ending=StopReason.GAVE_UP, detail="no gold patch is known for this task")
        before, after = assignment.make_tree(), assignment.scratch / "after"
        copy_tree(before, after)
        apply_patch(reference, after, what="the gold patch")
        paths = changed_paths(reference)
        patch = half_of(files_at(before, paths), files_at(after, paths), self._half)
        if patch is None:
            return SolverResult(ending=StopReason.GAVE_UP, detail="the gold patch is one edit without halves")
        return SolverResult(ending=StopReason.SUBMITTED, patch=patch)
