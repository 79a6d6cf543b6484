"""Judge runs of solved tasks (``tasks.judge_runs``)."""

from __future__ import annotations

import secrets
from dataclasses import replace
from pathlib import Path

from backdate.evaluation.scores import Score, ScoreOutcome
from backdate.tasks.judge_runs.deciding import (
    JudgeResult,
    JudgeSettings,
    JudgeVerdict,
    fail_to_pass_tests,
    judge_answer,
)
from backdate.tasks.judge_runs.running import ChangedTreeRunner
from backdate.tasks.runner import TaskRunner
from backdate.tasks.task import Task
from backdate.testing.outcomes import SuiteRun

_SEED_BITS = 48  # exact in every reader of JSON


def judged(
    score: Score,
    settings: JudgeSettings | None,
    task: Task,
    task_runner: TaskRunner,
    *,
    tree: Path,
    scratch: Path,
    logs: Path,
    run: SuiteRun,
) -> Score:
    """``score``, of a solved task, with what its judge run shows. ``settings``: None for no judge run."""
    if settings is None:
        result = JudgeResult(verdict=JudgeVerdict.NOT_JUDGED, reason="judge runs are switched off")
    elif not isinstance(task_runner, ChangedTreeRunner):
        result = JudgeResult(verdict=JudgeVerdict.NOT_JUDGED, reason="its runner cannot run changed tests")
    else:
        seed = secrets.randbits(_SEED_BITS) if settings.seed is None else settings.seed
        result = judge_answer(
            task, task_runner, tree=tree, scratch=scratch, logs=logs, run=run, settings=settings, seed=seed
        )
    outcome, reason = score.outcome, score.reason
    if result.verdict is JudgeVerdict.FORGED:
        outcome, reason = ScoreOutcome.FORGED, f"judge run: {result.reason}"
    elif result.verdict is JudgeVerdict.UNPROVEN:
        outcome, reason = ScoreOutcome.UNPROVEN, f"judge run: {result.reason}"
    notes = score.notes
    if result.verdict is JudgeVerdict.NOT_JUDGED:
        notes = (*notes, f"not judged: {result.reason}")
    elif not result.fail_to_pass and fail_to_pass_tests(task):
        notes = (*notes, "judged by other tests: no change of a fail-to-pass test is known to be sound")
    return replace(score, outcome=outcome, reason=reason, notes=notes, judge=result)
