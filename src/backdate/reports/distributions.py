"""Plots of many values: boxes over attempts, tools over turns, and the heat map of what follows what."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from backdate.evaluation.spreads import AttemptSpread, Stretch
from backdate.reports.axes import HEIGHT, LEFT, RIGHT, TOP, WIDTH, compact, round_ticks
from backdate.reports.drawing.shapes import (
    Dot,
    FilledRectangle,
    Label,
    Scene,
    Segment,
    Shape,
    series_paint,
)
from backdate.reports.drawing.svg import to_inline_svg

_BOX, _STEP = 20, 56
_MOST_DOTS = 200
_CELL, _NAMES, _ASIDE = 30, 170, 46
_MOST_SPANS = 8
"""Of more stretches only the first turn is written below each: the rest would run together."""
_DARKEST = 0.5
"""Of a heat map's cells: the numbers in them have to stay readable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """One box of a box plot."""

    name: str
    spread: AttemptSpread
    series: int = 0


def box_plot(boxes: Sequence[Box], *, title: str, x_title: str) -> str:
    """Boxes from the lower to the upper quartile with the median, whiskers to the least and the most, and a
    dot for each attempt."""
    marks = round_ticks(max((box.spread.most for box in boxes), default=0.0))
    left, width = 10, WIDTH - 36
    height = len(boxes) * _STEP + 50
    bottom = height - 44

    def x_of(value: float) -> float:
        return left + width * value / marks[-1]

    shapes: list[Shape] = []
    for mark in marks:
        x = x_of(mark)
        shapes += [
            Segment(x1=x, y1=4, x2=x, y2=bottom, role="grid"),
            Label(x=x, y=bottom + 17, text=compact(mark), anchor="middle"),
        ]
    shapes.append(Label(x=left + width / 2, y=height - 8, text=x_title, anchor="middle"))
    for number, box in enumerate(boxes):
        shapes += _box(box, number * _STEP + 4, x_of)
    description = f"{len(boxes)} box plots over {x_title}"
    return to_inline_svg(
        Scene(title=title, description=description, width=WIDTH, height=height, shapes=tuple(shapes))
    )


def _box(box: Box, y: float, x_of: Callable[[float], float]) -> list[Shape]:
    spread, paint = box.spread, series_paint(box.series)
    low, median, high = x_of(spread.lower), x_of(spread.median), x_of(spread.upper)
    top, middle, end = y + 20, y + 20 + _BOX / 2, y + 20 + _BOX
    title = (
        f"{box.name}: median {spread.median:,.4g}, quartiles {spread.lower:,.4g} and {spread.upper:,.4g}, "
        f"{spread.least:,.4g} to {spread.most:,.4g}, {spread.attempts} attempts"
    )
    step = -(-len(spread.values) // _MOST_DOTS)
    return [
        Label(x=10, y=y + 13, text=box.name[:60]),
        Segment(x1=x_of(spread.least), y1=middle, x2=low, y2=middle, stroke=paint, width=2),
        Segment(x1=high, y1=middle, x2=x_of(spread.most), y2=middle, stroke=paint, width=2),
        FilledRectangle(
            x=low,
            y=top,
            width=max(high - low, 1),
            height=_BOX,
            fill=paint,
            opacity=0.25,
            edge=paint,
            edge_width=2,
            rounding=2,
            title=title,
        ),
        Segment(x1=median, y1=top, x2=median, y2=end, role="median"),
        *(
            Dot(x=x_of(value), y=middle + 4 * (number % 3 - 1), radius=2.2, fill=paint, opacity=0.55)
            for number, value in enumerate(spread.values[::step])
        ),
    ]


def turn_plot(stretches: Sequence[Stretch], names: Sequence[str], *, title: str) -> str:
    """For each stretch of turns a column of the calls in it, a part for each of ``names``; what is none of
    them is the last part."""
    totals = [sum(stretch.tools.values()) for stretch in stretches]
    marks = round_ticks(max(totals, default=0))
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - 48
    each = width / max(len(stretches), 1)
    shapes: list[Shape] = []

    def y_of(value: float) -> float:
        return TOP + height * (1 - value / marks[-1])

    for mark in marks:
        shapes += [
            Segment(x1=LEFT, y1=y_of(mark), x2=WIDTH - RIGHT, y2=y_of(mark), role="grid"),
            Label(x=LEFT - 6, y=y_of(mark) + 4, text=compact(mark), anchor="end"),
        ]
    for number, stretch in enumerate(stretches):
        x, base = LEFT + each * number, 0
        turns = f"{stretch.first}" if stretch.first == stretch.last else f"{stretch.first}-{stretch.last}"
        for at, (name, times) in enumerate(_parts(stretch.tools, names)):
            if times:
                upper, lower = y_of(base + times), y_of(base)
                shapes.append(
                    FilledRectangle(
                        x=x + 2,
                        y=upper,
                        width=max(each - 4, 1),
                        height=lower - upper,
                        fill=series_paint(at),
                        role="part",
                        title=f"turn {turns}: {name} {times:,} times",
                    )
                )
                base += times
        short = turns if len(stretches) <= _MOST_SPANS else str(stretch.first)
        shapes.append(Label(x=x + each / 2, y=HEIGHT - 30, text=short, anchor="middle", role="small"))
    shapes.append(Label(x=LEFT + width / 2, y=HEIGHT - 8, text="turn (model call)", anchor="middle"))
    description = f"{len(names)} tools over {len(stretches)} stretches of turns"
    return to_inline_svg(
        Scene(title=title, description=description, width=WIDTH, height=HEIGHT, shapes=tuple(shapes))
    )


def _parts(tools: Mapping[str, int], names: Sequence[str]) -> list[tuple[str, int]]:
    others = sum(times for name, times in tools.items() if name not in names)
    return [*((name, tools.get(name, 0)) for name in names), ("others", others)]


def heat_map(
    counts: Mapping[tuple[str, str], int], rows: Sequence[str], columns: Sequence[str], *, title: str
) -> str:
    """For each of ``rows`` the share of each of ``columns`` in what follows it: shaded, and as percent."""
    width, top = _NAMES + _CELL * len(columns) + _ASIDE, _NAMES - 20
    shapes: list[Shape] = []
    for number, name in enumerate(columns):
        shapes.append(Label(x=_NAMES + _CELL * (number + 0.5) + 4, y=top - 6, text=name[:19], turned=-60))
    for number, before in enumerate(rows):
        y = top + _CELL * number
        total = sum(times for (first, _), times in counts.items() if first == before)
        shapes.append(Label(x=_NAMES - 6, y=y + _CELL / 2 + 4, text=before[:19], anchor="end"))
        for at, after in enumerate(columns):
            times = counts.get((before, after), 0)
            share = times / total if total else 0.0
            x = _NAMES + _CELL * at
            shapes.append(
                FilledRectangle(
                    x=x,
                    y=y,
                    width=_CELL,
                    height=_CELL,
                    fill=series_paint(0),
                    opacity=_DARKEST * share,
                    role="cell",
                    title=f"{after} after {before}: {times:,} times, {100 * share:.0f} %",
                )
            )
            if times:
                middle = y + _CELL / 2 + 4
                shapes.append(Label(x=x + _CELL / 2, y=middle, text=f"{100 * share:.0f}", anchor="middle"))
    return to_inline_svg(
        Scene(
            title=title,
            description=f"{len(rows)} by {len(columns)} cells; rows come before, columns after",
            width=width,
            height=top + _CELL * len(rows) + 8,
            shapes=tuple(shapes),
        )
    )
