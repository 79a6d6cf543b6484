"""A bisection as a picture: the window, the releases in it, and where each finding turns red."""

from __future__ import annotations

from dataclasses import dataclass

from backdate.bisection.result import BisectResult, Finding, shown_at
from backdate.bisection.search import ProbeStatus
from backdate.reports.drawing.shapes import INK, Anchor, Dot, FilledRectangle, Label, Scene, Segment, Shape
from backdate.text import counted
from backdate.timeline.instants import Instant

WIDTH = 960
_LEFT, _RIGHT, _ROW, _TOP = 190, 30, 34, 54
_GREEN, _RED, _GREY, _BLUE = "#2e7d32", "#c62828", "#9e9e9e", "#607d8b"
_FILL = {ProbeStatus.GOOD: _GREEN, ProbeStatus.BAD: _RED, ProbeStatus.SKIP: _GREY}
_LONGEST_LABEL = 110


@dataclass(frozen=True, slots=True)
class _Scale:
    """Where an instant lies."""

    start: Instant
    end: Instant

    def x(self, instant: Instant) -> float:
        share = (instant - self.start) / (self.end - self.start)
        return round(_LEFT + min(1.0, max(0.0, share)) * (WIDTH - _LEFT - _RIGHT), 1)


def bisection_scene(result: BisectResult) -> Scene:
    """The picture of ``result``: a row for each culprit's distribution, and one for each finding."""
    scale = _Scale(result.check.old_instant, result.check.new_instant)
    names = sorted({release.name for release in result.releases})
    height = _TOP + _ROW * (len(names) + 2 * len(result.findings)) + 40
    shapes: list[Shape] = [_label(16, 24, f"{result.check.project}: {result.check.reason}", 15)]
    shapes += _years(scale, height)
    y = _TOP + _ROW
    for name in names:
        shapes += _releases(scale, result, name, y)
        y += _ROW
    for finding in result.findings:
        shapes += _finding(scale, finding, y)
        y += 2 * _ROW
    title = f"What broke {result.check.project}, and since when"
    return Scene(title=title, width=WIDTH, height=height, shapes=tuple(shapes))


def _years(scale: _Scale, height: int) -> list[Shape]:
    shapes: list[Shape] = []
    years = range(scale.start.year + 1, scale.end.year + 1)
    for day in (scale.start, scale.end, *(scale.start.replace(year=year, month=1, day=1) for year in years)):
        x = scale.x(day)
        shapes.append(Segment(x1=x, y1=_TOP, x2=x, y2=height - 30, stroke="#e0e0e0"))
        if day in (scale.start, scale.end):
            anchor: Anchor = "end" if day == scale.end else "start"
            shapes.append(_label(x, height - 12, f"{day:%Y-%m-%d}", 11, anchor))
        else:
            shapes.append(_label(x, _TOP - 6, str(day.year), 11, "middle"))
    return shapes


def _releases(scale: _Scale, result: BisectResult, name: str, y: int) -> list[Shape]:
    culprits = {
        (culprit.name, culprit.new)
        for finding in result.findings
        for culprit in finding.culprits
        if culprit.new is not None
    }
    shapes: list[Shape] = [
        _label(16, y + 4, name, 13),
        Segment(x1=_LEFT, y1=y, x2=WIDTH - _RIGHT, y2=y, stroke="#bdbdbd"),
    ]
    for release in result.releases:
        if release.name != name or (release.prerelease and (name, release.version) not in culprits):
            continue
        guilty = (name, release.version) in culprits
        x = scale.x(release.uploaded)
        title = f"{name} {release.version}, {release.uploaded:%Y-%m-%d}"
        dot = Dot(x=x, y=y, radius=6 if guilty else 3, fill=_RED if guilty else _BLUE, title=title)
        shapes.append(dot)
        if guilty:
            shapes.append(_label(x, y - 9, release.version, 11, "middle", _RED))
    return shapes


def _finding(scale: _Scale, finding: Finding, y: int) -> list[Shape]:
    count = len(finding.tests)
    what = "the build" if finding.breaks == "build" else counted(count, "test")
    shapes: list[Shape] = [_label(16, y + 4, what, 13)]
    if finding.last_good is not None and finding.first_bad is not None:
        good, bad = scale.x(finding.last_good), scale.x(finding.first_bad)
        for left, right, fill in ((_LEFT, good, _GREEN), (good, bad, _GREY), (bad, WIDTH - _RIGHT, _RED)):
            if right > left:
                shapes.append(
                    FilledRectangle(x=left, y=y - 5, width=round(right - left, 1), height=10, fill=fill)
                )
        shapes += [
            Dot(x=scale.x(instant), y=y, radius=4, fill=_FILL[probe.status], edge="#ffffff")
            for probe in finding.probes
            if (instant := shown_at(finding, probe)) is not None
        ]
    else:
        text_of_axis = f"turns with the interpreter: Python {finding.python}"
        if finding.axis != "interpreter":
            text_of_axis = (
                f"narrowed by versions, on Python {finding.python}" if finding.culprits else "not narrowed"
            )
        shapes.append(_label(_LEFT, y + 4, text_of_axis, 12, fill=_RED))
    error = f"{finding.error.type}: {finding.error.message}" if finding.error.message else finding.error.type
    text = error if len(error) <= _LONGEST_LABEL else error[: _LONGEST_LABEL - 1] + "…"
    shapes.append(_label(_LEFT, y + 22, text, 11))
    return shapes


def _label(x: float, y: float, text: str, size: int, anchor: Anchor = "start", fill: str = INK) -> Label:
    return Label(x=x, y=y, text=text, size=size, anchor=anchor, fill=fill)
