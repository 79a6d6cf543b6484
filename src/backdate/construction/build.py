"""Driving a build: entries into the ledger, jobs out of it, answers into it, and the data set at the end.

Everything that was found out is in the ledger or in the store before the next thing is begun. The same build,
started again after whatever stopped it, goes on where it was; a finished one does nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from backdate.construction.candidate import BadRow, Entry, Exclusion
from backdate.construction.duplicates import Sketched, find_duplicates
from backdate.construction.executors.interface import Executor, FinishedJob
from backdate.construction.funnel import Funnel, make_funnel
from backdate.construction.job import Job, JobResult, TroubleKind
from backdate.construction.ledger import Ledger
from backdate.construction.ledger_view import LedgerRow, LedgerView
from backdate.construction.migration.examine import Examined
from backdate.construction.plan import BuildPlan, WorkerConfig
from backdate.construction.progress import BuildAdvanced, BuildPhase
from backdate.construction.publish import publish
from backdate.construction.rules import exclude_by_row
from backdate.construction.sources.open import read_entries, require_sources, sources_digest
from backdate.errors import DiskFull, MachineError, StoredDataError, UsageError
from backdate.progress import NO_PROGRESS, Reporter
from backdate.serial import from_json, to_json
from backdate.timeline.instants import require_past

MOST_ATTEMPTS = 4
"""Attempts at one job, the last of which the candidate leaves with."""
LEASE_S = 300.0
_RENEW_S = 60.0
_COLLECT_S = 1.0
_NOTE_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildSummary:
    """What a build came to."""

    funnel: Funnel
    dataset: Path
    ledger: Path
    did_nothing: bool
    """The build was finished before."""


def build_folder(output: Path) -> Path:
    """Where the ledger of the data set at ``output`` is kept."""
    return output.with_name(f"{output.name}.build")


def build(
    sources: Sequence[str],
    output: Path,
    *,
    plan: BuildPlan,
    place: WorkerConfig,
    executor: Callable[[], Executor],
    resume: bool = False,
    retry: bool = False,
    progress: Reporter = NO_PROGRESS,
) -> BuildSummary:
    """Build the data set ``output`` from ``sources``; the ledger is beside it, in ``OUTPUT.build``.

    ``executor`` is called when there is something to carry out. ``resume`` goes on with a build that was
    begun; ``retry`` looks again at candidates that left because of trouble on our side. Raises UsageError
    for what cannot be asked, MachineError (DiskFull among them) when the machine gave up: nothing is lost.
    """
    require_past(plan.target)
    require_sources(sources)
    folder = build_folder(output)
    begun = (folder / "ledger.sqlite").exists()
    if begun and not (resume or retry):
        raise UsageError(
            f"{folder} holds a build that was begun; go on with --resume, or name another data set"
        )
    if not begun and output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise UsageError(f"{output} is there already; name a new folder")
    with Ledger(folder) as ledger:
        _require_same(ledger, sources, plan)
        again = 0
        if retry and any(stage == "trouble" for stage, _ in ledger.reasons()):
            if output.exists():
                raise UsageError(f"{output} is there already; move it away to have it written again")
            again = ledger.retry(["trouble"])
        if ledger.fact("finished") and output.exists() and not again:
            return BuildSummary(funnel=funnel_of(ledger), dataset=output, ledger=folder, did_nothing=True)
        _Driver(ledger, plan, place, executor, progress).drive(sources)
        publish(ledger, output, plan, place)
        ledger.note("finished", "yes")
        return BuildSummary(funnel=funnel_of(ledger), dataset=output, ledger=folder, did_nothing=False)


def funnel_of(ledger: LedgerView) -> Funnel:
    """The funnel so far."""
    return make_funnel(ledger.reasons(), candidates=ledger.total(), tasks=ledger.count("task"))


def _require_same(ledger: Ledger, sources: Sequence[str], plan: BuildPlan) -> None:
    """A ledger belongs to one set of candidates and one plan. Raises UsageError for another."""
    for name, value, what in (
        ("sources", sources_digest(sources), "other sources"),
        ("plan", to_json(plan).decode(), "other parameters"),
    ):
        known = ledger.fact(name)
        if known is None:
            ledger.note(name, value)
        elif known != value:
            raise UsageError(
                f"{ledger.folder} was begun with {what} ({known[:300]}); resume with the same, "
                "or name another data set: what was found out is kept and costs nothing there"
            )


@dataclass(slots=True)
class _Driver:
    """One sitting."""

    ledger: Ledger
    plan: BuildPlan
    place: WorkerConfig
    make_executor: Callable[[], Executor]
    progress: Reporter
    started: float = field(default_factory=time.time)
    done: int = 0
    last: str = ""
    owner: str = field(default_factory=lambda: f"process {os.getpid()} on {os.uname().nodename}")
    _told: float = 0.0
    _phase_started: float = 0.0
    _phase_done: int = 0

    def drive(self, sources: Sequence[str]) -> None:
        """All phases, each of which finds nothing to do when it was finished before."""
        if self.ledger.fact("read") is None:
            self._tell("reading", 0, always=True)
            self.ledger.add(self._judged(read_entries(sources)))
            self.ledger.note("read", "yes")
        self.ledger.release(blame=False)  # nobody else writes this ledger: who held them is gone
        executor: Executor | None = None
        try:
            for phase in ("examine", "run"):
                if self.ledger.count(phase):
                    executor = executor or self.make_executor()
                    self._carry_out(phase, executor)
                if phase == "examine":
                    self._remove_duplicates()
        except BaseException:
            if executor is not None:
                executor.close(at_once=True)
            self.ledger.release(blame=False)
            raise
        if executor is not None:
            executor.close(at_once=False)
        self._tell("writing", 0, always=True)

    def _judged(self, entries: Iterator[Entry]) -> Iterator[tuple[Entry, Exclusion | None]]:
        for entry in entries:
            yield entry, None if isinstance(entry, BadRow) else exclude_by_row(entry, self.plan)

    def _carry_out(self, kind: Literal["examine", "run"], executor: Executor) -> None:
        """Every candidate that waits in the state ``kind``."""
        under_way: set[int] = set()
        self._phase_started, self._phase_done = time.monotonic(), 0
        renewed = noted = time.monotonic()
        while True:
            room = executor.width - len(under_way)
            rows = self.ledger.lease(kind, room, owner=self.owner, seconds=LEASE_S) if room > 0 else ()
            for row in rows:
                under_way.add(row.id)
                executor.submit(row.id, to_json(self._job(kind, row)))
            if not under_way:
                break
            self._tell("examining" if kind == "examine" else "running", len(under_way))
            for finished in executor.collect(_COLLECT_S):
                under_way.discard(finished.number)
                self._take(kind, finished)
            now = time.monotonic()
            if now - renewed > _RENEW_S:
                self.ledger.renew(under_way, seconds=LEASE_S)
                renewed = now
            if now - noted > _NOTE_S:
                self._sit(executor)
                noted = now
        self._sit(executor)

    def _sit(self, executor: Executor) -> None:
        self.ledger.sit(self.started, time.time(), executor.width, self.done)

    def _job(self, kind: Literal["examine", "run"], row: LedgerRow) -> Job:
        examined = None if row.examined is None else from_json(Examined, row.examined, what="the ledger")
        return Job(
            number=row.id,
            kind=kind,
            candidate=row.candidate,
            examined=examined,
            plan=self.plan,
            place=self.place,
        )

    def _take(self, kind: Literal["examine", "run"], finished: FinishedJob) -> None:
        """Note what came of a job. Raises when the machine gave up."""
        number = finished.number
        if finished.answer is None:
            self._try_again(number, f"its worker was lost: {finished.lost}")
            return
        try:
            answer = from_json(JobResult, finished.answer, what="an answer")
        except StoredDataError as error:
            self._try_again(number, str(error))
            return
        self.ledger.spend(number, kind, answer.seconds)
        trouble = answer.trouble
        if trouble is not None and trouble.kind in (TroubleKind.MACHINE, TroubleKind.DISK_FULL):
            kind_of_error = DiskFull if trouble.kind is TroubleKind.DISK_FULL else MachineError
            raise kind_of_error(f"{trouble.text} (the build stops here; go on with --resume)")
        if trouble is not None and trouble.kind is TroubleKind.TRY_AGAIN:
            self._try_again(number, trouble.text)
            return
        if trouble is not None:
            gone = Exclusion(stage="trouble", reason="a defect of ours", detail=trouble.text)
            self.ledger.exclude(number, gone)
        elif answer.exclusion is not None:
            self.ledger.exclude(number, answer.exclusion)
        elif answer.examined is not None:
            self.ledger.keep_examined(number, to_json(answer.examined))
        elif answer.task is not None:
            self.ledger.keep_task(number, answer.task.instance_id, to_json(answer.task))
        self.last = _words(answer)
        self.done += 1
        self._phase_done += 1

    def _try_again(self, number: int, why: str) -> None:
        if self.ledger.attempts(number) < MOST_ATTEMPTS:
            self.ledger.release([number])
            return
        gone = Exclusion(stage="trouble", reason=f"no answer in {MOST_ATTEMPTS} attempts", detail=why)
        self.ledger.exclude(number, gone)
        self.done += 1
        self._phase_done += 1

    def _remove_duplicates(self) -> None:
        """Those that are ready go on, but for near-duplicates of one another."""
        if not self.ledger.count("ready"):
            return
        names: dict[int, str] = {}
        sketched = []
        for state in ("ready", "run"):
            for row in self.ledger.rows(state):
                if row.examined is None:
                    continue
                found = from_json(Examined, row.examined, what="the ledger")
                names[row.id] = row.candidate.name
                sketched.append(Sketched(id=row.id, stars=row.candidate.stars or 0, sketch=found.sketch))
        duplicates = {
            number: Exclusion(
                stage="duplicate",
                reason="the same files as another" if share == 1.0 else "nearly the same as another",
                detail=f"{names[other]}, {share:.0%} alike",
            )
            for number, (other, share) in find_duplicates(sketched).items()
        }
        self.ledger.move_ready(duplicates)

    def _tell(self, phase: BuildPhase, running: int, *, always: bool = False) -> None:
        now = time.monotonic()
        if not always and now - self._told < 0.5:
            return
        self._told = now
        passed = now - self._phase_started
        left = self.ledger.count("examine") if phase == "examining" else self.ledger.count("run")
        rate = self._phase_done / passed * 3600 if self._phase_done and passed > 0 else 0.0
        reasons = self.ledger.reasons()
        self.progress.report(
            BuildAdvanced(
                phase=phase,
                running=running,
                done=self._phase_done,
                left=left,
                rate_per_hour=rate,
                eta_s=left / rate * 3600 if rate else None,
                candidates=self.ledger.total(),
                excluded=sum(reasons.values()),
                tasks=self.ledger.count("task"),
                last=self.last,
            )
        )


def _words(answer: JobResult) -> str:
    if answer.exclusion is not None:
        return f"out at {answer.exclusion.stage}: {answer.exclusion.reason}"
    return f"task {answer.task.instance_id}" if answer.task is not None else "examined"
