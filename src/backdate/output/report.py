"""What a result says, in one shape for every command: what renderers are given.

``report_of`` (``render.py``) makes one from any result. It holds text of strangers (errors, names, paths):
each renderer escapes as its form wants it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from typing import Literal

from backdate.advice import NO_ADVICE, Advice, SourcePlace
from backdate.output.next_steps import NextStep
from backdate.reports.drawing.shapes import Scene
from backdate.testing.outcomes import Frame
from backdate.timeline.instants import Instant


class Standing(StrEnum):
    """What an answer means to the one who reads it."""

    GOOD = "good"
    BAD = "bad"
    UNCLEAR = "unclear"


class FindingLevel(StrEnum):
    """How much a finding matters."""

    ERROR = "error"
    """It makes the answer a bad one."""
    WARNING = "warning"
    """It does not, but somebody has to look at it."""
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedFinding:
    """One thing that was found: tests that fail with one error, or what stood in the way."""

    level: FindingLevel
    rule: str
    """What kind of thing it is: the exception's name, "environment", …"""
    title: str
    """One line."""
    culprit: str = ""
    """"werkzeug 2.2.3 -> 2.3.0, released 2023-04-25"; "" where nobody searched."""
    proof: str = ""
    """How sure the culprit is."""
    places: tuple[SourcePlace, ...] = ()
    """The project's lines, the most telling first."""
    tests: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    """Further lines."""
    group: str = ""
    """The question that it answers, where there are several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedSection:
    """Something else that belongs to the answer."""

    title: str
    lines: tuple[str, ...]
    block: bool = False
    """Whether the lines are of a file, and spaces count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedTest:
    """One test, for tools that count tests."""

    __test__ = False

    id: str
    state: Literal["good", "bad", "aside"]
    """``aside``: it was skipped, or speaks neither for nor against the change."""
    type: str = ""
    message: str = ""
    text: str = ""
    """The traceback, or why it is aside."""
    file: str | None = None
    duration_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedSuite:
    """The tests behind one answer."""

    name: str
    tests: tuple[ReportedTest, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedMove:
    """A distribution that differs between the two environments."""

    name: str
    old: str
    new: str
    """"" where it is not there."""
    released: Instant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputReport:
    """A result as renderers take it."""

    command: str
    """"check", "bisect", …"""
    backdate: str
    project: str
    location: str
    """Where the project came from."""
    standing: Standing
    heading: str
    """"BROKE"."""
    reason: str
    """One sentence, without its full stop."""
    headline: str
    """What a title says: "werkzeug 2.3.0 breaks 113 tests"."""
    sides: tuple[tuple[str, str], ...] = ()
    """What was compared, and in words what was seen there: ("old", "2022-07-25, Python 3.10, 113 passed")."""
    findings: tuple[ReportedFinding, ...] = ()
    """The heaviest first."""
    advice: Advice = NO_ADVICE
    moves: tuple[ReportedMove, ...] = ()
    sections: tuple[ReportedSection, ...] = ()
    suites: tuple[ReportedSuite, ...] = ()
    notes: tuple[str, ...] = ()
    next: tuple[NextStep, ...] = ()
    """What to do now."""
    timeline: tuple[Scene, ...] = ()
    """Of a bisection the picture, for a wide screen and for a narrow one."""
    started: Instant | None = None
    duration_s: float = 0.0
    folder: str = ""
    """Where the logs are."""


def places_of(frames: tuple[Frame, ...]) -> tuple[SourcePlace, ...]:
    """Those frames that lie in the project's own tree, as places in it."""
    return tuple(
        SourcePlace(file=frame.file, line=frame.line) for frame in frames if is_in_project(frame.file)
    )


def is_in_project(file: str) -> bool:
    """Whether ``file`` is a path relative to the project's root that stays in it."""
    path = PurePosixPath(file)
    return bool(file) and not path.is_absolute() and ".." not in path.parts and "<" not in file


def where(finding: ReportedFinding) -> tuple[SourcePlace, ...]:
    """The places of ``finding``; where it has none, the file of its first test."""
    if finding.places or not finding.tests:
        return finding.places
    file = finding.tests[0].partition("[")[0].partition("::")[0]
    return (SourcePlace(file=file, line=1),) if file.endswith(".py") and is_in_project(file) else ()
