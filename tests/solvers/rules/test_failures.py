"""Failures by cause, as the loop reads them."""

from __future__ import annotations

from backdate.diagnosis.result import Cause, CauseKind, Failure, FrameKind, PlacedFrame, PlacedRaised
from backdate.solvers.rules.failures import caught_groups
from backdate.testing.outcomes import Frame


def failure(line: int, *frames: PlacedFrame) -> Failure:
    cause = Cause(
        kind=CauseKind.MISSING_ATTRIBUTE, type="AttributeError", message="gone", name="f", position=0
    )
    raised = PlacedRaised(type="AttributeError", message="gone", link="", frames=frames)
    return Failure(test=f"app.py:{line}", outcome=None, cause=cause, responsible=None, chain=(raised,))


def test_what_is_caught_belongs_to_no_test_and_to_lines_of_the_project() -> None:
    frame = Frame(file="app.py", line=7, function="show", source="x.f()")
    (group,) = caught_groups([failure(7, PlacedFrame(frame=frame, kind=FrameKind.PROJECT))])
    assert (group.tests, group.caught, group.places[0].line) == ((), True, 7)
    assert caught_groups([failure(9)]) == ()
