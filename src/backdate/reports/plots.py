"""Plots of one value a model: lines and bars as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backdate.reports.axes import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, ticks
from backdate.reports.drawing.shapes import (
    FilledRectangle,
    Label,
    Polyline,
    Scene,
    Segment,
    Shape,
    series_paint,
)
from backdate.reports.drawing.svg import to_inline_svg

_DASHES = ("", "8 4", "2 4", "10 4 2 4", "14 4", "5 3", "1 6", "12 3 4 3")
"""Lines differ in these as well as in their colours."""
_BAR, _GAP = 18, 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a line plot."""

    name: str
    values: tuple[float, ...]
    """At x = 0, 1, 2, …"""
    series: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar of a bar plot."""

    name: str
    value: float
    label: str
    """What is written beside it."""
    series: int = 0


def line_plot(lines: Sequence[Line], *, title: str, x_title: str, y_title: str) -> str:
    """Shares (0 to 1) over counts."""
    most = max((len(line.values) for line in lines), default=1) - 1
    top = _nice_top(max((max(line.values, default=0.0) for line in lines), default=0.0))
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x_of(value: float) -> float:
        return LEFT + width * value / max(most, 1)

    def y_of(value: float) -> float:
        return TOP + height * (1 - value / top)

    shapes: list[Shape] = []
    for step in range(5):
        value = top * step / 4
        shapes += [
            Segment(x1=LEFT, y1=y_of(value), x2=WIDTH - RIGHT, y2=y_of(value), role="grid"),
            Label(x=LEFT - 6, y=y_of(value) + 4, text=f"{100 * value:.0f} %", anchor="end"),
        ]
    below = HEIGHT - BOTTOM + 18
    shapes += [Label(x=x_of(tick), y=below, text=str(tick), anchor="middle") for tick in ticks(most)]
    shapes.append(Label(x=LEFT + width / 2, y=HEIGHT - 6, text=x_title, anchor="middle"))
    shapes += [
        Polyline(
            points=_steps([(x_of(at), y_of(value)) for at, value in enumerate(line.values)]),
            stroke=series_paint(line.series),
            dash=_DASHES[line.series % len(_DASHES)],
            role="line",
            title=line.name,
        )
        for line in lines
    ]
    description = f"{y_title} over {x_title}, {len(lines)} lines"
    return to_inline_svg(
        Scene(title=title, description=description, width=WIDTH, height=HEIGHT, shapes=tuple(shapes))
    )


def bar_plot(bars: Sequence[Bar], *, title: str) -> str:
    """Horizontal bars, each named above and labelled with its value."""
    top = max((bar.value for bar in bars), default=0.0) or 1.0
    shapes: list[Shape] = []
    y = _GAP
    for bar in bars:
        width = max((WIDTH - 110) * bar.value / top, 1)
        shapes += [
            Label(x=2, y=y + 12, text=bar.name[:80]),
            FilledRectangle(
                x=2,
                y=y + 17,
                width=width,
                height=_BAR,
                fill=series_paint(bar.series),
                rounding=3,
                title=f"{bar.name}: {bar.label}",
            ),
            Label(x=width + 10, y=y + 17 + _BAR * 0.75, text=bar.label),
        ]
        y += _BAR + _GAP + 16
    return to_inline_svg(
        Scene(title=title, description=f"{len(bars)} bars", width=WIDTH, height=y, shapes=tuple(shapes))
    )


def legend_style(number: int) -> str:
    """The CSS of the legend's key of line ``number``."""
    kind = "dashed" if _DASHES[number % len(_DASHES)] else "solid"
    return f"border-top:3px {kind} {series_paint(number)}"


def _steps(points: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """A share that holds from one count to the next is a step, not a slope."""
    steps: list[tuple[float, float]] = []
    for number, (x, y) in enumerate(points):
        if number:
            steps.append((x, points[number - 1][1]))
        steps.append((x, y))
    return tuple(steps)


def _nice_top(value: float) -> float:
    return next((top for top in (0.1, 0.2, 0.4, 0.6, 0.8) if value <= top), 1.0)
