"""One job: from bytes to bytes, so that every kind of executor can carry it anywhere.

Whatever a candidate does is an answer. Only what is wrong with the machine ends a build, and that is an
answer too: ``Trouble``.
"""

from __future__ import annotations

import errno
import shutil
import tempfile
import time
import traceback
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Literal

from backdate.construction.candidate import Candidate, Exclusion
from backdate.construction.disk import trim
from backdate.construction.migration.examine import Examined, examine
from backdate.construction.migration.execute import execute
from backdate.construction.migration.sides import open_bench
from backdate.construction.plan import BuildPlan, WorkerConfig
from backdate.construction.store import Store, open_store
from backdate.environments.cache import Cache
from backdate.errors import (
    BackdateError,
    ConfigurationError,
    DiskFull,
    IndexUnavailable,
    SandboxUnavailable,
    SourceError,
    UsageError,
)
from backdate.serial import from_json, to_json
from backdate.tasks.task import Task

SPARE_BYTES = 1024**3
"""With less space left than this no job is begun: it would fail half-way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is to be done with one candidate."""

    number: int
    """In the ledger."""
    kind: Literal["examine", "run"]
    candidate: Candidate
    examined: Examined | None = None
    plan: BuildPlan
    place: WorkerConfig


class TroubleKind(StrEnum):
    """What it means for the build that a job has no answer."""

    TRY_AGAIN = "try-again"
    DEFECT = "defect"
    """Ours: another attempt would end alike, and other candidates may do without it."""
    MACHINE = "machine"
    """The machine is at fault, and would be for every other job too."""
    DISK_FULL = "disk-full"
    """As ``MACHINE``: no space is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Why a job has no answer."""

    kind: TroubleKind
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """What came of it: one of the first three, or trouble."""

    number: int
    kind: Literal["examine", "run"]
    examined: Examined | None = None
    exclusion: Exclusion | None = None
    task: Task | None = None
    trouble: Trouble | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    """What building, testing and the rest took; "job" is all of it."""


def run_bytes(data: bytes) -> bytes:
    """``run_job`` for executors that carry bytes."""
    return to_json(run_job(from_json(Job, data, what="a job")))


def run_job(job: Job) -> JobResult:
    """Do the job. Raises nothing but KeyboardInterrupt."""
    started = time.monotonic()
    seconds: dict[str, float] = {}
    try:
        answer = _run(job, seconds)
    except Exception as error:  # noqa: BLE001 - a defect of ours must cost one candidate, not the whole build
        answer = JobResult(number=job.number, kind=job.kind, trouble=_trouble(error))
    seconds["job"] = time.monotonic() - started
    return replace(answer, seconds=seconds)


def _trouble(error: Exception) -> Trouble:
    match error:
        case SourceError() | ConfigurationError():  # what one project's files hold stops no other
            return Trouble(kind=TroubleKind.TRY_AGAIN, text=str(error))
        case DiskFull():
            return Trouble(kind=TroubleKind.DISK_FULL, text=str(error))
        case SandboxUnavailable() | UsageError():
            return Trouble(kind=TroubleKind.MACHINE, text=str(error))
        case IndexUnavailable():
            return Trouble(kind=TroubleKind.TRY_AGAIN, text=f"the package index: {error}")
        case BackdateError():
            return Trouble(kind=TroubleKind.TRY_AGAIN, text=str(error))
        case OSError():
            full = error.errno in (errno.ENOSPC, errno.EDQUOT)
            text = f"{error.filename or ''}: {error.strerror or error}".removeprefix(": ")
            return Trouble(kind=TroubleKind.DISK_FULL if full else TroubleKind.TRY_AGAIN, text=text)
        case _:
            text = "".join(traceback.format_exception(error))[-6000:]
            return Trouble(kind=TroubleKind.DEFECT, text=text)


def _run(job: Job, seconds: dict[str, float]) -> JobResult:
    store = open_store(job.place.store)
    cache = Cache(job.place.cache)
    _make_room(cache)
    with tempfile.TemporaryDirectory(prefix="backdate-build-", ignore_cleanup_errors=True) as temporary:
        scratch = Path(temporary)
        if job.kind == "examine":
            started = time.monotonic()
            looked = examine(job.candidate, job.plan, job.place, store, scratch)
            seconds["examine"] = time.monotonic() - started
            return JobResult(
                number=job.number, kind=job.kind, examined=looked.examined, exclusion=looked.exclusion
            )
        answer = _execute(job, store, scratch, seconds)
    if job.place.disk_budget_bytes is not None:
        trim(cache, job.place.disk_budget_bytes)
    return answer


def _execute(job: Job, store: Store, scratch: Path, seconds: dict[str, float]) -> JobResult:
    if job.examined is None:
        raise UsageError(f"{job.candidate.name} is to be run and was not examined")
    with open_bench(job.plan, job.place, store, scratch) as bench:
        try:
            made = execute(job.candidate, job.examined, bench)
        finally:
            seconds.update(bench.seconds)
    if isinstance(made, Exclusion):
        return JobResult(number=job.number, kind=job.kind, exclusion=made)
    return JobResult(number=job.number, kind=job.kind, task=made)


def _make_room(cache: Cache) -> None:
    """Raise DiskFull unless there is space to begin with; what no job needs goes first."""
    for folder in (cache.folder, Path(tempfile.gettempdir())):
        if shutil.disk_usage(folder).free < SPARE_BYTES:
            trim(cache, 0)
        free = shutil.disk_usage(folder).free
        if free < SPARE_BYTES:
            raise DiskFull(
                f"{folder} has {free // 1024**2} MiB left, less than a job needs; "
                "free some and resume the build: nothing is lost"
            )
