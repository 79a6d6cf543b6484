"""Progress on standard error: lines that are kept up to date on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from backdate.checking.progress import AttemptStarted
from backdate.cli.render_progress import (
    STAGE_WORDS,
    attempt_line,
    build_line,
    elapsed,
    found_line,
    quality_line,
    remaining_line,
    score_line,
    solver_line,
    subject_label,
    suite_line,
    verification_line,
)
from backdate.cli.terminal import printable, tell
from backdate.environments.environment import unconfirmed_text
from backdate.environments.progress import EnvironmentDiscarded, LockUnconfirmed, OneStepEnd, OneStepEnded
from backdate.progress import ONLY, Activity, Event, Remark, Reporter, Stage, StageEntered, SuiteAdvanced

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from backdate.construction.progress import BuildAdvanced
    from backdate.timeline.instants import Instant

_BUILD_LINE_EVERY_S = 10.0
_ORDER = {"old": 0, "new": 1, "declared": 1, "lifted": 2}
"""Sides before tasks; tasks as they began."""


@dataclass(slots=True)
class _ProgressRow:
    """What is known of one environment or task that is under way."""

    stage: Stage | None
    """None for a task."""
    text: str
    since: float
    passed: bool | None = None
    """Of what is done: whether all of its tests passed."""


class _Display:
    """What both ways of showing progress share: which event says what."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._started = time.monotonic()
        self._finished = 0
        self._rows: dict[str, _ProgressRow] = {}
        self._attempts: dict[str, _ProgressRow] = {}
        """The recipe that is tried for each environment."""
        self._runs: dict[str, str] = {}
        """Which run of a task is under way, by the task: "old, run 1"."""

    def report(self, event: Event) -> None:
        """Show one event."""
        with self._lock:
            match event:
                case Activity(text=text):
                    self._activity(text)
                case Remark(text=text):
                    self._line(f"Note: {text}")
                case EnvironmentDiscarded(folder=folder):
                    self._line(f"Note: {folder} was changed since it was made; it is removed and built again")
                case OneStepEnded(reason=reason, distribution=distribution):
                    self._line(f"Note: {_one_step_text(reason, distribution)}")
                case LockUnconfirmed(distributions=distributions):
                    self._line(f"Note: {unconfirmed_text(distributions)}")
                case AttemptStarted():
                    self._attempt(event)
                case StageEntered():
                    self._stage(event)
                case SuiteAdvanced():
                    detail = suite_line(event)
                    self._stage(StageEntered(subject=event.subject, stage="testing", detail=detail))
                case _:
                    self._report_of_later_rooms(event)

    def _report_of_later_rooms(self, event: Event) -> None:
        """Show an event that no check has: its rooms are imported where they are at work anyway."""
        from backdate.bisection.progress import BisectionAdvanced
        from backdate.construction.progress import BuildAdvanced
        from backdate.evaluation.progress import SolverFinished, SolverStarted, TaskScored
        from backdate.tasks.progress import QualityMeasured, TaskRunStarted, TaskVerified

        match event:
            case BisectionAdvanced(finding=finding):
                if finding is not None and finding.culprits:
                    self._line(found_line(event))
                if event.remaining:
                    self._activity(remaining_line(event))
            case TaskRunStarted():
                self._rows.pop(event.instance_id, None)
                self._runs[event.instance_id] = f"{event.stage}, run {event.number}"
                self._run(event.instance_id)
            case SolverStarted():
                self._task(event.instance_id, "goes on where it was ended" if event.resumed else "")
            case TaskVerified():
                self._end(event.verification.instance_id, event.total, verification_line(event))
            case QualityMeasured():
                self._end(event.instance_id, event.total, quality_line(event))
            case SolverFinished():
                self._end(event.record.instance_id, event.total, solver_line(event))
            case TaskScored():
                self._end(event.score.instance_id, event.total, score_line(event))
            case BuildAdvanced():
                self._build(event)

    def _end(self, task: str, total: int, text: str) -> None:
        self._rows.pop(task, None)
        self._runs.pop(task, None)
        self._finished += 1
        self._line(f"[{self._finished}/{total}] {text}")

    def _name(self, subject: str) -> str:
        """What stands before a stage of ``subject``: a side, or a run of a task's."""
        return f"{subject}: {self._runs[subject]}: " if subject in self._runs else subject_label(subject)

    def _age(self, since: float | None = None) -> str:
        return elapsed(time.monotonic() - (self._started if since is None else since))

    def _line(self, text: str) -> None:
        """A line that stays."""
        raise NotImplementedError

    def _activity(self, text: str) -> None:
        raise NotImplementedError

    def _stage(self, event: StageEntered) -> None:
        raise NotImplementedError

    def _attempt(self, event: AttemptStarted) -> None:
        """Another recipe: what its environment goes through is told anew."""
        self._rows.pop(event.subject, None)
        self._attempts[event.subject] = _ProgressRow(None, attempt_line(event), time.monotonic())

    def _task(self, task: str, text: str) -> None:
        raise NotImplementedError

    def _run(self, task: str) -> None:
        """A run of a task's tests begins: its stages will say which."""

    def _build(self, event: BuildAdvanced) -> None:
        raise NotImplementedError


