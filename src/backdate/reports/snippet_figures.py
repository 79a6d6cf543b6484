"""Why migrated code fails, as bars in parts: CodeMEnv's Figure 4 (arXiv 2506.00894)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backdate.evaluation.snippets.summary import SnippetSummary
from backdate.reports.axes import WIDTH
from backdate.reports.drawing.shapes import FilledRectangle, Label, Scene, Shape, series_paint
from backdate.reports.drawing.svg import to_inline_svg
from backdate.reports.figure import Figure
from backdate.reports.snippet_tables import group_name

_BAR, _STEP, _TOP = 18, 46, 8
_MOST_BARS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class PartedBar:
    """One bar, whole, parted by counts."""

    name: str
    parts: tuple[tuple[str, int], ...]


def snippet_figures(summaries: Sequence[SnippetSummary]) -> tuple[Figure, ...]:
    """The figure of all runs whose code fails; none where none does."""
    bars = [
        PartedBar(name=f"{run.model}: {group_name(each)}", parts=tuple(each.errors.items()))
        for run in summaries
        for each in run.figures
        if each.subset == "all" and each.errors and any(each.errors.values())
    ][:_MOST_BARS]
    if not bars:
        return ()
    names = list(dict.fromkeys(name for bar in bars for name, _ in bar.parts))
    title = "Why code fails on snippets (CodeMEnv, Figure 4)"
    return (
        Figure(
            name="snippet-errors",
            caption=title,
            svg=to_inline_svg(parted_bars(bars, names, title=title)),
            legend=tuple((f"border-top:9px solid {series_paint(at)}", name) for at, name in enumerate(names)),
        ),
    )


def parted_bars(bars: Sequence[PartedBar], names: Sequence[str], *, title: str) -> Scene:
    """A bar of full width each, its parts as wide as their share; the numbers stand in the name's line."""
    shapes: list[Shape] = []
    width = WIDTH - 4
    for number, bar in enumerate(bars):
        y = _TOP + number * _STEP
        total = sum(many for _, many in bar.parts) or 1
        told = ", ".join(f"{many} {name}" for name, many in bar.parts if many)
        shapes.append(Label(x=2, y=y + 12, text=f"{bar.name[:60]}: {told}"))
        x = 2.0
        for name, many in bar.parts:
            if not many:
                continue
            share = many / total
            shapes.append(
                FilledRectangle(
                    x=x,
                    y=y + 18,
                    width=width * share,
                    height=_BAR,
                    fill=series_paint(names.index(name)),
                    title=f"{bar.name}: {name} {many} of {total} ({share:.0%})",
                )
            )
            x += width * share
    height = _TOP + len(bars) * _STEP + 4
    return Scene(
        title=title, description=f"{len(bars)} bars", width=WIDTH, height=height, shapes=tuple(shapes)
    )
