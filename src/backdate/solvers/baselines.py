"""Solvers that have their answer: none at all, or the known solution."""

from __future__ import annotations

from backdate.solvers.interface import Assignment, SolverResult
from backdate.solvers.records import StopReason


class NullSolver:
    """Hands in nothing. What it solves is no task."""

    name = "null"

    def attempt(self, assignment: Assignment) -> SolverResult:  # noqa: ARG002 - whatever the task
        """The empty patch."""
        return SolverResult(ending=StopReason.SUBMITTED, detail="nothing was changed")


class GoldSolver:
    """Hands in the known solution. What it does not solve is not scored rightly."""

    name = "gold"

    def attempt(self, assignment: Assignment) -> SolverResult:
        """The gold patch, where there is one."""
        patch = assignment.task.patches.reference
        if not patch:
            return SolverResult(ending=StopReason.GAVE_UP, detail="no gold patch is known for this task")
        return SolverResult(ending=StopReason.SUBMITTED, patch=patch)
