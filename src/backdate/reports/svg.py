"""The parts that every plot is drawn from: inline SVG, with no program, font or script from anywhere.

Colours are CSS variables of the page, so that a plot follows its colour scheme. Every plot has a title and
a description for those who do not see it; the numbers stand in a table beside it as well.
"""

from __future__ import annotations

from html import escape

from backdate.reports.text import shown

WIDTH, HEIGHT = 480, 270
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 16, 44
COLOURS = 8
"""What is drawn takes the page's ``--series-0`` … in turn."""


def opened(width: float, height: float, title: str, description: str) -> str:
    """The beginning of a picture; ``</svg>`` ends it."""
    return (
        f'<svg role="img" viewBox="0 0 {width:g} {height:g}" xmlns="http://www.w3.org/2000/svg" '
        f'preserveAspectRatio="xMinYMin meet">{titled(title)}<desc>{safe(description)}</desc>'
    )


def titled(text: str) -> str:
    """What is told of a part when it is pointed at."""
    return f"<title>{safe(text)}</title>"


def text_at(x: float, y: float, text: str, *, anchor: str = "start", more: str = "") -> str:
    """A line of text; ``more`` are further attributes."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{safe(text)}</text>'


def safe(text: str) -> str:
    """Anybody's text as text of the picture."""
    return escape(shown(text), quote=True)


def fill(series: int) -> str:
    """The style of a filled part."""
    return f"fill:var(--series-{series % COLOURS})"


def ticks(most: int) -> list[int]:
    """Whole numbers from 0 to ``most`` that an axis names."""
    step = next((one for one in (1, 2, 5, 10, 20, 50, 100, 200) if most <= 8 * one), 500)
    return list(range(0, most + 1, step))


def round_ticks(most: float) -> list[float]:
    """At most six round numbers from 0 to what is not below ``most``."""
    step = 1.0
    while step * 5 < most:
        step *= 2 if str(step)[0] in "15" else 2.5
    return [step * number for number in range(6) if step * (number - 1) < most or number < 2]


def compact(value: float) -> str:
    """A number for an axis: "800", "25k", "1.5M"."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.4g}{unit}"
    return f"{value:.4g}"
