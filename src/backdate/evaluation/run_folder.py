"""The folder of a run: what is kept there, and how it is read again.

::

    RUN/run.json                    what the run is made with
        records/TASK.json           one RunRecord a task
        trajectories/TASK.json      ATIF, for solvers with a conversation
        patches/TASK.patch          the answer's exact bytes
        logs/TASK/test-0/…          the logs of the test runs
        journals/TASK.jsonl         the turns of a task that is not finished
        predictions.jsonl           all answers, in SWE-bench's format
        answers.sqlite              what a model answered, so that nothing is asked twice
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from backdate.editing.patch_text import decode_patch, encode_patch
from backdate.errors import UsageError
from backdate.migrations import read_stored
from backdate.serial import digest, to_json, write_whole
from backdate.solvers.interface import SolverResult
from backdate.solvers.records import (
    RECORD_FORMAT,
    RECORD_MIGRATIONS,
    RunRecord,
    RunSettings,
    StopReason,
    read_record,
)
from backdate.tasks.kinds.choose import kind_of
from backdate.tasks.task import Task
from backdate.timeline.instants import Instant
from backdate.version import __version__

_AGENT_OPTIONS = {
    "network": "network",
    "model": "model",
    "mounts": "mount",
    "environment": "env",
    "timeout_s": "timeout",
}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,200}")
RETRIED = (StopReason.MODEL, StopReason.ERROR)
"""Endings that may be another one the next time."""
ANSWERS = "answers.sqlite"
"""A model's answers; may lie in the folder before the run does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInfo:
    """``run.json``."""

    format: int = RECORD_FORMAT
    settings: RunSettings
    dataset: str
    """Digest of the tasks' ids, problems and environments."""
    tasks: tuple[str, ...]
    """Ids of all tasks of the data set that were asked for, in order."""
    started: Instant
    backdate: str


def claim(folder: Path, settings: RunSettings, tasks: Sequence[Task]) -> None:
    """Make the folder this run's, or see that it is already. Raises UsageError for another run's."""
    _check_names(tasks)
    path = folder / "run.json"
    asked = RunInfo(
        settings=settings,
        dataset=dataset_digest(tasks),
        tasks=tuple(task.instance_id for task in tasks),
        started=datetime.now(UTC),
        backdate=__version__,
    )
    if path.is_file():
        stored = _read_info(path)
        if stored.settings != settings:
            raise UsageError(
                f"{folder} holds a run with other settings "
                f"({_difference(stored.settings, settings)}); name another folder with -o"
            )
        more = tuple(instance for instance in asked.tasks if instance not in stored.tasks)
        if not more:
            return
        asked = replace(asked, tasks=(*stored.tasks, *more), started=stored.started)
    elif folder.is_dir() and any(not path.name.startswith(ANSWERS) for path in folder.iterdir()):
        raise UsageError(f"{folder} is not empty and holds no run; name another folder with -o")
    write_whole(path, to_json(asked, indent=1))


def keep_attempt(folder: Path, record: RunRecord, attempt: SolverResult) -> None:
    """Write what came of a task; with that it is finished."""
    if attempt.trajectory:
        write_whole(folder / record.trajectory, to_json(attempt.trajectory, indent=1))
    write_whole(folder / "patches" / f"{record.instance_id}.patch", encode_patch(attempt.patch))
    # Last: a task with a record is finished.
    write_whole(_record_path(folder, record.instance_id), to_json(record, indent=1))
    if record.ending not in RETRIED:
        journal_path(folder, record.instance_id).unlink(missing_ok=True)


def set_aside(folder: Path, record: RunRecord) -> None:
    """Keep an attempt beside the next one: its task is not finished any more.

    The next one goes on with the turns before a model's failure, and starts again after an error.
    """
    path = _record_path(folder, record.instance_id)
    number = 1
    while (kept := folder / "attempts" / f"{record.instance_id}.{number}.json").exists():
        number += 1
    kept.parent.mkdir(parents=True, exist_ok=True)
    journal = journal_path(folder, record.instance_id)
    if record.ending is not StopReason.MODEL and journal.is_file():
        journal.rename(kept.with_suffix(".jsonl"))
    path.rename(kept)


