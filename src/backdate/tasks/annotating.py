"""A person's solution of a task: taken, proven, made as small as it can be, and written into the data set."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from backdate.editing.minimise_patch import minimise_patch
from backdate.editing.patch import FilePatch, read_patch
from backdate.errors import SourceError
from backdate.progress import NO_PROGRESS, Activity, Reporter
from backdate.serial import to_json, write_whole
from backdate.tasks.annotation_folder import AnnotationFolder, difficulty_of, edit_of
from backdate.tasks.dataset import Dataset
from backdate.tasks.kinds.choose import edit_policy_of
from backdate.tasks.runner import TaskRunner, TaskRunResult
from backdate.tasks.task import Difficulty, Proof, Statistics, Task
from backdate.timeline.instants import Instant, now
from backdate.version import __version__

ANNOTATION = "annotation.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """What is written down of one person's work on one task."""

    instance_id: str
    made: Instant
    state: Literal["solved", "unsolved", "refused", "empty", "unsolvable"]
    """``unsolvable``: the person says so, and why."""
    reason: str = ""
    spent_s: float
    difficulty: Difficulty | None = None
    patch: str = ""
    """As it was taken over: without the hunks that are not needed."""
    written_patch: str = ""
    """As the person left it."""
    removed_hunks: int = 0
    minimal: bool = False
    """Whether no further hunk could be left out."""
    runs: int = 0
    """Of the suite, to prove it and to make it small."""


def annotate(
    task: Task,
    workspace: AnnotationFolder,
    task_runner: TaskRunner,
    *,
    repeats: int = 3,
    most_runs: int = 60,
    progress: Reporter = NO_PROGRESS,
) -> Annotation:
    """What the edit in ``workspace`` is worth as a solution of ``task``.

    Refused when it changes tests or the environment; unsolved when one of ``repeats`` runs is not good; else
    solved, with every hunk left out that is not needed (``most_runs`` more runs at most).
    """
    spent = workspace.state.spent_s
    written = edit_of(workspace)
    base = Annotation(
        instance_id=task.instance_id, made=now(), state="empty", spent_s=spent, written_patch=written
    )
    if not written:
        return replace(base, reason="nothing was changed")
    files = read_patch(written, what="the edit")
    rules = edit_policy_of(task)
    refused = {file.path: reason for file in files if (reason := rules.why_not(file.path))}
    if refused:
        reasons = "; ".join(f"{path}: {reason}" for path, reason in refused.items())
        return replace(base, state="refused", reason=reasons)
    difficulty = difficulty_of(spent)
    for number in range(1, repeats + 1):
        progress.report(Activity(text=f"proving the edit: run {number} of {repeats}"))
        verdict = try_patch(task, written, task_runner)
        if not verdict.solved:
            return replace(base, state="unsolved", reason=verdict.reason, runs=number)
    if difficulty is None:
        return replace(base, state="unsolved", reason="it took longer than 120 minutes", runs=repeats)
    return _smaller(task, base, files, task_runner, repeats, most_runs, progress, difficulty)


def _smaller(
    task: Task,
    base: Annotation,
    files: tuple[FilePatch, ...],
    task_runner: TaskRunner,
    repeats: int,
    most_runs: int,
    progress: Reporter,
    difficulty: Difficulty,
) -> Annotation:
    def solves(patch: str) -> bool:
        progress.report(Activity(text="leaving out what may not be needed"))
        try:
            return try_patch(task, patch, task_runner).solved
        except SourceError:
            return False  # the rest does not apply alone

    small = minimise_patch(files, solves, most_runs=most_runs)
    return replace(
        base,
        state="solved",
        difficulty=difficulty,
        patch=small.patch if small.removed else base.written_patch,
        removed_hunks=small.removed,
        minimal=small.complete,
        runs=repeats + small.runs,
    )


def try_patch(task: Task, patch: str, task_runner: TaskRunner) -> TaskRunResult:
    """Run the tests of ``task`` on the new side with ``patch`` in the place of the gold patch."""
    with tempfile.TemporaryDirectory(prefix="backdate-try-") as folder:
        tree = Path(folder, "tree")
        task_runner.make_tree(task.with_reference(patch), tree, "reference")
        return task_runner.run_tests(task, tree, "target", log_folder=Path(folder, "logs"))


def unsolvable(task: Task, workspace: AnnotationFolder, reason: str) -> Annotation:
    """The annotation of a person who says why the task cannot be solved."""
    return Annotation(
        instance_id=task.instance_id,
        made=now(),
        state="unsolvable",
        reason=reason,
        spent_s=workspace.state.spent_s,
        written_patch=edit_of(workspace),
    )


def record_annotation(dataset: Dataset, task: Task, annotation: Annotation, repeats: int) -> Dataset:
    """Write the annotation beside the task and, when it solved it, the gold patch into the data set."""
    write_whole(dataset.folder_of(task) / ANNOTATION, to_json(annotation, indent=2))
    if annotation.state != "solved":
        return dataset.rendered()
    files = read_patch(annotation.patch, what="the gold patch")
    statistics = task.statistics or Statistics(
        python_files=0, python_lines=0, test_files=len(task.test_files), tests=len(task.tests)
    )
    solved = replace(
        task.with_reference(annotation.patch),
        difficulty=annotation.difficulty,
        proof=_proof(task, repeats),
        statistics=replace(
            statistics,
            gold_files=len(files),
            gold_lines=sum(file.added + file.removed for file in files),
        ),
    )
    return dataset.updated([solved])


def _proof(task: Task, repeats: int) -> Proof:
    """The task's proof with the gold patch in it; what was not run here stays unknown."""
    before = task.proof
    return Proof(
        backdate=__version__,
        proven=now(),
        repeats=repeats,
        origin="unknown" if before is None else before.origin,
        start="unknown" if before is None else before.start,
        reference="pass",
        solvable="gold patch",
        notes=() if before is None else before.notes,
    )
