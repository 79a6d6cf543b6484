"""A bisection as a picture: the window, the releases in it, and where each finding turns red (SVG 1.1)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from backdate.bisection.result import BisectResult, Finding
from backdate.bisection.search import Colour
from backdate.timeline.instants import Instant

_WIDTH, _LEFT, _RIGHT, _ROW, _TOP = 960, 190, 30, 34, 54
_GREEN, _RED, _GREY, _INK = "#2e7d32", "#c62828", "#9e9e9e", "#212121"
_FILL = {Colour.GOOD: _GREEN, Colour.BAD: _RED, Colour.SKIP: _GREY}
_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LONGEST_LABEL = 110


@dataclass(frozen=True, slots=True)
class _Scale:
    """Where an instant lies."""

    start: Instant
    end: Instant

    def x(self, instant: Instant) -> float:
        share = (instant - self.start) / (self.end - self.start)
        return round(_LEFT + min(1.0, max(0.0, share)) * (_WIDTH - _LEFT - _RIGHT), 1)


def draw(result: BisectResult) -> bytes:
    """The picture of ``result``: a row for each culprit's distribution, and one for each finding."""
    scale = _Scale(result.check.old_instant, result.check.new_instant)
    names = sorted({release.name for release in result.releases})
    height = _TOP + _ROW * (len(names) + 2 * len(result.findings)) + 40
    root = ET.Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        width=str(_WIDTH),
        height=str(height),
        viewBox=f"0 0 {_WIDTH} {height}",
        role="img",
    )
    root.set("font-family", "sans-serif")
    ET.SubElement(root, "title").text = _clean(f"What broke {result.check.project}, and since when")
    ET.SubElement(root, "rect", width="100%", height="100%", fill="white")
    _text(root, 16, 24, f"{result.check.project}: {result.check.reason}", size=15)
    _years(root, scale, height)
    y = _TOP + _ROW
    for name in names:
        _releases(root, scale, result, name, y)
        y += _ROW
    for finding in result.findings:
        _finding(root, scale, finding, y)
        y += 2 * _ROW
    ET.indent(root)
    drawn: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return drawn


def _years(root: ET.Element, scale: _Scale, height: int) -> None:
    days = [scale.start, scale.end]
    days += [
        scale.start.replace(year=year, month=1, day=1)
        for year in range(scale.start.year + 1, scale.end.year + 1)
    ]
    for day in days:
        x = scale.x(day)
        _line(root, (x, _TOP), (x, height - 30), "#e0e0e0")
        edge = day in (scale.start, scale.end)
        label = f"{day:%Y-%m-%d}" if edge else str(day.year)
        _text(
            root,
            x,
            height - 12 if edge else _TOP - 6,
            label,
            size=11,
            anchor="middle" if not edge else "end" if day == scale.end else "start",
        )


def _releases(root: ET.Element, scale: _Scale, result: BisectResult, name: str, y: int) -> None:
    culprits = {
        (one.name, one.new) for finding in result.findings for one in finding.culprits if one.new is not None
    }
    _text(root, 16, y + 4, name, size=13)
    _line(root, (_LEFT, y), (_WIDTH - _RIGHT, y), "#bdbdbd")
    for release in result.releases:
        if release.name != name or (release.prerelease and (name, release.version) not in culprits):
            continue
        guilty = (name, release.version) in culprits
        dot = ET.SubElement(
            root,
            "circle",
            cx=str(scale.x(release.uploaded)),
            cy=str(y),
            r="6" if guilty else "3",
            fill=_RED if guilty else "#607d8b",
        )
        ET.SubElement(dot, "title").text = _clean(f"{name} {release.version}, {release.uploaded:%Y-%m-%d}")
        if guilty:
            _text(
                root, scale.x(release.uploaded), y - 9, release.version, size=11, anchor="middle", fill=_RED
            )


def _finding(root: ET.Element, scale: _Scale, finding: Finding, y: int) -> None:
    count = len(finding.tests)
    _text(root, 16, y + 4, f"{count} {'test' if count == 1 else 'tests'}", size=13)
    if finding.last_good is not None and finding.first_bad is not None:
        good, bad = scale.x(finding.last_good), scale.x(finding.first_bad)
        for left, right, fill in ((_LEFT, good, _GREEN), (good, bad, _GREY), (bad, _WIDTH - _RIGHT, _RED)):
            if right > left:
                width = str(round(right - left, 1))
                ET.SubElement(root, "rect", x=str(left), y=str(y - 5), width=width, height="10", fill=fill)
        for probe in finding.probes:
            if probe.constraints == finding.held:
                mark = {"r": "4", "fill": _FILL[probe.colour], "stroke": "white"}
                ET.SubElement(root, "circle", cx=str(scale.x(probe.instant)), cy=str(y), attrib=mark)
    elif finding.axis == "interpreter":
        _text(root, _LEFT, y + 4, f"turns with the interpreter: Python {finding.python}", size=12, fill=_RED)
    error = f"{finding.error.type}: {finding.error.message}" if finding.error.message else finding.error.type
    label = error if len(error) <= _LONGEST_LABEL else error[: _LONGEST_LABEL - 1] + "…"
    _text(root, _LEFT, y + 22, label, size=11)


def _line(root: ET.Element, start: tuple[float, float], end: tuple[float, float], stroke: str) -> None:
    ET.SubElement(
        root, "line", x1=str(start[0]), y1=str(start[1]), x2=str(end[0]), y2=str(end[1]), stroke=stroke
    )


def _text(
    root: ET.Element, x: float, y: float, text: str, *, size: int, anchor: str = "start", fill: str = _INK
) -> None:
    element = ET.SubElement(root, "text", {"x": str(x), "y": str(y), "font-size": str(size), "fill": fill})
    element.set("text-anchor", anchor)
    element.text = _clean(text)


def _clean(text: str) -> str:
    """Without characters that XML 1.0 cannot hold: messages come from hostile code."""
    return _NOT_XML.sub("\ufffd", text)