def load_record(folder: Path, instance: str) -> RunRecord | None:
    """The record of a finished task; None for one that is not. Raises StoredDataError."""
    path = _record_path(folder, instance)
    if not path.is_file():
        return None
    record = read_record(path.read_bytes(), what=str(path))
    patch = folder / "patches" / f"{instance}.patch"
    if patch.is_file():  # the exact bytes, which JSON cannot hold
        record = replace(record, patch=decode_patch(patch.read_bytes()))
    return record


def load_run(folder: Path) -> tuple[RunInfo, tuple[RunRecord, ...]]:
    """A run's finished tasks, in the run's order. Raises UsageError, StoredDataError."""
    path = folder / "run.json"
    if not path.is_file():
        raise UsageError(
            f"{folder} holds no run (there is no run.json); name what backdate eval wrote with -o, or give a "
            "file of answers with --predictions"
        )
    info = _read_info(path)
    records = (load_record(folder, instance) for instance in info.tasks if _NAME.fullmatch(instance))
    return info, tuple(record for record in records if record is not None)


def write_predictions(folder: Path, tasks: Sequence[Task]) -> None:
    """``predictions.jsonl``: every finished task's answer."""
    rows = []
    for task in tasks:
        record = load_record(folder, task.instance_id)
        if record is not None:
            rows.append(prediction(record))
    write_whole(folder / "predictions.jsonl", b"".join(to_json(row) + b"\n" for row in rows))


def prediction(record: RunRecord) -> dict[str, str]:
    """The answer as a prediction of SWE-bench."""
    return {
        "instance_id": record.instance_id,
        "model_name_or_path": record.settings.solver,
        "model_patch": record.patch,
    }


def dataset_digest(tasks: Iterable[Task]) -> str:
    """The digest of what the tasks ask for."""
    return digest(
        *((task.instance_id, *kind_of(task).question(task), task.source.revision) for task in tasks)
    )


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold the folder of a run: two processes would work on the same tasks, each writing over the other.

    Raises UsageError while another process holds it.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(f"another process works on the run in {folder}; wait for its end") from None
        yield
    finally:
        os.close(descriptor)


def journal_path(folder: Path, instance: str) -> Path:
    """Where the turns of a task that is not finished are kept."""
    return folder / "journals" / f"{instance}.jsonl"


def _read_info(path: Path) -> RunInfo:
    return read_stored(
        RunInfo, path.read_bytes(), current=RECORD_FORMAT, migrations=RECORD_MIGRATIONS, what=str(path)
    )


def _record_path(folder: Path, instance: str) -> Path:
    return folder / "records" / f"{instance}.json"


def _check_names(tasks: Sequence[Task]) -> None:
    seen: set[str] = set()
    for task in tasks:
        if not _NAME.fullmatch(task.instance_id):
            raise UsageError(f"the instance id {task.instance_id[:100]!r} cannot be the name of a file")
        if task.instance_id in seen:
            raise UsageError(f"two tasks have the instance id {task.instance_id!r}")
        seen.add(task.instance_id)


def _difference(stored: RunSettings, asked: RunSettings) -> str:
    parts = []
    for name in RunSettings.__dataclass_fields__:
        there, now = getattr(stored, name), getattr(asked, name)
        if name == "agent" and there and now:
            parts += [
                f"--agent-{option}: {getattr(there, field)} there, {getattr(now, field)} now"
                for field, option in _AGENT_OPTIONS.items()
                if getattr(there, field) != getattr(now, field)
            ]
        elif there != now:
            parts.append(f"{name}: {there} there, {now} now")
    return "; ".join(parts)
