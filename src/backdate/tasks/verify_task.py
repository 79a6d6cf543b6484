"""Proving a task: rebuild both sides, run the tests several times, and say what came of it.

The old side must pass, the new one fail, the new one with the gold patch pass. A task that was built here
has no gold patch, but the outcome of every test: those have to come again. Each tree is made anew, each
environment is asked for anew (the gold patch may change what is installed) and each run has a sandbox of its
own.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from backdate.environments.environment import LockedDistribution
from backdate.errors import SourceError
from backdate.progress import NO_PROGRESS, Reporter
from backdate.tasks.agreement import Agreement, compare_versions
from backdate.tasks.judging import combine_tests
from backdate.tasks.progress import TaskRunStarted
from backdate.tasks.recorded_outcomes import differences, is_recorded
from backdate.tasks.runner import TaskRunner, TaskRunResult
from backdate.tasks.task import MigrationTask, Proof, SideName, TaskTest
from backdate.testing.outcomes import SuiteRun
from backdate.timeline.instants import now
from backdate.version import __version__

StageName = Literal["old", "new", "gold"]

RETRIED = ("timeout",)
"""How a run may end that is tried once more: some suites print OK and never exit, one time in many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageResult:
    """What the repeats of one stage said."""

    stage: StageName
    state: Literal["pass", "fail", "flaky", "unbuilt", "unavailable"]
    """``unbuilt``: no environment. ``unavailable``: no tree."""
    reason: str = ""
    """Why it is not "pass"."""
    python: str = ""
    distributions: tuple[LockedDistribution, ...] = ()
    notes: tuple[str, ...] = ()
    passed: int = 0
    total: int = 0
    """Tests, in the first run."""
    build_s: float = 0.0
    test_s: tuple[float, ...] = ()
    runs: tuple[SuiteRun, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What verifying one task found."""

    instance_id: str
    verified: bool
    """Old passes, new fails, and new with the gold patch passes; of a built task without one, every test that
    counts says what is recorded."""
    reason: str
    """Why not, in one line."""
    stages: tuple[StageResult, ...]
    agreement: Agreement | None
    """With the row's ``dependency_versions``; None without one, or when the new side was not built."""
    duration_s: float

    @property
    def gold_unproven(self) -> bool:
        """Whether it is verified without a gold patch: nobody has shown that it can be solved by one."""
        return self.verified and self.stage("gold") is None

    def stage(self, name: StageName) -> StageResult | None:
        """The result of one stage; None when it was not run."""
        return next((one for one in self.stages if one.stage == name), None)


def verify_task(
    task: MigrationTask,
    workshop: TaskRunner,
    *,
    log_folder: Path,
    repeats: int = 3,
    progress: Reporter = NO_PROGRESS,
) -> tuple[Verification, MigrationTask]:
    """Prove ``task``; what was found, and the task with its tests and its proof written in.

    ``log_folder`` gets a folder for each run. A stage that cannot be run is a result, not an exception;
    raises MachineError for what this machine lacks.
    """
    started = time.monotonic()
    wanted: tuple[StageName, ...] = ("old", "new", "gold") if task.gold_patch.strip() else ("old", "new")
    recorded = is_recorded(task)
    judged = task if recorded else replace(task, tests=())
    stages: list[StageResult] = []
    for name in wanted:
        stages.append(_run_stage(judged, workshop, name, repeats, log_folder / name, progress))
        if stages[-1].state == "unavailable":
            break
    old, new, gold = (_runs(stages, name) for name in ("old", "new", "gold"))
    if recorded:
        tests = task.tests
        verified, reason = _decide_recorded(task, stages)
    else:
        tests = combine_tests(old, new, gold)
        verified, reason = _decide(stages, has_gold="gold" in wanted)
    verification = Verification(
        instance_id=task.instance_id,
        verified=verified,
        reason=reason,
        stages=tuple(stages),
        agreement=_agreement(task, stages),
        duration_s=time.monotonic() - started,
    )
    return verification, _proven(task, verification, tests, repeats)


def _run_stage(
    task: MigrationTask, workshop: TaskRunner, name: StageName, repeats: int, logs: Path, progress: Reporter
) -> StageResult:
    side: SideName = "old" if name == "old" else "new"
    verdicts: list[TaskRunResult] = []
    for number in range(1, repeats + 1):
        progress.report(TaskRunStarted(instance_id=task.instance_id, stage=name, number=number))
        with tempfile.TemporaryDirectory(prefix="backdate-task-") as folder:
            tree = Path(folder, "tree")
            try:
                workshop.make_tree(task, tree, pinned=side == "old", gold=name == "gold")
            except SourceError as error:
                return StageResult(stage=name, state="unavailable", reason=str(error))
            verdict = _run_once(task, workshop, tree, side, logs / str(number))
        verdicts.append(verdict)
        if verdict.run is None:
            return StageResult(stage=name, state="unbuilt", reason=verdict.reason, notes=verdict.notes)
    return _stage_of(name, verdicts)


def _run_once(
    task: MigrationTask, workshop: TaskRunner, tree: Path, side: SideName, logs: Path
) -> TaskRunResult:
    verdict = workshop.run_tests(task, tree, side, log_folder=logs)
    if verdict.run is not None and verdict.run.status in RETRIED:
        shutil.rmtree(logs, ignore_errors=True)
        again = workshop.run_tests(task, tree, side, log_folder=logs)
        return replace(again, notes=(*again.notes, "a first run was ended by its time limit"))
    return verdict


def _stage_of(name: StageName, verdicts: list[TaskRunResult]) -> StageResult:
    runs = tuple(verdict.run for verdict in verdicts if verdict.run is not None)
    solved = [verdict.solved for verdict in verdicts]
    state: Literal["pass", "fail", "flaky"] = "pass" if all(solved) else "flaky" if any(solved) else "fail"
    environment = verdicts[0].environment
    return StageResult(
        stage=name,
        state=state,
        reason=next((verdict.reason for verdict in verdicts if not verdict.solved), ""),
        python="" if environment is None else environment.choice.interpreter.version,
        distributions=() if environment is None else environment.lock.distributions,
        notes=tuple(dict.fromkeys(note for verdict in verdicts for note in verdict.notes)),
        passed=sum(result.outcome.good for result in runs[0].results),
        total=len(runs[0].results),
        build_s=0.0 if environment is None else environment.build_s,
        test_s=tuple(run.duration_s for run in runs),
        runs=runs,
    )


def _decide(stages: list[StageResult], *, has_gold: bool) -> tuple[bool, str]:
    expected: dict[StageName, str] = {"old": "pass", "new": "fail", "gold": "pass"}
    for stage in stages:
        good = stage.state == expected[stage.stage] or (stage.stage == "new" and stage.state == "unbuilt")
        if not good:
            words = {"old": "the old side", "new": "the new side", "gold": "with the gold patch"}[stage.stage]
            said = f": {stage.reason}" if stage.reason else ""
            return False, f"{words}: {stage.state} instead of {expected[stage.stage]}{said}"
    if not has_gold:
        return False, "there is no gold patch"
    return True, ""


def _decide_recorded(task: MigrationTask, stages: list[StageResult]) -> tuple[bool, str]:
    """Of a built task without a gold patch."""
    for stage in stages:
        if not stage.runs:
            words = "old" if stage.stage == "old" else "new"
            return False, f"the {words} side: {stage.state}: {stage.reason}"
    other = differences(task, _runs(stages, "old"), _runs(stages, "new"))
    if other:
        more = f" and {len(other) - 1} more" if len(other) > 1 else ""
        return False, f"other outcomes than recorded: {other[0]}{more}"
    return _decide(stages, has_gold=True)


def _runs(stages: list[StageResult], name: StageName) -> tuple[SuiteRun, ...]:
    return next((stage.runs for stage in stages if stage.stage == name), ())


def _agreement(task: MigrationTask, stages: list[StageResult]) -> Agreement | None:
    new = next((stage for stage in stages if stage.stage == "new" and stage.distributions), None)
    if new is None or not task.new.distributions:
        return None
    return compare_versions(task.new.distributions, new.distributions)


def _proven(
    task: MigrationTask, verification: Verification, tests: tuple[TaskTest, ...], repeats: int
) -> MigrationTask:
    old, new, gold = (verification.stage(name) for name in ("old", "new", "gold"))

    def said(stage: StageResult | None) -> Literal["pass", "fail", "unknown"]:
        if stage is None or stage.state in ("unavailable", "flaky"):
            return "unknown"
        return "pass" if stage.state == "pass" else "fail"

    notes = [f"{stage.stage}: {note}" for stage in verification.stages for note in stage.notes]
    if task.proof is not None and is_recorded(task):  # what the build found out stays true
        notes = [*task.proof.notes, *notes]
    solvable: Literal["gold patch", "unproven"] = (
        "gold patch" if gold is not None and gold.state == "pass" else "unproven"
    )
    proof = Proof(
        backdate=__version__,
        proven=now(),
        repeats=repeats,
        old=said(old),
        new=said(new),
        gold="none" if gold is None else "pass" if gold.state == "pass" else "fail",
        solvable=solvable if task.proof is None or gold is not None else task.proof.solvable,
        notes=tuple(dict.fromkeys(notes)),
    )
    return replace(task, tests=tests, proof=proof)
