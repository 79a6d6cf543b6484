"""Plots of many values: boxes over attempts, tools over turns, and the heat map of what follows what."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from backdate.evaluation.spreads import AttemptSpread, Stretch
from backdate.reports.svg import (
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    compact,
    fill,
    opened,
    round_ticks,
    text_at,
    titled,
)

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

    parts = [opened(WIDTH, height, title, f"{len(boxes)} box plots over {x_title}")]
    for mark in marks:
        x = x_of(mark)
        parts.append(f'<line class="grid" x1="{x:.1f}" y1="4" x2="{x:.1f}" y2="{bottom}"/>')
        parts.append(text_at(x, bottom + 17, compact(mark), anchor="middle"))
    parts.append(text_at(left + width / 2, height - 8, x_title, anchor="middle"))
    for number, box in enumerate(boxes):
        parts += _box(box, number * _STEP + 4, x_of)
    parts.append("</svg>")
    return "".join(parts)


def _box(box: Box, y: float, x_of: Callable[[float], float]) -> list[str]:
    spread = box.spread
    low, median, high = x_of(spread.lower), x_of(spread.median), x_of(spread.upper)
    top, middle, end = y + 20, y + 20 + _BOX / 2, y + 20 + _BOX
    stroke = fill(box.series).replace("fill:", "stroke:")
    told = (
        f"{box.name}: median {spread.median:,.4g}, quartiles {spread.lower:,.4g} and {spread.upper:,.4g}, "
        f"{spread.least:,.4g} to {spread.most:,.4g}, {spread.attempts} attempts"
    )
    whisker = f'<line style="{stroke}" stroke-width="2" x1="%.1f" y1="{middle}" x2="%.1f" y2="{middle}"/>'
    body = (
        f'<rect style="{fill(box.series)};{stroke}" fill-opacity=".25" stroke-width="2" x="{low:.1f}" '
        f'y="{top}" width="{max(high - low, 1):.1f}" height="{_BOX}" rx="2">{titled(told)}</rect>'
    )
    step = -(-len(spread.values) // _MOST_DOTS)
    return [
        text_at(10, y + 13, box.name[:60]),
        whisker % (x_of(spread.least), low),
        whisker % (high, x_of(spread.most)),
        body,
        f'<line class="median" x1="{median:.1f}" y1="{top}" x2="{median:.1f}" y2="{end}"/>',
        *(
            f'<circle style="{fill(box.series)}" fill-opacity=".55" cx="{x_of(value):.1f}" '
            f'cy="{middle + 4 * (number % 3 - 1)}" r="2.2"/>'
            for number, value in enumerate(spread.values[::step])
        ),
    ]


def turn_plot(stretches: Sequence[Stretch], names: Sequence[str], *, title: str) -> str:
    """For each stretch of turns a column of the calls in it, a part for each of ``names``; what is none of
    them is the last part."""
    totals = [sum(one.tools.values()) for one in stretches]
    marks = round_ticks(max(totals, default=0))
    width, height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - 48
    each = width / max(len(stretches), 1)
    parts = [opened(WIDTH, HEIGHT, title, f"{len(names)} tools over {len(stretches)} stretches of turns")]

    def y_of(value: float) -> float:
        return TOP + height * (1 - value / marks[-1])

    for mark in marks:
        y = y_of(mark)
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>')
        parts.append(text_at(LEFT - 6, y + 4, compact(mark), anchor="end"))
    for number, one in enumerate(stretches):
        x, base = LEFT + each * number, 0
        told = f"{one.first}" if one.first == one.last else f"{one.first}-{one.last}"
        for at, (name, times) in enumerate(_parts(one.tools, names)):
            if times:
                upper, lower = y_of(base + times), y_of(base)
                parts.append(
                    f'<rect class="part" style="{fill(at)}" x="{x + 2:.1f}" y="{upper:.1f}" '
                    f'width="{max(each - 4, 1):.1f}" height="{lower - upper:.1f}">'
                    f"{titled(f'turn {told}: {name} {times:,} times')}</rect>"
                )
                base += times
        short = told if len(stretches) <= _MOST_SPANS else str(one.first)
        parts.append(text_at(x + each / 2, HEIGHT - 30, short, anchor="middle", more=' class="small"'))
    parts.append(text_at(LEFT + width / 2, HEIGHT - 8, "turn (model call)", anchor="middle"))
    parts.append("</svg>")
    return "".join(parts)


def _parts(tools: Mapping[str, int], names: Sequence[str]) -> list[tuple[str, int]]:
    others = sum(times for name, times in tools.items() if name not in names)
    return [*((name, tools.get(name, 0)) for name in names), ("others", others)]


def heat_map(
    counts: Mapping[tuple[str, str], int], rows: Sequence[str], columns: Sequence[str], *, title: str
) -> str:
    """For each of ``rows`` the share of each of ``columns`` in what follows it: shaded, and as percent."""
    width, top = _NAMES + _CELL * len(columns) + _ASIDE, _NAMES - 20
    parts = [
        opened(
            width,
            top + _CELL * len(rows) + 8,
            title,
            f"{len(rows)} by {len(columns)} cells; rows come before, columns after",
        )
    ]
    for number, name in enumerate(columns):
        x = _NAMES + _CELL * (number + 0.5) + 4
        turned = f' transform="rotate(-60 {x:.1f} {top - 6})"'
        parts.append(text_at(x, top - 6, name[:19], more=turned))
    for number, before in enumerate(rows):
        y = top + _CELL * number
        total = sum(times for (one, _), times in counts.items() if one == before)
        parts.append(text_at(_NAMES - 6, y + _CELL / 2 + 4, before[:19], anchor="end"))
        for at, after in enumerate(columns):
            times = counts.get((before, after), 0)
            share = times / total if total else 0.0
            x = _NAMES + _CELL * at
            parts.append(
                f'<rect class="cell" style="{fill(0)}" fill-opacity="{_DARKEST * share:.3f}" x="{x}" '
                f'y="{y}" width="{_CELL}" height="{_CELL}">'
                f"{titled(f'{after} after {before}: {times:,} times, {100 * share:.0f} %')}</rect>"
            )
            if times:
                parts.append(text_at(x + _CELL / 2, y + _CELL / 2 + 4, f"{100 * share:.0f}", anchor="middle"))
    parts.append("</svg>")
    return "".join(parts)
