"""Progress on the terminal: a live line a side, or plain lines where there is no terminal."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from backdate.cli.terminal import printable, tell
from backdate.progress import Activity, Event, Reporter, Stage, StageEntered

if TYPE_CHECKING:
    from rich.console import RenderableType

_STAGE_TEXTS: dict[Stage, str] = {
    "waiting": "waiting for the cache",
    "resolving": "resolving",
    "building": "building the environment",
    "ready": "environment ready",
    "testing": "testing",
    "done": "tested",
    "failed": "failed",
}


class _ProgressState:
    """The last events, shared by both ways of showing them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.started = time.monotonic()
        self.text = ""
        self.environments: dict[str, tuple[Stage, str, float]] = {}
        """By subject: the stage, the detail, since when."""

    def elapsed(self, since: float | None = None) -> str:
        seconds = time.monotonic() - (self.started if since is None else since)
        return f"{int(seconds // 60)}:{int(seconds % 60):02d}"


class _Lines(_ProgressState):
    """One line for each new stage, for pipes and logs."""

    def report(self, event: Event) -> None:
        if isinstance(event, Activity):
            self._print(event.text)
        elif isinstance(event, StageEntered):
            self._enter(event.subject, event.stage, event.detail)

    def _enter(self, subject: str, stage: Stage, detail: str) -> None:
        with self.lock:
            before = self.environments.get(subject)
            self.environments[subject] = (stage, detail, time.monotonic())
            if stage in ("ready", "waiting") or (before is not None and before[0] == stage):
                return
            last = before[1] if before is not None and stage == "done" else detail
            name = "" if subject == "only" else f"{subject} side: "
            self._print(f"{name}{_STAGE_TEXTS[stage]}{f' ({last})' if last and stage != 'testing' else ''}")

    def _print(self, text: str) -> None:
        tell(f"[{self.elapsed()}] {printable(text)}")


class _Live(_ProgressState):
    """A few lines that are kept up to date."""

    def report(self, event: Event) -> None:
        with self.lock:
            if isinstance(event, Activity):
                self.text = event.text
            elif isinstance(event, StageEntered):
                self._enter(event.subject, event.stage, event.detail)

    def _enter(self, subject: str, stage: Stage, detail: str) -> None:
        before = self.environments.get(subject)
        since = before[2] if before is not None and before[0] == stage else time.monotonic()
        kept = before[1] if before is not None and stage == "done" else detail
        self.environments[subject] = (stage, kept, since)

    def __rich__(self) -> RenderableType:
        from rich.spinner import Spinner
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 1))
        with self.lock:
            if all(stage in ("done", "failed") for stage, _, _ in self.environments.values()):
                # no environment is under way: before a check, or after it
                table.add_row(Spinner("dots"), Text(printable(f"{self.text}  {self.elapsed()}")))
            for subject in ("old", "new", "only"):
                if subject in self.environments:
                    stage, detail, since = self.environments[subject]
                    name = "" if subject == "only" else f"{subject}  "
                    over = stage in ("done", "failed")
                    mark = Text("✓" if stage == "done" else "✗") if over else Spinner("dots")
                    time_text = "" if over else f"  {self.elapsed(since)}"
                    text = f"{name}{_STAGE_TEXTS[stage]}{f': {detail}' if detail else ''}{time_text}"
                    table.add_row(mark, Text(printable(text)))
        return table


@contextmanager
def watch() -> Iterator[Reporter]:
    """A reporter that shows progress to a person on standard error."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.live import Live

    live = _Live()
    with Live(live, console=Console(stderr=True), refresh_per_second=8, transient=True):
        yield live
