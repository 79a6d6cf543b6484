"""Scoring: every answer applied to a fresh tree, every test run again in a fresh sandbox.

Nothing that a run says of itself decides anything here.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from backdate.editing.apply import apply_files
from backdate.editing.diff import diff_files
from backdate.editing.patch import changed_paths
from backdate.errors import SourceError
from backdate.evaluation.answer_patch import RejectedAnswer, take_patch
from backdate.evaluation.answers import Submission
from backdate.evaluation.edits import EditedLine, edited_lines, precision
from backdate.evaluation.flags.types import FlagFindings, Suspect
from backdate.evaluation.progress import TaskScored
from backdate.evaluation.scores import Flag, FlagKind, Score, ScoreOutcome, load_score, store_score
from backdate.progress import NO_PROGRESS, Reporter
from backdate.projects.tree import copy_tree
from backdate.sandboxes.threads import in_threads
from backdate.serial import digest
from backdate.tasks.kinds.choose import edit_policy_of, kind_of
from backdate.tasks.runner import TaskRunner, TaskRunResult
from backdate.tasks.task import Task
from backdate.tasks.trees import lay_patches
from backdate.testing.outcomes import SuiteRun

SCORING = 4
"""Goes up when scoring comes to other scores, so that old ones are not taken for new ones."""


class Looker(Protocol):
    """Looks for reasons to doubt a solved task."""

    def __call__(self, suspect: Suspect) -> FlagFindings:
        """The flags. What it could not look at is a note, not an exception."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorePlan:
    """What is to be scored."""

    tasks: Sequence[Task]
    answers: Mapping[str, Submission]
    """By instance id; a task without one has no prediction."""
    workshop: TaskRunner
    folder: Path
    jobs: int = 1
    allow_test_edits: bool = False
    look: Looker | None = None
    flags: str = "none"
    """What ``look`` looks for: part of what a score depends on."""


def score_all(plan: ScorePlan, progress: Reporter = NO_PROGRESS) -> tuple[Score, ...]:
    """Score every task's answer, in parallel; what was scored before with the same key is kept.

    Raises MachineError when the machine lacks something; what is finished then stays.
    """

    def work(task: Task) -> Score:
        score, kept = _score_or_load(plan, task)
        progress.report(TaskScored(score=score, kept=kept, total=len(plan.tasks)))
        return score

    works = [partial(work, task) for task in plan.tasks]
    return tuple(in_threads(works, jobs=plan.jobs, name="score", ends_others=False))


def _score_or_load(plan: ScorePlan, task: Task) -> tuple[Score, bool]:
    """The score, and whether an earlier call made it."""
    answer = plan.answers.get(task.instance_id, Submission())
    key = digest(SCORING, task, answer.patch, answer.different, plan.allow_test_edits, plan.flags)
    known = load_score(plan.folder, task.instance_id)
    if known is not None and known.key == key and not known.outcome.is_error:
        return known, True
    started = time.monotonic()
    score = score_answer(plan, task, answer)
    told = answer.told(score)
    score = replace(told, key=key, duration_s=time.monotonic() - started)
    store_score(plan.folder, score)
    return score, False


def score_answer(plan: ScorePlan, task: Task, answer: Submission) -> Score:
    """The score of one answer, whatever it is."""
    outcome = _without_looking(answer)
    if outcome is not None:
        return Score(
            instance_id=task.instance_id, outcome=outcome[0], reason=outcome[1], precision=_of_nothing(task)
        )
    logs = plan.folder / "scores" / "logs" / task.instance_id
    shutil.rmtree(logs, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="backdate-score-", ignore_cleanup_errors=True) as name:
        place = Path(name)
        place.chmod(0o755)  # the sandbox's user has to come in
        try:
            plan.workshop.make_tree(task, place / "before")
            return _Scoring(plan, task, place, logs).score(answer.patch or "")
        except SourceError as error:  # the task's own tree or gold patch; the answer's troubles are outcomes
            return Score(instance_id=task.instance_id, outcome=ScoreOutcome.NO_TREE, reason=str(error))


def _without_looking(answer: Submission) -> tuple[ScoreOutcome, str] | None:
    if answer.different > 1:
        reason = f"there are {answer.different} different patches for the task"
        return ScoreOutcome.TWO_PATCHES, reason
    if answer.patch is None:
        return ScoreOutcome.NO_PREDICTION, answer.problem or "there is no prediction for the task"
    return None


