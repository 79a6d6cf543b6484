"""A bisection's timeline for a page: it follows the page's colours, and has a layout for narrow screens.

What is good is a hollow circle on a thin line, what is bad a filled square on a thick one, what cannot be
told a short stroke: nobody needs to tell colours apart. Paints are variables of ``page.css``.
"""

from __future__ import annotations

from dataclasses import dataclass

from backdate.bisection.result import BisectResult, Finding, shown_at
from backdate.bisection.search import ProbeStatus
from backdate.reports.drawing.shapes import Anchor, Dot, FilledRectangle, Label, Scene, Segment, Shape
from backdate.text import counted
from backdate.timeline.instants import Instant

WIDE, NARROW = 960, 340
_MARGIN, _ROW, _TOP = 14, 52, 44
GOOD, BAD, UNKNOWN = "var(--good)", "var(--bad)", "var(--soft)"
_GROUND, _RELEASE, _RULE, _INK = "var(--raised)", "var(--link)", "var(--rule)", "var(--ink)"
_SIZE = 14
_CHARACTER = 7.6
"""A wide letter of that size, in pixels."""


@dataclass(frozen=True, slots=True)
class TimelineScale:
    """Where an instant lies on a picture of some width."""

    start: Instant
    end: Instant
    width: int

    def x(self, instant: Instant) -> float:
        """Pixels from the left; what lies outside of the window is at its border."""
        share = (instant - self.start) / (self.end - self.start) if self.end > self.start else 0.0
        return round(_MARGIN + min(1.0, max(0.0, share)) * (self.width - 2 * _MARGIN), 1)


def timeline_scene(result: BisectResult, width: int = WIDE) -> Scene:
    """The window, the releases of culprits in it, and where each finding turns."""
    scale = TimelineScale(result.check.old_instant, result.check.new_instant, width)
    names = sorted({release.name for release in result.releases})
    height = _TOP + _ROW * (len(names) + len(result.findings)) + 16
    shapes: list[Shape] = _calendar(scale, height)
    y = _TOP + 34
    for name in names:
        shapes += _releases(scale, result, name, y)
        y += _ROW
    for finding in result.findings:
        shapes += _turn(scale, finding, y)
        y += _ROW
    return Scene(
        title=f"What broke {result.check.project}, and since when",
        description="A line of releases for each culprit, and a line for each group of tests: a thin line "
        "with circles while they pass, a thick one with squares since they fail.",
        width=width,
        height=height,
        shapes=tuple(shapes),
    )


def _calendar(scale: TimelineScale, height: int) -> list[Shape]:
    """The years, and the two instants; years are left out where their names would touch."""
    shapes: list[Shape] = []
    taken = -1e9
    for year in range(scale.start.year + 1, scale.end.year + 1):
        x = scale.x(scale.start.replace(year=year, month=1, day=1, hour=0, minute=0, second=0))
        shapes.append(Segment(x1=x, y1=_TOP, x2=x, y2=height - 8, stroke=_RULE))
        if x - taken >= 46:
            shapes.append(_label(x, _TOP - 6, str(year), "middle"))
            taken = x
    for day, anchor in ((scale.start, "start"), (scale.end, "end")):
        shapes.append(_label(scale.x(day), 16, f"{day:%Y-%m-%d}", "start" if anchor == "start" else "end"))
    return shapes


def _releases(scale: TimelineScale, result: BisectResult, name: str, y: int) -> list[Shape]:
    culprits = {
        (culprit.name, culprit.new): culprit for finding in result.findings for culprit in finding.culprits
    }
    guilty = [version for named, version in culprits if named == name and version]
    shapes: list[Shape] = [
        _fitting(scale, y - 12, f"{name}: {', '.join(guilty)} at fault" if guilty else name),
        Segment(x1=_MARGIN, y1=y, x2=scale.width - _MARGIN, y2=y, stroke=_RULE),
    ]
    at_fault: list[Shape] = []
    for release in result.releases:
        is_guilty = (name, release.version) in culprits
        if release.name != name or (release.prerelease and not is_guilty):
            continue
        x, title = scale.x(release.uploaded), f"{name} {release.version}, {release.uploaded:%Y-%m-%d}"
        if is_guilty:
            at_fault.append(_square(x, y, 7, title))
        else:
            shapes.append(Dot(x=x, y=y, radius=3, fill=_RELEASE, title=title))
    return shapes + at_fault


def _turn(scale: TimelineScale, finding: Finding, y: int) -> list[Shape]:
    what = "the build" if finding.breaks == "build" else counted(len(finding.tests), "test")
    right = scale.width - _MARGIN
    if finding.last_good is None or finding.first_bad is None:
        how = "not narrowed"
        if finding.axis == "interpreter":
            how = f"turns with Python {finding.python}"
        elif finding.culprits:
            how = "narrowed by versions"
        return [_fitting(scale, y - 12, f"{what}: {how}")]
    good, bad = scale.x(finding.last_good), scale.x(finding.first_bad)
    shapes: list[Shape] = [
        _fitting(scale, y - 12, f"{what}: {finding.error.type.rpartition('.')[2]}"),
        Segment(x1=_MARGIN, y1=y, x2=good, y2=y, stroke=GOOD, width=2),
        FilledRectangle(x=bad, y=y - 3, width=max(1.0, round(right - bad, 1)), height=6, fill=BAD),
    ]
    for probe in finding.probes:
        instant = shown_at(finding, probe)
        if instant is None or not scale.start <= instant <= scale.end:
            continue
        x, title = scale.x(instant), f"{probe.status.value}: {probe.why}, {instant:%Y-%m-%d}"
        if probe.status is ProbeStatus.BAD:
            shapes.append(_square(x, y, 5, title))
        elif probe.status is ProbeStatus.GOOD:
            shapes.append(Dot(x=x, y=y, radius=5, fill=_GROUND, edge=GOOD, title=title))
        else:
            shapes.append(Segment(x1=x, y1=y - 7, x2=x, y2=y + 7, stroke=UNKNOWN, width=2))
    return shapes


def _square(x: float, y: float, half: float, title: str) -> FilledRectangle:
    return FilledRectangle(
        x=x - half, y=y - half, width=2 * half, height=2 * half, fill=BAD, edge=_GROUND, title=title
    )


def _fitting(scale: TimelineScale, y: float, text: str) -> Label:
    """A row's name, cut where the picture ends."""
    most = int((scale.width - 2 * _MARGIN) / _CHARACTER)
    return _label(_MARGIN, y, text if len(text) <= most else f"{text[: most - 1]}…")


def _label(x: float, y: float, text: str, anchor: Anchor = "start") -> Label:
    return Label(x=x, y=y, text=text, size=_SIZE, anchor=anchor, fill=_INK)