class _PlainDisplay(_Display):
    """One line for each new stage, for pipes and logs."""

    def __init__(self) -> None:
        super().__init__()
        self._build_phase = ""
        self._build_shown_at = 0.0
        self._build_waits: Instant | None = None

    def _line(self, text: str) -> None:
        tell(text)

    def _activity(self, text: str) -> None:
        tell(f"[{self._age()}] {printable(text)}")

    def _stage(self, event: StageEntered) -> None:
        before = self._rows.get(event.subject)
        self._rows[event.subject] = _ProgressRow(event.stage, event.detail, time.monotonic())
        if event.stage in ("ready", "waiting") or (before is not None and before.stage == event.stage):
            return
        detail = before.text if before is not None and event.stage == "done" else event.detail
        name = self._name(event.subject)
        shown = f" ({detail})" if detail and event.stage != "testing" else ""
        self._activity(f"{name}{STAGE_WORDS[event.stage]}{shown}")

    def _attempt(self, event: AttemptStarted) -> None:
        super()._attempt(event)
        self._activity(attempt_line(event))

    def _task(self, task: str, text: str) -> None:
        if text:
            tell(f"{task}: {text}")

    def _build(self, event: BuildAdvanced) -> None:
        """A line for each new phase and each wait for a limit, and one now and then."""
        now = time.monotonic()
        new = event.phase != self._build_phase or event.waits_until not in (None, self._build_waits)
        if not new and now - self._build_shown_at < _BUILD_LINE_EVERY_S:
            return
        self._build_phase, self._build_shown_at = event.phase, now
        self._build_waits = event.waits_until
        tell(printable(build_line(event) + (f"  [{event.last}]" if event.last else "")))


class _LiveDisplay(_Display):
    """A few lines that are kept up to date, below those that stay."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console
        self._text = ""
        self._last = ""
        """A second line below the activity."""
        self._lines: deque[str] = deque()
        """Lines that stay and are still to be printed."""
        self._printing = threading.Lock()

    def report(self, event: Event) -> None:
        """Show one event.

        Lines are printed without the lock of what is shown: the thread that draws holds the console's lock
        while it asks for the other one, so that each would wait for the other for ever.
        """
        super().report(event)
        with self._printing:
            while self._lines:
                text = printable(self._lines.popleft(), lines=True)
                self._console.print(text, markup=False, highlight=False)

    def _line(self, text: str) -> None:
        self._lines.append(text)

    def _activity(self, text: str) -> None:
        self._text = text

    def _stage(self, event: StageEntered) -> None:
        before = self._rows.get(event.subject)
        same = before is not None and before.stage == event.stage
        since = before.since if before is not None and same else time.monotonic()
        text = before.text if before is not None and event.stage == "done" else event.detail
        self._rows[event.subject] = _ProgressRow(event.stage, text, since, event.passed)
        self._text = ""  # it was about what came before the environments

    def _task(self, task: str, text: str) -> None:
        before = self._rows.get(task)
        self._rows[task] = _ProgressRow(None, text, before.since if before is not None else time.monotonic())

    def _run(self, task: str) -> None:
        self._task(task, self._runs[task])

    def _build(self, event: BuildAdvanced) -> None:
        self._text, self._last = build_line(event), event.last

    def __rich__(self) -> RenderableType:
        from rich.spinner import Spinner
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 1))
        with self._lock:
            if all(row.stage in ("done", "failed") for row in self._rows.values()):
                # no environment and no task is under way: before them, or after
                table.add_row(Spinner("dots"), Text(printable(f"{self._text}  {self._age()}".strip())))
                if self._last:
                    table.add_row("", Text(printable(self._last)))
            for name, row in sorted(self._rows.items(), key=lambda item: _ORDER.get(item[0], len(_ORDER))):
                attempt = self._attempts.get(name)
                if attempt is not None:
                    table.add_row("", Text(printable(f"{attempt.text}  {self._age(attempt.since)}")))
                mark = Text(self._mark(row)) if self._over(row) else Spinner("dots")
                table.add_row(mark, Text(printable(self._row_text(name, row))))
        return table

    @staticmethod
    def _mark(row: _ProgressRow) -> str:
        """A tick for a side all of whose tests passed, a cross for one that is not there, else a dot."""
        if row.stage == "failed":
            return "✗"
        return "✓" if row.passed else "•"

    @staticmethod
    def _over(row: _ProgressRow) -> bool:
        return row.stage in ("done", "failed")

    def _row_text(self, name: str, row: _ProgressRow) -> str:
        age = "" if self._over(row) else f"  {self._age(row.since)}"
        if row.stage is None:
            return f"{name}{f': {row.text}' if row.text else ''}{age}"
        detail = f": {row.text}" if row.text else ""
        shown = "" if name == ONLY else self._name(name) if name in self._runs else f"{name}  "
        return f"{shown}{STAGE_WORDS[row.stage]}{detail}{age}"


@contextmanager
def watch() -> Iterator[Reporter]:
    """A reporter that shows progress on standard error until it is left."""
    if not sys.stderr.isatty():
        yield _PlainDisplay()
        return
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    display = _LiveDisplay(console)
    with Live(display, console=console, refresh_per_second=8, transient=True):
        yield display


def _one_step_text(reason: OneStepEnd, distribution: str) -> str:
    if reason is OneStepEnd.NEEDS_BUILD:
        return f"{distribution or 'an sdist'} has no wheel that will do: it is built by itself first"
    why = {
        OneStepEnd.UV_BUILDS: "this uv may build while it resolves",
        OneStepEnd.NOT_COVERED: "this sandbox cannot keep uv from building",
        OneStepEnd.FAILED: "that failed",
    }[reason]
    return f"not resolved and installed in one step ({why}); the ordinary steps follow"
