"""The funnel and its picture."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backdate.construction.funnel import NAMES, Funnel, make_funnel
from backdate.reports.drawing.formats import draw
from backdate.reports.funnel_scene import funnel_scene
from backdate.serial import from_json, to_json


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
    funnel = make_funnel(left, candidates=total, tasks=tasks)
    assert funnel.waiting == waiting
    assert tuple(stage.name for stage in funnel.stages) == NAMES
    entered = total
    for stage in funnel.stages:
        assert stage.entered == entered
        assert stage.left == sum(one.count for one in stage.reasons)
        entered = stage.passed
    assert from_json(Funnel, to_json(funnel)) == funnel
    assert ET.fromstring(draw(funnel_scene(funnel))).tag.endswith("svg")


def test_the_most_frequent_reason_comes_first() -> None:
    funnel = make_funnel({("stars", "b"): 1, ("stars", "c"): 5, ("stars", "a"): 1}, candidates=9, tasks=2)
    stage = next(one for one in funnel.stages if one.name == "stars")
    assert [(one.reason, one.count) for one in stage.reasons] == [("c", 5), ("a", 1), ("b", 1)]


def test_an_empty_funnel_can_be_drawn() -> None:
    assert b"0 candidates" in draw(funnel_scene(make_funnel({}, candidates=0, tasks=0)))
