"""The funnel as text, and the progress of a build on the terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from backdate.cli.terminal import printable, tell

if TYPE_CHECKING:
    from backdate.cli.render import Line
    from backdate.construction.funnel import Funnel
    from backdate.construction.ledger_view import Left
    from backdate.construction.progress import BuildProgress, Snapshot

_MOST_REASONS = 5
_LINE_EVERY_S = 10.0


def funnel_lines(funnel: Funnel) -> Iterator[Line]:
    """The funnel as a table: stages with what entered and left, and the reasons below."""
    from io import StringIO

    from rich.box import SIMPLE
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE, pad_edge=False)
    for title, justify in (("stage", "left"), ("entered", "right"), ("left", "right"), ("why", "left")):
        table.add_column(title, justify="right" if justify == "right" else "left", overflow="fold")
    for stage in funnel.stages:
        reasons = [f"{one.count} {printable(one.reason)}" for one in stage.reasons[:_MOST_REASONS]]
        if len(stage.reasons) > _MOST_REASONS:
            rest = sum(one.count for one in stage.reasons[_MOST_REASONS:])
            reasons.append(f"{rest} for {len(stage.reasons) - _MOST_REASONS} other reasons")
        words = Text("\n".join(reasons) or "")
        table.add_row(Text(f"{stage.name}"), str(stage.entered), str(stage.left) if stage.left else "", words)
    table.add_row(
        "tasks", str(funnel.tasks), "", f"{funnel.waiting} not decided yet" if funnel.waiting else ""
    )
    buffer = StringIO()
    Console(file=buffer, width=110, color_system=None).print(table)
    for line in buffer.getvalue().rstrip("\n").split("\n"):
        yield line, ""


def excluded_lines(left: Iterable[Left]) -> Iterator[Line]:
    """Every candidate that left, with its reason and what belongs to it."""
    for one in left:
        at = f"@{one.revision[:12]}" if one.revision else ""
        yield f"{one.name}{at}  {one.stage}: {one.reason}", ""
        for line in one.detail.strip().splitlines()[:12]:
            yield f"    {line}", "dim"


def snapshot_words(snapshot: Snapshot) -> str:
    """One line for how far a build is."""
    words = f"{snapshot.phase}: {snapshot.done} done, {snapshot.running} under way, {snapshot.left} left"
    if snapshot.rate_per_hour:
        words += f", {snapshot.rate_per_hour:.0f} an hour"
    if snapshot.eta_s is not None:
        words += f", {_duration(snapshot.eta_s)} to go"
    of_all = f"of {snapshot.candidates} candidates {snapshot.excluded} are out, {snapshot.tasks} are tasks"
    return f"{words}; {of_all}"


def _duration(seconds: float) -> str:
    minutes, hours = int(seconds // 60) % 60, int(seconds // 3600)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {int(seconds) % 60:02d} s"


class _Lines:
    """A line now and then, and one for each new phase."""

    def __init__(self) -> None:
        self._phase = ""
        self._told = 0.0

    def update(self, snapshot: Snapshot) -> None:
        """Tell, unless something was told a moment ago."""
        now = time.monotonic()
        if snapshot.phase == self._phase and now - self._told < _LINE_EVERY_S:
            return
        self._phase, self._told = snapshot.phase, now
        tell(printable(snapshot_words(snapshot) + (f"  [{snapshot.last}]" if snapshot.last else "")))


@contextmanager
def watch_build() -> Iterator[BuildProgress]:
    """Progress of a build that a person sees on standard error."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    with Live(Text(""), console=Console(stderr=True), refresh_per_second=4, transient=True) as live:

        class _Shown:
            def update(self, snapshot: Snapshot) -> None:
                live.update(Text(printable(snapshot_words(snapshot)) + "\n" + printable(snapshot.last)))

        yield _Shown()
