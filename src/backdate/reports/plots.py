"""Plots of one value a model: lines and bars (see ``svg.py`` for how they are drawn)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backdate.reports.svg import (
    BOTTOM,
    COLOURS,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    opened,
    text_at,
    ticks,
    titled,
)

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

    parts = [opened(WIDTH, HEIGHT, title, f"{y_title} over {x_title}, {len(lines)} lines")]
    for step in range(5):
        value = top * step / 4
        y = y_of(value)
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>')
        parts.append(text_at(LEFT - 6, y + 4, f"{100 * value:.0f} %", anchor="end"))
    below = HEIGHT - BOTTOM + 18
    parts += [text_at(x_of(tick), below, str(tick), anchor="middle") for tick in ticks(most)]
    parts.append(text_at(LEFT + width / 2, HEIGHT - 6, x_title, anchor="middle"))
    for line in lines:
        points = _steps([(x_of(at), y_of(value)) for at, value in enumerate(line.values)])
        dash = _DASHES[line.series % len(_DASHES)]
        style = f"stroke:var(--series-{line.series % COLOURS})" + (
            f";stroke-dasharray:{dash}" if dash else ""
        )
        parts.append(
            f'<polyline class="line" style="{style}" points="{points}">{titled(line.name)}</polyline>'
        )
    parts.append("</svg>")
    return "".join(parts)


def bar_plot(bars: Sequence[Bar], *, title: str) -> str:
    """Horizontal bars, each named above and labelled with its value."""
    top = max((bar.value for bar in bars), default=0.0) or 1.0
    height = len(bars) * (_BAR + _GAP + 16) + _GAP
    parts = [opened(WIDTH, height, title, f"{len(bars)} bars")]
    y = _GAP
    for bar in bars:
        width = (WIDTH - 110) * bar.value / top
        parts.append(text_at(2, y + 12, bar.name[:80]))
        parts.append(
            f'<rect style="fill:var(--series-{bar.series % COLOURS})" x="2" y="{y + 17}" '
            f'width="{max(width, 1):.1f}" height="{_BAR}" rx="3">{titled(f"{bar.name}: {bar.label}")}</rect>'
        )
        parts.append(text_at(max(width, 1) + 10, y + 17 + _BAR * 0.75, bar.label))
        y += _BAR + _GAP + 16
    parts.append("</svg>")
    return "".join(parts)


def legend_style(number: int) -> str:
    """The CSS of the legend's key of line ``number``."""
    kind = "dashed" if _DASHES[number % len(_DASHES)] else "solid"
    return f"border-top:3px {kind} var(--series-{number % COLOURS})"


def _steps(points: Sequence[tuple[float, float]]) -> str:
    """A share that holds from one count to the next is a step, not a slope."""
    found: list[str] = []
    for number, (x, y) in enumerate(points):
        if number:
            found.append(f"{x:.1f},{points[number - 1][1]:.1f}")
        found.append(f"{x:.1f},{y:.1f}")
    return " ".join(found)


def _nice_top(value: float) -> float:
    return next((top for top in (0.1, 0.2, 0.4, 0.6, 0.8) if value <= top), 1.0)
