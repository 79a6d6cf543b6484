"""Shapes in pixels from the upper left corner, and the scene that they make: one scene for every format.

Colours are "#rrggbb", or a CSS variable of the page that the picture stands in (``series_paint``); a shape
with a ``role`` takes from the page's style sheet what it does not say itself. Text may come from anybody:
whatever writes a scene makes it fit to be shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

INK = "#212121"
SERIES = 8
"""Colours of a page that plots take in turn."""
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    stroke: str = ""
    width: float = 1
    role: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Polyline:
    """Straight lines from point to point."""

    points: tuple[tuple[float, float], ...]
    stroke: str
    dash: str = ""
    """Lengths of dashes and gaps in turn: "8 4"."""
    role: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledRectangle:
    """A filled rectangle."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    opacity: float = 1
    edge: str = ""
    edge_width: float = 1
    rounding: float = 0
    """Radius of the corners."""
    role: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """A filled circle."""

    x: float
    y: float
    radius: float
    fill: str
    opacity: float = 1
    edge: str = ""
    title: str = ""
    """Shown by viewers that can when one points at it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A line of text; ``y`` is its base line."""

    x: float
    y: float
    text: str
    size: int | None = None
    """None: the page's."""
    anchor: Anchor = "start"
    fill: str = ""
    """"" is the page's colour, or ``INK`` where there is no page."""
    turned: float = 0
    """Degrees, clockwise, around (x, y)."""
    role: str = ""


Shape = Segment | Polyline | FilledRectangle | Dot | Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A picture. Later shapes lie above earlier ones."""

    title: str
    description: str = ""
    """For those who do not see it, beside the title."""
    width: int
    height: int
    shapes: tuple[Shape, ...]


def series_paint(number: int) -> str:
    """The page's colour of series ``number``."""
    return f"var(--series-{number % SERIES})"
