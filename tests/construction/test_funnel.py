"""The funnel and its picture."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backdate.construction.funnel import Funnel, ReasonCount, make_funnel
from backdate.construction.kinds.choose import stages_of
from backdate.reports.drawing.formats import draw
from backdate.reports.drawing.shapes import Label
from backdate.reports.funnel_scene import funnel_scene
from backdate.serial import from_json, to_json

STAGES = stages_of("migration")
NAMES = tuple(stage.name for stage in STAGES)


def counts(excluded: dict[tuple[str, str], int]) -> list[ReasonCount]:
    """Counts by stage and kind, each with its kind as text."""
    return [
        ReasonCount(stage=stage, kind=kind, reason=kind, count=count)
        for (stage, kind), count in excluded.items()
    ]


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(
        st.tuples(st.sampled_from(NAMES), st.text(max_size=20)), st.integers(1, 1000), max_size=30
    ),
    st.integers(0, 50),
    st.integers(0, 50),
)
def test_nobody_is_lost(left: dict[tuple[str, str], int], tasks: int, waiting: int) -> None:
    total = sum(left.values()) + tasks + waiting
    funnel = make_funnel(counts(left), STAGES, candidates=total, tasks=tasks)
    assert funnel.waiting == waiting
    assert tuple(stage.name for stage in funnel.stages) == NAMES
    entered = total
    for stage in funnel.stages:
        assert stage.entered == entered
        assert stage.left == sum(reason.count for reason in stage.reasons)
        entered = stage.passed
    assert from_json(Funnel, to_json(funnel)) == funnel
    assert ET.fromstring(draw(funnel_scene(funnel))).tag.endswith("svg")


def test_the_most_frequent_reason_comes_first() -> None:
    excluded = {("stars", "b"): 1, ("stars", "c"): 5, ("stars", "a"): 1}
    funnel = make_funnel(counts(excluded), STAGES, candidates=9, tasks=2)
    stage = next(stage for stage in funnel.stages if stage.name == "stars")
    assert [(reason.reason, reason.count) for reason in stage.reasons] == [("c", 5), ("a", 1), ("b", 1)]


def test_an_empty_funnel_can_be_drawn() -> None:
    assert b"0 candidates" in draw(funnel_scene(make_funnel([], STAGES, candidates=0, tasks=0)))


def test_a_long_reason_is_drawn_as_a_whole() -> None:
    reason = "its tests were made for another interpreter than any that is on this machine"
    scene = funnel_scene(
        make_funnel(counts({("stars", reason): 3, ("stars", "b"): 1}), STAGES, candidates=9, tasks=5)
    )
    (label,) = [shape for shape in scene.shapes if isinstance(shape, Label) and reason in shape.text]
    assert label.text == f"3 {reason} and 1 more reason"
    assert label.x + 6 * len(label.text) < scene.width
    wide = [
        shape.x + 7 * len(shape.text)
        for shape in scene.shapes
        if isinstance(shape, Label) and "left)" in shape.text
    ]
    assert max(wide) < label.x  # nor do counts run into it


def test_exclusions_are_counted_by_kind_whatever_their_text() -> None:
    older = ReasonCount(stage="stars", kind="", reason="fewer than 9 stars", count=1)
    newer = ReasonCount(stage="stars", kind="few-stars", reason="fewer than 9 stars", count=2)
    reworded = ReasonCount(stage="stars", kind="few-stars", reason="not 9 stars", count=4)
    funnel = make_funnel([older, newer, reworded], STAGES, candidates=7, tasks=0)
    stage = next(stage for stage in funnel.stages if stage.name == "stars")
    assert [(reason.kind, reason.count) for reason in stage.reasons] == [("few-stars", 7)]
