"""The funnel as a picture: a bar a stage, as wide as what entered it, and the reasons beside it."""

from __future__ import annotations

from collections.abc import Sequence

from backdate.construction.funnel import Funnel, FunnelStage
from backdate.reports.drawing.shapes import INK, FilledRectangle, Label, Scene, Shape
from backdate.text import counted

_LEAST_WIDTH, _LEFT, _BARS, _COUNTS, _ROW, _TOP = 1100, 350, 420, 150, 30, 60
_PASSED, _GONE, _TASKS, _GREY = "#1565c0", "#ef9a9a", "#2e7d32", "#757575"
_LONGEST = 120
_CHARACTER = 6.6
"""Pixels that a character of a reason takes on average at most: the picture is as wide as the longest."""


def funnel_scene(funnel: Funnel) -> Scene:
    """The picture of ``funnel``. The width of a bar is the share of all candidates that came so far."""
    candidates = max(1, funnel.candidates)
    waiting = f", {funnel.waiting} not decided yet" if funnel.waiting else ""
    shapes: list[Shape] = [
        _label(16, 30, f"{funnel.candidates} candidates, {funnel.tasks} tasks{waiting}", size=17)
    ]
    y = _TOP
    for stage in funnel.stages:
        shapes += _stage(stage, candidates, y)
        y += _ROW
    width = _BARS * funnel.tasks / candidates
    shapes.append(_label(16, y + 15, "tasks", size=12))
    shapes += _bar(_LEFT, y, width, _TASKS)
    shapes.append(_label(_LEFT + width + 6, y + 15, str(funnel.tasks), size=12))
    return Scene(
        title="How candidates became tasks",
        width=_width(shapes),
        height=_TOP + _ROW * (len(funnel.stages) + 1) + 20,
        shapes=tuple(shapes),
    )


def _width(shapes: Sequence[Shape]) -> int:
    """Enough for every reason as a whole."""
    reasons = (shape for shape in shapes if isinstance(shape, Label) and shape.fill == _GREY)
    ends = (label.x + _CHARACTER * len(label.text) + 16 for label in reasons)
    return max(_LEAST_WIDTH, *(round(end) for end in ends), 0)


def _stage(stage: FunnelStage, candidates: int, y: int) -> list[Shape]:
    passed = _BARS * stage.passed / candidates
    gone = _BARS * stage.left / candidates
    count = str(stage.passed) if not stage.left else f"{stage.passed}  ({stage.left} left)"
    shapes: list[Shape] = [
        _label(16, y + 15, stage.title, size=12),
        *_bar(_LEFT, y, passed, _PASSED),
        *_bar(_LEFT + passed, y, gone, _GONE),
        _label(_LEFT + passed + gone + 6, y + 15, count, size=12),
    ]
    if stage.reasons:
        first = f"{stage.reasons[0].count} {stage.reasons[0].reason}"
        rest = len(stage.reasons) - 1
        more = f" and {counted(rest, 'more reason')}" if rest else ""
        text = first if len(first) <= _LONGEST else first[: _LONGEST - 1] + "…"
        shapes.append(_label(_LEFT + _BARS + _COUNTS, y + 15, text + more, size=10, fill=_GREY))
    return shapes


def _bar(x: float, y: int, width: float, fill: str) -> list[Shape]:
    return [FilledRectangle(x=x, y=y, width=width, height=_ROW - 8, fill=fill)] if width > 0 else []


def _label(x: float, y: float, text: str, *, size: int, fill: str = INK) -> Label:
    return Label(x=x, y=y, text=text, size=size, fill=fill)