@dataclass(frozen=True, slots=True)
class _Scoring:
    """One answer on its way through."""

    plan: ScorePlan
    task: Task
    place: Path
    logs: Path

    def score(self, patch: str) -> Score:
        before, after = self.place / "before", self.place / "after"
        rules = edit_policy_of(self.task, allow_test_edits=self.plan.allow_test_edits)
        taken = take_patch(patch, before, rules)
        if isinstance(taken, RejectedAnswer):
            return self._ended(taken.outcome, taken.reason, taken.dropped)
        copy_tree(before, after)
        try:
            paths = tuple(dict.fromkeys(apply_files(taken.files, after)))
        except SourceError as error:
            return self._ended(ScoreOutcome.NOT_APPLIED, str(error), taken.dropped)
        old, new = _contents(before, paths), _contents(after, paths)
        if old == new:
            return self._ended(ScoreOutcome.EMPTY, "the patch changes nothing", taken.dropped)
        score = self._measured(old, new, taken.dropped)
        self.logs.mkdir(parents=True, exist_ok=True)
        lay_patches(self.task, after, kind_of(self.task).after_answer)
        verdict = self.plan.workshop.run_tests(self.task, after, "target", log_folder=self.logs)
        score = _judged(score, verdict, self.plan.folder)
        if not score.solved:
            return score
        flags = [
            Flag(kind=FlagKind.FORGED, detail=one) for one in (verdict.run.suspicions if verdict.run else ())
        ]
        looked = FlagFindings()
        if self.plan.look is not None:
            edits = edited_lines(_texts(old), _texts(new))
            suspect = Suspect(
                task=self.task, before=before, after=after, edits=edits, place=self.place, run=verdict.run
            )
            looked = self.plan.look(suspect)
        return replace(score, flags=(*flags, *looked.flags), notes=(*score.notes, *looked.notes))

    def _ended(self, outcome: ScoreOutcome, reason: str, dropped: tuple[str, ...]) -> Score:
        gold, _ = self._gold()
        return Score(
            instance_id=self.task.instance_id,
            outcome=outcome,
            reason=reason,
            dropped=dropped,
            gold=gold,
            precision=_of_nothing(self.task),
        )

    def _measured(
        self, old: dict[str, bytes | None], new: dict[str, bytes | None], dropped: tuple[str, ...]
    ) -> Score:
        """The part of the score that needs no test: the edits against the gold patch's."""
        edits = edited_lines(_texts(old), _texts(new))
        gold_text, gold = self._gold()
        return Score(
            instance_id=self.task.instance_id,
            outcome=ScoreOutcome.TESTS_FAILED,
            patch=diff_files(old, new),
            gold=gold_text,
            dropped=dropped,
            edits=len(edits),
            gold_edits=None if gold is None else len(gold),
            precision=None if gold is None else precision(edits, gold),
        )

    def _gold(self) -> tuple[str, frozenset[EditedLine] | None]:
        """The gold patch, made from the two trees as an answer is, and its edits."""
        if not self.task.has_reference:
            return "", None
        tree = self.place / "gold"
        self.plan.workshop.make_tree(self.task, tree, "reference")
        paths = changed_paths(self.task.patches.reference, what=f"the gold patch of {self.task.instance_id}")
        old, new = _contents(self.place / "before", paths), _contents(tree, paths)
        shutil.rmtree(tree, ignore_errors=True)
        return diff_files(old, new), edited_lines(_texts(old), _texts(new))


def _of_nothing(task: Task) -> float | None:
    """The precision of an answer that edits nothing; None where no gold patch is known."""
    return 0.0 if task.has_reference else None


def _judged(score: Score, verdict: TaskRunResult, folder: Path) -> Score:
    """``score`` with what the tests say."""
    run = verdict.run
    if run is None:
        return replace(score, outcome=ScoreOutcome.NOT_BUILT, reason=verdict.reason, notes=verdict.notes)
    return replace(
        score,
        outcome=ScoreOutcome.SOLVED if verdict.solved else _failed(run),
        reason="" if verdict.solved else verdict.reason,
        notes=verdict.notes,
        passed=sum(result.outcome.good for result in run.results),
        failed=sum(result.outcome.bad for result in run.results),
        log=run.log.relative_to(folder).as_posix() if run.log.is_relative_to(folder) else "",
        tests_s=run.duration_s,
    )


def _failed(run: SuiteRun) -> ScoreOutcome:
    if run.status == "timeout":
        return ScoreOutcome.TIMED_OUT
    return ScoreOutcome.LIMIT if run.status in ("oom", "disk-limit") else ScoreOutcome.TESTS_FAILED


def _contents(tree: Path, paths: Sequence[str]) -> dict[str, bytes | None]:
    """The files at ``paths``, which were seen to be files of the tree; None for one that is not there."""
    return {path: (tree / path).read_bytes() if (tree / path).is_file() else None for path in paths}


def _texts(contents: Mapping[str, bytes | None]) -> dict[str, str]:
    return {path: data.decode("utf-8", "surrogateescape") for path, data in contents.items() if data}
