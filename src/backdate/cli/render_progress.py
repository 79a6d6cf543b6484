"""Progress events as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from backdate.progress import ONLY, SIDES, Stage, SuiteAdvanced
from backdate.text import counted, first_line
from backdate.timeline.instants import format_day

if TYPE_CHECKING:  # a command has events of few rooms
    from backdate.bisection.progress import BisectionAdvanced
    from backdate.checking.progress import AttemptStarted
    from backdate.construction.progress import BuildAdvanced
    from backdate.evaluation.progress import SolverFinished, TaskScored
    from backdate.tasks.progress import QualityMeasured, TaskVerified

STAGE_WORDS: dict[Stage, str] = {
    "waiting": "waiting for the cache",
    "resolving": "resolving",
    "building": "building the environment",
    "ready": "environment ready",
    "testing": "testing",
    "done": "tested",
    "failed": "failed",
}


def elapsed(seconds: float) -> str:
    """Minutes and seconds: "1:07"."""
    return f"{int(seconds // 60)}:{int(seconds % 60):02d}"


def subject_label(subject: str) -> str:
    """What stands before a stage of ``subject``: a side of a check, else a project or a task."""
    if subject == ONLY:
        return ""
    return f"{subject} side: " if subject in SIDES else f"{subject}: "


def attempt_line(event: AttemptStarted) -> str:
    """Which recipe is tried, and why."""
    what = f"attempt {event.number} of at most {event.most}, Python {event.python}: {event.reason}"
    return f"{subject_label(event.subject)}{what}"


def suite_line(event: SuiteAdvanced) -> str:
    """How many tests of a suite finished."""
    return f"{event.finished} of {event.total} tests" if event.total else f"{event.finished} tests"


def found_line(event: BisectionAdvanced) -> str:
    """The culprit that was found just now, in one line."""
    from backdate.output.culprit_words import finding_in_a_line

    return "" if event.finding is None else f"Found: {finding_in_a_line(event.finding)}"


def remaining_line(event: BisectionAdvanced) -> str:
    """How much a bisection still has to search, and how long that may take."""
    text = f"{counted(event.remaining, 'cause')} remaining to search"
    return text if event.remaining_s is None else f"{text}, about {_duration(event.remaining_s)}"


def quality_line(event: QualityMeasured) -> str:
    """What was found of one task."""
    if event.problem:
        return f"{event.instance_id}: not measured: {first_line(event.problem)}"
    return f"{event.instance_id}: {', '.join(event.flags) or 'no flag'}"


def verification_line(event: TaskVerified) -> str:
    """What verifying a task found."""
    verification = event.verification
    result = "verified" if verification.verified else f"not verified: {verification.reason}"
    result += ", gold unproven" if verification.gold_unproven else ""
    again = "" if verification.verified else " (--retry verifies it again)"
    how = f", kept from before{again}" if event.kept else f" in {verification.duration_s:.0f} s"
    return f"{verification.instance_id} {result}{how}"


def solver_line(event: SolverFinished) -> str:
    """How a solver's work on a task ended."""
    record = event.record
    detail = f": {record.detail}" if record.detail else ""
    calls = f", {record.calls} calls, {record.tests} test runs" if record.calls else ""
    before = " (before)" if event.kept else ""
    return f"{record.instance_id}: {record.ending}{detail}{calls}, {record.duration_s:.0f} s{before}"


def score_line(event: TaskScored) -> str:
    """The score of an answer, with a line for each flag."""
    score = event.score
    reason = f": {score.reason}" if score.reason else ""
    precision = "" if score.precision is None else f", precision {score.precision:.2f}"
    before = " (before)" if event.kept else ""
    flags = "".join(f"\n    flag {flag.kind}: {flag.detail}" for flag in score.flags)
    return f"{score.instance_id}: {score.outcome}{reason}{precision}, {score.duration_s:.0f} s{before}{flags}"


def build_line(event: BuildAdvanced) -> str:
    """How far a build is."""
    text = f"{event.phase}: {event.done} done, {event.running} under way, {event.left} remaining"
    if event.rate_per_hour:
        text += f", {event.rate_per_hour:.0f} an hour"
    if event.eta_s is not None:
        text += f", {_duration(event.eta_s)} to go"
    text += f"; of {event.candidates} candidates {event.excluded} are out, {event.tasks} are tasks"
    if event.waits_until is not None:
        text += f"; waiting until {format_day(event.waits_until)} for GitHub's rate limit"
    return text


def _duration(seconds: float) -> str:
    minutes, hours = int(seconds // 60) % 60, int(seconds // 3600)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {int(seconds) % 60:02d} s"
