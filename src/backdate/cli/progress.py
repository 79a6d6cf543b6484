"""Progress on the terminal: a live line a side, or plain lines where there is no terminal."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from backdate.checking.progress import Progress, SideName, Stage
from backdate.cli.terminal import printable, tell

if TYPE_CHECKING:
    from rich.console import RenderableType

_WORDS: dict[Stage, str] = {
    "waiting": "waiting for the cache",
    "resolving": "resolving",
    "building": "building the environment",
    "ready": "environment ready",
    "testing": "testing",
    "done": "tested",
    "failed": "failed",
}


class _ProgressState:
    """What is known, shared by both ways of showing it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.started = time.monotonic()
        self.text = ""
        self.sides: dict[SideName, tuple[Stage, str, float]] = {}

    def elapsed(self, since: float | None = None) -> str:
        seconds = time.monotonic() - (self.started if since is None else since)
        return f"{int(seconds // 60)}:{int(seconds % 60):02d}"


class _Lines(_ProgressState):
    """One line for each new stage, for pipes and logs."""

    def project(self, text: str) -> None:
        self._say(text)

    def side(self, side: SideName, stage: Stage, detail: str = "") -> None:
        with self.lock:
            before = self.sides.get(side)
            self.sides[side] = (stage, detail, time.monotonic())
            if stage in ("ready", "waiting") or (before is not None and before[0] == stage):
                return
            last = before[1] if before is not None and stage == "done" else detail
            name = "" if side == "only" else f"{side} side: "
            self._say(f"{name}{_WORDS[stage]}{f' ({last})' if last and stage != 'testing' else ''}")

    def _say(self, text: str) -> None:
        tell(f"[{self.elapsed()}] {printable(text)}")


class _Live(_ProgressState):
    """A few lines that are kept up to date."""

    def project(self, text: str) -> None:
        with self.lock:
            self.text = text

    def side(self, side: SideName, stage: Stage, detail: str = "") -> None:
        with self.lock:
            before = self.sides.get(side)
            since = before[2] if before is not None and before[0] == stage else time.monotonic()
            kept = before[1] if before is not None and stage == "done" else detail
            self.sides[side] = (stage, kept, since)

    def __rich__(self) -> RenderableType:
        from rich.spinner import Spinner
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 1))
        with self.lock:
            if all(stage in ("done", "failed") for stage, _, _ in self.sides.values()):
                # nothing of a side is under way: before a check, or after it
                table.add_row(Spinner("dots"), Text(printable(f"{self.text}  {self.elapsed()}")))
            for side in ("old", "new", "only"):
                if side in self.sides:
                    stage, detail, since = self.sides[side]
                    name = "" if side == "only" else f"{side}  "
                    over = stage in ("done", "failed")
                    mark = Text("✓" if stage == "done" else "✗") if over else Spinner("dots")
                    time_text = "" if over else f"  {self.elapsed(since)}"
                    words = f"{name}{_WORDS[stage]}{f': {detail}' if detail else ''}{time_text}"
                    table.add_row(mark, Text(printable(words)))
        return table


@contextmanager
def watch() -> Iterator[Progress]:
    """Progress that a person sees on standard error."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.live import Live

    live = _Live()
    with Live(live, console=Console(stderr=True), refresh_per_second=8, transient=True):
        yield live
