"""The funnel as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from backdate.cli.terminal import printable

if TYPE_CHECKING:
    from backdate.cli.render import Line
    from backdate.construction.funnel import Funnel
    from backdate.construction.ledger_view import Left

_MOST_REASONS = 5


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
