"""Verifying a whole data set: every task once, several at a time, each result kept as soon as it is there.

A task that was verified is not verified again unless what it is made of, or the number of repeats, changed. A
run that was ended at any moment goes on where it was.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from backdate.errors import StoredDataError
from backdate.sandboxes.threads import in_threads
from backdate.serial import digest, from_json, to_json, write_whole
from backdate.tasks.dataset import Dataset
from backdate.tasks.recorded_outcomes import is_recorded
from backdate.tasks.runner import TaskRunner
from backdate.tasks.scripted import WITHOUT_APT
from backdate.tasks.task import MigrationTask, Proof, TaskTest
from backdate.tasks.verify_task import StageName, Verification, verify_task

RECORD = "verification.json"
LOGS = "logs"
_FORMAT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A verification as it is kept in the task's folder."""

    key: str
    verification: Verification
    """Without the runs: their outcomes are in ``tests``."""
    tests: tuple[TaskTest, ...]
    proof: Proof | None


class Watcher(Protocol):
    """What hears of progress."""

    def stage(self, instance_id: str, stage: StageName, number: int) -> None:
        """A run of a stage begins."""
        ...

    def finished(self, record: Record, *, kept: bool) -> None:
        """A task is done; ``kept``: it was done before."""
        ...


class Nobody:
    """Hears of nothing."""

    def stage(self, instance_id: str, stage: StageName, number: int) -> None:
        """Say nothing."""

    def finished(self, record: Record, *, kept: bool) -> None:
        """Say nothing."""


def verify_dataset(
    dataset: Dataset,
    workshop: TaskRunner,
    *,
    only: Sequence[str] = (),
    repeats: int = 3,
    jobs: int = 1,
    apt: bool = False,
    retry: bool = False,
    watcher: Watcher | None = None,
) -> tuple[Dataset, tuple[Record, ...]]:
    """Verify the tasks of ``dataset`` (those that ``only`` names), ``jobs`` at a time.

    What was found is in each task's folder at once, and in the data set when all is done, also when it was
    interrupted. ``apt``: the workshop applies system packages, so that what lacked them is verified again.
    ``retry``: so is whatever was not verified.
    Raises UsageError for a name that is not there, MachineError for what this machine lacks.
    """
    heard: Watcher = watcher or Nobody()
    tasks = tuple(dataset.task(name) for name in dict.fromkeys(only)) or dataset.tasks
    records: dict[str, Record] = {}
    waiting = []
    for task in tasks:
        kept = read_record(dataset, task, repeats)
        if kept is None or _again(kept, apt=apt, retry=retry):
            waiting.append(task)
        else:
            records[task.instance_id] = kept
            heard.finished(kept, kept=True)

    def verify(task: MigrationTask) -> None:
        records[task.instance_id] = _verify(dataset, task, workshop, repeats, heard)

    try:
        in_threads([partial(verify, task) for task in waiting], jobs=jobs, name="verify")
    finally:
        dataset = dataset.updated(_with_record(task, records.get(task.instance_id)) for task in tasks)
    return dataset, tuple(records[task.instance_id] for task in tasks)


def read_record(dataset: Dataset, task: MigrationTask, repeats: int | None = None) -> Record | None:
    """What an earlier run found of ``task`` as it is now; None without one.

    ``repeats``: None for any number; a record of fewer is none.
    """
    try:
        record = from_json(Record, (dataset.folder_of(task) / RECORD).read_bytes(), what="a verification")
    except (FileNotFoundError, StoredDataError):
        return None  # none, or one of another version of backdate: it can be made again
    if record.key != _key(task):
        return None
    enough = repeats is None or (record.proof is not None and record.proof.repeats >= repeats)
    return record if enough else None


def _again(record: Record, *, apt: bool, retry: bool) -> bool:
    """Whether a kept record is made anew."""
    notes = (note for stage in record.verification.stages for note in stage.notes)
    lacked_packages = any(note.startswith(WITHOUT_APT) for note in notes)
    return not record.verification.verified and (retry or (apt and lacked_packages))


def _key(task: MigrationTask) -> str:
    """Of all that a verification depends on, and of nothing that it finds out."""
    recorded = task.tests if is_recorded(task) else ()
    made_of = replace(task, tests=recorded, proof=None, old=replace(task.old, distributions=()))
    return digest("verification", _FORMAT, made_of)


def _verify(
    dataset: Dataset, task: MigrationTask, workshop: TaskRunner, repeats: int, watcher: Watcher
) -> Record:
    folder = dataset.folder_of(task)
    logs = folder / LOGS
    shutil.rmtree(logs, ignore_errors=True)
    verification, proven = verify_task(
        task,
        workshop,
        log_folder=logs,
        repeats=repeats,
        on_stage=lambda stage, number: watcher.stage(task.instance_id, stage, number),
    )
    _tidy(logs)
    slim = replace(verification, stages=tuple(replace(stage, runs=()) for stage in verification.stages))
    record = Record(key=_key(task), verification=slim, tests=proven.tests, proof=proven.proof)
    write_whole(folder / RECORD, to_json(record, indent=1))
    watcher.finished(record, kept=False)
    return record


def _tidy(logs: Path) -> None:
    """Keep what people read of the runs: the suites' own output."""
    for path in logs.glob("*/*/*"):
        if path.is_dir():
            shutil.rmtree(path)
        elif path.suffix != ".log":
            path.unlink()


def _with_record(task: MigrationTask, record: Record | None) -> MigrationTask:
    """``task`` with what was found out; a task of which nothing could be run stays as it was."""
    if record is None or not record.tests:
        return task
    old = record.verification.stage("old")
    known = old.distributions if old is not None and not task.old.distributions else task.old.distributions
    return replace(task, tests=record.tests, proof=record.proof, old=replace(task.old, distributions=known))
