"""A scene as PNG, drawn by matplotlib (the extra ``plots``)."""

from __future__ import annotations

import io
import warnings
from importlib.util import find_spec
from typing import TYPE_CHECKING, Literal

from backdate.errors import UsageError
from backdate.reports.drawing.shapes import INK, Dot, FilledRectangle, Label, Polyline, Scene, Segment, Shape
from backdate.reports.text import shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DOTS_PER_INCH = 100
_SCALE = 2
"""Pixels of the picture for one of the scene, so that it can be printed."""
_TEXT_SIZE = 13
_LARGEST = 30_000
"""Pixels on a side; the renderer takes no more than 65,535."""
_ALIGNED: dict[str, Literal["left", "center", "right"]] = {
    "start": "left",
    "middle": "center",
    "end": "right",
}


def require_matplotlib() -> None:
    """Raise UsageError when matplotlib is not there."""
    if find_spec("matplotlib") is None:
        raise UsageError(
            "a PNG is drawn by matplotlib, which is not there: install backdate[plots], or name the "
            "picture *.svg"
        )


def to_png(scene: Scene) -> bytes:
    """The scene as a PNG image on white ground, for scenes with colours of their own (no page's variables).

    Raises UsageError when matplotlib is not there.
    """
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    size = (scene.width / _DOTS_PER_INCH, scene.height / _DOTS_PER_INCH)
    scale = min(_SCALE, _LARGEST / scene.height)
    figure = Figure(figsize=size, dpi=_DOTS_PER_INCH * scale, facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, scene.width)
    axes.set_ylim(scene.height, 0)
    for order, shape in enumerate(scene.shapes, start=1):
        _draw(axes, shape, order)
    data = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # drawn as a box
        figure.savefig(data, format="png", dpi=figure.dpi, metadata={"Title": shown(scene.title)})
    return data.getvalue()


def _draw(axes: Axes, shape: Shape, order: int) -> None:
    from matplotlib.patches import Circle, Rectangle

    match shape:
        case Segment():
            ends = ([shape.x1, shape.x2], [shape.y1, shape.y2])
            axes.plot(*ends, color=shape.stroke or INK, linewidth=_points(shape.width), zorder=order)
        case Polyline():
            xs, ys = [x for x, _ in shape.points], [y for _, y in shape.points]
            axes.plot(xs, ys, color=shape.stroke, linewidth=_points(1), zorder=order)
        case FilledRectangle():
            axes.add_patch(
                Rectangle(
                    (shape.x, shape.y),
                    shape.width,
                    shape.height,
                    facecolor=(shape.fill, shape.opacity),
                    edgecolor=shape.edge or "none",
                    linewidth=_points(shape.edge_width) if shape.edge else 0,
                    zorder=order,
                )
            )
        case Dot():
            axes.add_patch(
                Circle(
                    (shape.x, shape.y),
                    shape.radius,
                    facecolor=(shape.fill, shape.opacity),
                    edgecolor=shape.edge or "none",
                    linewidth=_points(1),
                    zorder=order,
                )
            )
        case Label():
            axes.text(
                shape.x,
                shape.y,
                shown(shape.text).replace("\n", " "),
                fontsize=_points(shape.size or _TEXT_SIZE),
                color=shape.fill or INK,
                horizontalalignment=_ALIGNED[shape.anchor],
                verticalalignment="baseline",
                rotation=-shape.turned,
                rotation_mode="anchor",
                parse_math=False,  # an error's message is no formula
                zorder=order,
            )


def _points(pixels: float) -> float:
    return pixels * 72 / _DOTS_PER_INCH
