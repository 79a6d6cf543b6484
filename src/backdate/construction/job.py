"""One job, as bytes in and bytes out, so that any executor can run it on any machine.

Whatever a candidate does becomes a result. Only a fault of the machine ends a build, and that is a result
too: ``Trouble``.
"""

from __future__ import annotations

import errno
import shutil
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Literal

from backdate.changes.change import Change, PassedOver
from backdate.checking.cpu_time import cpu_time_s
from backdate.checking.starting_recipes import StartingRecipe
from backdate.construction.candidate import Candidate, Exclusion
from backdate.construction.disk import trim
from backdate.construction.job_context import cpu_of
from backdate.construction.kinds.choose import (
    builder_of,
    change_builder_of,
    repository_stages_of,
    stages_of,
)
from backdate.construction.kinds.interface import JobTools
from backdate.construction.plan import BuildPlan, WorkerConfig
from backdate.construction.store import open_store
from backdate.environments.cache import Cache
from backdate.errors import (
    BackdateError,
    ConfigurationError,
    DiskFull,
    GitHubUnavailable,
    IndexUnavailable,
    SandboxUnavailable,
    SourceError,
    UsageError,
)
from backdate.serial import from_json, to_json
from backdate.tasks.task import Task

SPARE_BYTES = 1024**3
"""No job starts with less free space than this: it would fail half-way."""


JobKind = Literal["read", "examine", "run"]
"""Reading the changes of a repository, examining a candidate, running one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to do with one candidate."""

    number: int
    """In the ledger."""
    kind: JobKind
    candidate: Candidate
    examined: bytes | None = None
    """For "run": the JSON that the kind's builder returned for "examine"."""
    seeds: tuple[StartingRecipe, ...] = ()
    """For "run": see ``JobTools``."""
    plan: BuildPlan
    place: WorkerConfig


class TroubleKind(StrEnum):
    """What it means for the build that a job has no answer."""

    TRY_AGAIN = "try-again"
    DEFECT = "defect"
    """A defect of ours: another attempt would end the same way, but other candidates may not meet it."""
    MACHINE = "machine"
    """A fault of the machine, which every other job would meet too."""
    DISK_FULL = "disk-full"
    """No space is left; treated like ``MACHINE``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Why a job has no answer."""

    kind: TroubleKind
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobResult:
    """The result of a job: ``examined``, ``exclusion`` or ``task``, or else ``trouble``."""

    number: int
    kind: JobKind
    examined: bytes | None = None
    """JSON, as ``TaskBuilder.examine`` returns it; for "read" as in ``FoundChanges``."""
    changes: tuple[Change, ...] = ()
    """Of "read", newest first."""
    passed_over: tuple[PassedOver, ...] = ()
    """Of "read"."""
    recipe: StartingRecipe | None = None
    """Of "run": see ``BuiltTask``."""
    exclusion: Exclusion | None = None
    task: Task | None = None
    trouble: Trouble | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    """The duration of building, testing and other steps; "job" is the total.
    Processor time is kept beside it, under the name that ``cpu_of`` gives."""


def run_bytes(data: bytes) -> bytes:
    """``run_job`` for executors that carry bytes."""
    return to_json(run_job(from_json(Job, data, what="a job")))


def run_job(job: Job) -> JobResult:
    """Do the job. Raises nothing but KeyboardInterrupt."""
    started, computed = time.monotonic(), cpu_time_s()
    seconds: dict[str, float] = {}
    try:
        result = _run(job, seconds)
    except Exception as error:  # noqa: BLE001 - a defect of ours must cost one candidate, not the whole build
        result = JobResult(number=job.number, kind=job.kind, trouble=_trouble(error))
    seconds["job"] = time.monotonic() - started
    seconds[cpu_of("job")] = cpu_time_s() - computed  # a worker does one job at a time
    return replace(result, seconds=seconds)


def _trouble(error: Exception) -> Trouble:
    match error:
        case SourceError() | ConfigurationError():  # one project's files must not stop the other candidates
            return Trouble(kind=TroubleKind.TRY_AGAIN, text=str(error))
        case DiskFull():
            return Trouble(kind=TroubleKind.DISK_FULL, text=str(error))
        case SandboxUnavailable() | UsageError() | GitHubUnavailable():
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
    cache = job.plan.settings(job.place.cache).open_cache()
    _make_room(cache)
    with tempfile.TemporaryDirectory(prefix="backdate-build-", ignore_cleanup_errors=True) as temporary:
        tools = JobTools(
            plan=job.plan,
            config=job.place,
            store=store,
            scratch=Path(temporary),
            seeds=job.seeds,
            seconds=seconds,
        )
        result = _STEPS[job.kind](job, tools)
    if result.exclusion is not None:
        _require_stage(job, result.exclusion)
    if job.kind == "run" and job.place.disk_budget_bytes is not None:
        trim(cache, job.place.disk_budget_bytes)
    return result


def _read_changes(job: Job, tools: JobTools) -> JobResult:
    found = change_builder_of(job.plan.kind).read_changes(job.candidate, tools)
    if isinstance(found, Exclusion):
        return JobResult(number=job.number, kind=job.kind, exclusion=found)
    return JobResult(
        number=job.number,
        kind=job.kind,
        examined=found.examined,
        changes=tuple(entry for entry in found.changes if isinstance(entry, Change)),
        passed_over=tuple(entry for entry in found.changes if isinstance(entry, PassedOver)),
    )


def _examine(job: Job, tools: JobTools) -> JobResult:
    examined = builder_of(job.plan.kind).examine(job.candidate, tools)
    if isinstance(examined, Exclusion):
        return JobResult(number=job.number, kind=job.kind, exclusion=examined)
    return JobResult(number=job.number, kind=job.kind, examined=examined)


def _build_task(job: Job, tools: JobTools) -> JobResult:
    if job.examined is None:
        raise UsageError(f"{job.candidate.name} has to be examined before it is run")
    built = builder_of(job.plan.kind).build_task(job.candidate, job.examined, tools)
    result = JobResult(number=job.number, kind=job.kind, recipe=built.recipe)
    if isinstance(built.result, Exclusion):
        return replace(result, exclusion=built.result)
    return replace(result, task=built.result)


_STEPS: Mapping[JobKind, Callable[[Job, JobTools], JobResult]] = {
    "read": _read_changes,
    "examine": _examine,
    "run": _build_task,
}


def _require_stage(job: Job, exclusion: Exclusion) -> None:
    """Raise ValueError for a stage that the funnel of this kind does not have: nobody would count it."""
    stages = repository_stages_of(job.plan.kind) if job.kind == "read" else stages_of(job.plan.kind)
    if exclusion.stage not in {stage.name for stage in stages}:
        raise ValueError(f"tasks of the kind {job.plan.kind} have no stage {exclusion.stage!r}")


def _make_room(cache: Cache) -> None:
    """Free what no job needs when space is short; raise DiskFull when that is not enough to start."""
    for folder in (cache.folder, Path(tempfile.gettempdir())):
        if shutil.disk_usage(folder).free < SPARE_BYTES:
            trim(cache, 0)
        free = shutil.disk_usage(folder).free
        if free < SPARE_BYTES:
            raise DiskFull(
                f"{folder} has {free // 1024**2} MiB left, less than a job needs; "
                "free some and resume the build: nothing is lost"
            )
