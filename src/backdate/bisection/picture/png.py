"""A scene as PNG, drawn by matplotlib (the extra ``plots``)."""

from __future__ import annotations

import io
import warnings
from importlib.util import find_spec
from typing import Literal

from backdate.bisection.picture.scene import Dot, FilledRectangle, Scene, Segment
from backdate.errors import UsageError

_DOTS_PER_INCH = 100
_SCALE = 2
"""Pixels of the picture for one of the scene, so that it can be printed."""
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
    """The scene as a PNG image. Raises UsageError when matplotlib is not there."""
    require_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle, Rectangle

    size = (scene.width / _DOTS_PER_INCH, scene.height / _DOTS_PER_INCH)
    scale = min(_SCALE, _LARGEST / scene.height)
    figure = Figure(figsize=size, dpi=_DOTS_PER_INCH * scale, facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, scene.width)
    axes.set_ylim(scene.height, 0)
    for order, shape in enumerate(scene.shapes, start=1):
        if isinstance(shape, Segment):
            ends = ([shape.x1, shape.x2], [shape.y1, shape.y2])
            axes.plot(*ends, color=shape.stroke, linewidth=0.72, zorder=order)
        elif isinstance(shape, FilledRectangle):
            corner = (shape.x, shape.y)
            axes.add_patch(
                Rectangle(corner, shape.width, shape.height, facecolor=shape.fill, linewidth=0, zorder=order)
            )
        elif isinstance(shape, Dot):
            axes.add_patch(
                Circle(
                    (shape.x, shape.y),
                    shape.radius,
                    facecolor=shape.fill,
                    edgecolor=shape.edge or "none",
                    linewidth=0.72,
                    zorder=order,
                )
            )
        else:
            axes.text(
                shape.x,
                shape.y,
                shape.text.replace("\n", " ").replace("\r", " "),
                fontsize=shape.size * 72 / _DOTS_PER_INCH,
                color=shape.fill,
                horizontalalignment=_ALIGNED[shape.anchor],
                verticalalignment="baseline",
                parse_math=False,  # an error's message is no formula
                zorder=order,
            )
    data = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # drawn as a box
        figure.savefig(data, format="png", dpi=figure.dpi, metadata={"Title": scene.title})
    return data.getvalue()
