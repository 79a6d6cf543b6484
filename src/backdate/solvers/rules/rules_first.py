"""Rules first, then another solver on what remains: one patch, one account."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from backdate.editing.apply import apply_patch
from backdate.editing.diff import diff_files
from backdate.editing.patch import changed_paths
from backdate.projects.hostile import read_beneath
from backdate.projects.tree import copy_tree
from backdate.solvers.atif import Step, Trajectory
from backdate.solvers.interface import Assignment, Solver, SolverResult
from backdate.solvers.records import StopReason, SuiteCall

_LARGEST = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesFirst:
    """Hands what the rules leave to ``then``. See ``Solver``."""

    rules: Solver
    then: Solver

    @property
    def name(self) -> str:
        """Both names."""
        return f"{self.rules.name}+{self.then.name}"

    def attempt(self, assignment: Assignment) -> SolverResult:
        """What the rules make, and where that does not solve the task what the other makes of it."""
        first = assignment.scratch / "first"
        tree = assignment.make_tree()
        copy_tree(tree, first)
        scratch = assignment.scratch / "rules"
        scratch.mkdir()
        mended = self.rules.attempt(
            replace(assignment, scratch=scratch, tree=tree, logs=assignment.logs / "rules", journal=None)
        )
        mended = replace(mended, runs=tuple(_with_path(run, assignment) for run in mended.runs))
        # The other's given run is one more of the tree that the rules left.
        left = assignment.settings.tests - sum(run.number > 0 for run in mended.runs) - 1
        stated = assignment.settings.calls
        calls = None if stated is None else stated - mended.calls
        none_left = left < 1 or (calls is not None and calls < 1)
        if mended.ending in (StopReason.SOLVED, StopReason.ERROR) or none_left:
            return mended
        later = assignment.scratch / "then"
        later.mkdir()
        copy_tree(first, later / "tree")
        apply_patch(mended.patch, later / "tree", what="the patch of the rules")
        answer = self.then.attempt(
            replace(
                assignment,
                scratch=later,
                tree=later / "tree",
                settings=replace(assignment.settings, tests=left, calls=calls),
            )
        )
        return _joined(mended, answer, self._patch(first, later / "tree", mended, answer))

    def _patch(self, first: Path, tree: Path, mended: SolverResult, answer: SolverResult) -> str:
        """From the first tree to the one with both patches."""
        last = tree.parent / "both"
        copy_tree(first, last)
        for patch, whose in ((mended.patch, "the rules"), (answer.patch, self.then.name)):
            apply_patch(patch, last, what=f"the patch of {whose}")
        paths = {*changed_paths(mended.patch), *changed_paths(answer.patch)} if answer.patch else {}
        paths = paths or set(changed_paths(mended.patch))
        return diff_files(
            {path: read_beneath(first, path, limit=_LARGEST) for path in paths},
            {path: read_beneath(last, path, limit=_LARGEST) for path in paths},
        )


def _with_path(run: SuiteCall, assignment: Assignment) -> SuiteCall:
    """The run with its log's path relative to the run's folder: the rules' logs lie one folder deeper."""
    return replace(run, log=f"{assignment.logs.parent.name}/{run.log}") if run.log else run


def _joined(mended: SolverResult, answer: SolverResult, patch: str) -> SolverResult:
    """One account of both: runs and calls are counted on."""
    return replace(
        answer,
        patch=patch,
        detail="; ".join(part for part in (f"rules: {mended.detail}", answer.detail) if part),
        dropped=(*mended.dropped, *answer.dropped),
        calls=mended.calls + answer.calls,
        runs=(*mended.runs, *_counted_on(answer.runs, mended)),
        sequence=(*mended.sequence, *answer.sequence),
        refused=mended.refused + answer.refused,
        usage=mended.usage + answer.usage,
        reasons=mended.reasons,
        side_runs=mended.side_runs + answer.side_runs,
        proposed_by=mended.proposed_by,
        ready_at_first=mended.ready_at_first,
        trajectory=_one_trajectory(mended.trajectory, answer.trajectory),
        waited_s=mended.waited_s + answer.waited_s,
    )


def _counted_on(runs: tuple[SuiteCall, ...], mended: SolverResult) -> tuple[SuiteCall, ...]:
    """The runs of the other; its given run is one more of the tree that the rules left."""
    return tuple(
        replace(run, number=len(mended.runs) + run.number, call=mended.calls + run.call) for run in runs
    )


def _one_trajectory(first: Trajectory | None, second: Trajectory | None) -> Trajectory | None:
    """The steps of both, one after the other."""
    if first is None or second is None:
        return second or first
    steps = [*first.steps, *(step for step in second.steps if step.source == "agent")]
    return Trajectory(
        schema_version=second.schema_version,
        session_id=second.session_id,
        agent=second.agent,
        steps=[_numbered(step, number) for number, step in enumerate(steps, start=1)],
        final_metrics=second.final_metrics,
        extra=second.extra,
    )


def _numbered(step: Step, number: int) -> Step:
    return Step(
        step_id=number,
        source=step.source,
        message=step.message,
        reasoning_content=step.reasoning_content,
        tool_calls=step.tool_calls,
        observation=step.observation,
        metrics=step.metrics,
        extra=step.extra,
    )
