"""Failures by cause, as the loop reads them."""

from __future__ import annotations

from dataclasses import replace

from backdate.diagnosis.result import Cause, CauseKind, Failure, FrameKind, PlacedFrame, PlacedRaised
from backdate.solvers.rules.failures import caught_groups, groups_of
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


def test_what_a_library_says_of_a_cause_in_its_own_words_is_kept() -> None:
    frame = PlacedFrame(
        frame=Frame(file="app.py", line=7, function="show", source=""), kind=FrameKind.PROJECT
    )
    cause = failure(7, frame)
    said = PlacedRaised(type="OSError", message="'x' is no style", link="cause", frames=(frame,))
    (group,) = groups_of([replace(cause, chain=(*cause.chain, said))])
    assert (group.led_to, group.messages) == (("'x' is no style",), ("gone", "'x' is no style"))
    (alone,) = groups_of([cause])
    assert alone.messages == ("gone",)
