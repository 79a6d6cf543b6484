"""The funnel as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from backdate.cli.terminal import printable

if TYPE_CHECKING:
    from pathlib import Path

    from rich.table import Table

    from backdate.cli.render import Line
    from backdate.construction.build import BuildSummary
    from backdate.construction.change_costs import RepositoryCost
    from backdate.construction.funnel import Funnel
    from backdate.construction.ledger_view import ExcludedEntry

_MOST_REASONS = 5


def show_built(built: BuildSummary, output: Path, picture: Path | None) -> None:
    """Print the funnel of a build that is over, and draw it where that is asked for."""
    import typer

    from backdate.cli.render import print_lines
    from backdate.reports.drawing.formats import draw
    from backdate.reports.funnel_scene import funnel_scene
    from backdate.serial import write_whole

    if picture is not None:
        write_whole(picture, draw(funnel_scene(built.funnel), picture.suffix))
    if built.repositories is not None:
        print_lines(funnel_lines(built.repositories, made="repositories with tasks"))
    print_lines(funnel_lines(built.funnel))
    typer.echo(f"{built.funnel.tasks} tasks in {output}")


def funnel_lines(funnel: Funnel, *, made: str = "tasks") -> Iterator[Line]:
    """The funnel as a table: stages with what entered and left, and the reasons below.

    ``made``: what is left in the end, in words.
    """
    from rich.box import SIMPLE
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE, pad_edge=False)
    for title, justify in (("stage", "left"), ("entered", "right"), ("left", "right"), ("why", "left")):
        table.add_column(title, justify="right" if justify == "right" else "left", overflow="fold")
    for stage in funnel.stages:
        reasons = [f"{reason.count} {printable(reason.reason)}" for reason in stage.reasons[:_MOST_REASONS]]
        if len(stage.reasons) > _MOST_REASONS:
            rest = sum(reason.count for reason in stage.reasons[_MOST_REASONS:])
            reasons.append(f"{rest} for {len(stage.reasons) - _MOST_REASONS} other reasons")
        reasons_text = Text("\n".join(reasons) or "")
        table.add_row(
            Text(f"{stage.name}"), str(stage.entered), str(stage.left) if stage.left else "", reasons_text
        )
    table.add_row(made, str(funnel.tasks), "", f"{funnel.waiting} not decided yet" if funnel.waiting else "")
    yield from _printed(table)


def cost_lines(costs: Sequence[RepositoryCost]) -> Iterator[Line]:
    """What changes took beyond their test runs: a row for each repository, then all further changes."""
    from rich.box import SIMPLE
    from rich.table import Table
    from rich.text import Text

    from backdate.construction.change_costs import WANTED_S

    table = Table(box=SIMPLE, pad_edge=False)
    table.add_column("repository")
    for title in ("first", "further", "median", "slowest", f"within {WANTED_S:g} s", "CPU, median", "tests"):
        table.add_column(title, justify="right")
    for each in costs:
        beyond = [change.beyond_s for change in each.further]
        table.add_row(
            Text(printable(each.name)),
            f"{each.first.beyond_s:.1f}" if each.first is not None else "not set up",
            str(len(beyond)),
            _median(beyond),
            f"{max(beyond):.1f}" if beyond else "",
            f"{each.within} of {len(beyond)}" if beyond else "",
            _median(each.beyond_cpu_s),
            _median([change.tests_s for change in each.further]),
        )
    yield "Seconds beyond the test runs, of the changes of each repository that were run:", ""
    yield from _printed(table)
    further = sum(len(each.further) for each in costs)
    if further:
        within = sum(each.within for each in costs)
        yield f"{within} of {further} further changes took at most {WANTED_S:g} s beyond their test runs", ""
    computed = [seconds for each in costs for seconds in each.beyond_cpu_s]
    if computed:
        within = sum(seconds <= WANTED_S for seconds in computed)
        yield f"{within} of {len(computed)} at most {WANTED_S:g} s of processor time", ""


def _median(seconds: Sequence[float]) -> str:
    from statistics import median

    return f"{median(seconds):.1f}" if seconds else ""


def _printed(table: Table) -> Iterator[Line]:
    from io import StringIO

    from rich.console import Console

    buffer = StringIO()
    Console(file=buffer, width=110, color_system=None).print(table)
    for line in buffer.getvalue().rstrip("\n").split("\n"):
        yield line, ""


def excluded_lines(left: Iterable[ExcludedEntry]) -> Iterator[Line]:
    """Every candidate that left, with its reason and what belongs to it."""
    for candidate in left:
        at = f"@{candidate.revision[:12]}" if candidate.revision else ""
        yield f"{candidate.name}{at}  {candidate.stage}: {candidate.reason}", ""
        for line in candidate.detail.strip().splitlines()[:12]:
            yield f"    {line}", "dim"
