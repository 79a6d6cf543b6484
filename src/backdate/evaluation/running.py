"""Runs a solver over tasks: in parallel, into a folder, so that what is finished is never done again."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from backdate.errors import StoredDataError, UsageError
from backdate.evaluation.changed_trees import for_changed_trees
from backdate.evaluation.progress import SolverFinished, SolverStarted
from backdate.evaluation.run_folder import (
    RETRIED,
    alone_in,
    claim,
    journal_path,
    keep_attempt,
    load_record,
    set_aside,
    write_predictions,
)
from backdate.progress import NO_PROGRESS, Reporter
from backdate.sandboxes.disk_budget import DEFAULT_BUDGET_BYTES
from backdate.sandboxes.threads import in_threads
from backdate.solvers.interface import Assignment, ExtraTools, Solver, SolverResult
from backdate.solvers.journal import Journal
from backdate.solvers.records import RunRecord, RunSettings, StopReason
from backdate.tasks.runner import TaskRunner
from backdate.tasks.task import Task
from backdate.version import __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationPlan:
    """What is to be run."""

    tasks: Sequence[Task]
    solver: Solver
    settings: RunSettings
    task_runner: TaskRunner
    folder: Path
    jobs: int = 1
    extra_tools: ExtraTools | None = None
    retry: bool = False
    """Work again on tasks that ended in RETRIED; the records of before are kept beside."""
    disk_budget_bytes: int = DEFAULT_BUDGET_BYTES
    """For all that is kept on the disk at a time."""


def evaluate(plan: EvaluationPlan, progress: Reporter = NO_PROGRESS) -> tuple[RunRecord, ...]:
    """Work on every task that is not finished; gives all records in the order of the tasks.

    Raises UsageError for a folder that holds another run, and MachineError when the machine lacks something;
    what is finished then stays.
    """
    claim(plan.folder, plan.settings, plan.tasks)
    with alone_in(plan.folder):
        return _work_on_open_tasks(plan, progress)


def _work_on_open_tasks(plan: EvaluationPlan, progress: Reporter) -> tuple[RunRecord, ...]:
    done: dict[str, RunRecord] = {}
    for task in plan.tasks:
        record = load_record(plan.folder, task.instance_id)
        if record is None:
            continue
        if plan.retry and record.ending in RETRIED:
            set_aside(plan.folder, record)
            continue
        done[task.instance_id] = record
        progress.report(SolverFinished(record=record, kept=True, total=len(plan.tasks)))
    open_tasks = [task for task in plan.tasks if task.instance_id not in done]
    done |= {record.instance_id: record for record in _work_in_parallel(plan, open_tasks, progress)}
    write_predictions(plan.folder, plan.tasks)
    return tuple(done[task.instance_id] for task in plan.tasks)


def _work_in_parallel(plan: EvaluationPlan, tasks: Sequence[Task], progress: Reporter) -> list[RunRecord]:
    def work(task: Task) -> RunRecord:
        resumed = journal_path(plan.folder, task.instance_id).is_file()
        progress.report(SolverStarted(instance_id=task.instance_id, resumed=resumed))
        record = work_on(plan, task)
        progress.report(SolverFinished(record=record, kept=False, total=len(plan.tasks)))
        return record

    works = [partial(work, task) for task in tasks]
    try:
        return in_threads(works, jobs=plan.jobs, name="task", ends_others=False)
    except Exception:
        write_predictions(plan.folder, plan.tasks)
        raise


def work_on(plan: EvaluationPlan, task: Task) -> RunRecord:
    """Let the solver work on one task and store what came of it.

    Where an earlier session was ended in the middle of the task, the work goes on after its last turn.
    """
    with Journal(journal_path(plan.folder, task.instance_id)) as journal:
        attempt = _attempt(plan, task, journal)
        record = _record(plan, task, attempt, journal)
    keep_attempt(plan.folder, record, attempt)
    return record


def _attempt(plan: EvaluationPlan, task: Task, journal: Journal) -> SolverResult:
    logs = plan.folder / "logs" / task.instance_id
    if not journal.entries:
        shutil.rmtree(logs, ignore_errors=True)
    with for_changed_trees(plan.task_runner, plan.disk_budget_bytes, answers_at_once=plan.jobs) as (
        task_runner,
        scratch,
    ):
        assignment = Assignment(
            task=task,
            settings=plan.settings,
            task_runner=task_runner,
            scratch=scratch,
            logs=logs,
            extra_tools=plan.extra_tools,
            journal=journal,
        )
        try:
            return plan.solver.attempt(assignment)
        except (UsageError, StoredDataError) as error:  # the task's, not the machine's
            return SolverResult(ending=StopReason.ERROR, detail=str(error))


def _record(plan: EvaluationPlan, task: Task, attempt: SolverResult, journal: Journal) -> RunRecord:
    return RunRecord(
        instance_id=task.instance_id,
        settings=plan.settings,
        ending=attempt.ending,
        detail=attempt.detail,
        calls=attempt.calls,
        runs=attempt.runs,
        sequence=attempt.sequence,
        refused=attempt.refused,
        patch=attempt.patch,
        dropped=attempt.dropped,
        usage=attempt.usage,
        reasons=attempt.reasons,
        side_runs=attempt.side_runs,
        proposed_by=attempt.proposed_by,
        ready_at_first=attempt.ready_at_first,
        started=journal.started,
        duration_s=journal.worked_s,
        own_s=max(0.0, journal.worked_s - attempt.waited_s),
        model=attempt.model,
        trajectory=f"trajectories/{task.instance_id}.json" if attempt.trajectory else "",
        backdate=__version__,
    )
