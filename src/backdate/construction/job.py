"""One job: from bytes to bytes, so that every kind of executor can carry it anywhere.

Whatever a candidate does is an answer. Only what is wrong with the machine ends a build, and that is an
answer too: ``fatal``.
"""

from __future__ import annotations

import errno
import shutil
import tempfile
import time
import traceback
from dataclasses import dataclass, field
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


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """What came of it: one of the first three, or trouble."""

    number: int
    kind: Literal["examine", "run"]
    examined: Examined | None = None
    exclusion: Exclusion | None = None
    task: Task | None = None
    trouble: str = ""
    """Why there is no answer: the job may be tried again, unless ``bug``."""
    fatal: bool = False
    """The machine is at fault, and would be for every other job too."""
    bug: bool = False
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
    except (SourceError, ConfigurationError) as error:  # what one project's files hold stops no other
        answer = JobResult(number=job.number, kind=job.kind, trouble=str(error))
    except (DiskFull, SandboxUnavailable, UsageError) as error:
        answer = JobResult(number=job.number, kind=job.kind, trouble=str(error), fatal=True)
    except IndexUnavailable as error:
        answer = JobResult(number=job.number, kind=job.kind, trouble=f"the package index: {error}")
    except BackdateError as error:
        answer = JobResult(number=job.number, kind=job.kind, trouble=str(error))
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        words = f"{error.filename or ''}: {error.strerror or error}".removeprefix(": ")
        answer = JobResult(number=job.number, kind=job.kind, trouble=words, fatal=full)
    except Exception:  # noqa: BLE001 - a defect of ours must cost one candidate, not the build of thousands
        answer = JobResult(number=job.number, kind=job.kind, trouble=traceback.format_exc()[-6000:], bug=True)
    seconds["job"] = time.monotonic() - started
    return JobResult(
        number=answer.number,
        kind=answer.kind,
        examined=answer.examined,
        exclusion=answer.exclusion,
        task=answer.task,
        trouble=answer.trouble,
        fatal=answer.fatal,
        bug=answer.bug,
        seconds=seconds,
    )


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
