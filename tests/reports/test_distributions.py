from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.evaluation.spreads import spread_of, stretches_of
from backdate.reports.axes import WIDTH, compact, round_ticks
from backdate.reports.distributions import Box, box_plot, heat_map, turn_plot

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</svg><script>alert('x')</script>\x00\ud800 & \"quoted\""


@given(st.lists(st.lists(st.floats(0, 1e12), min_size=1, max_size=40), max_size=5))
def test_boxes_stay_in_the_picture_and_in_order(values) -> None:
    boxes = [Box(name=HOSTILE, spread=spread) for one in values if (spread := spread_of(one))]
    svg = box_plot(boxes, title=HOSTILE, x_title="calls")
    root = ET.fromstring(svg)
    for rect, line in zip(
        root.iter(f"{SVG}rect"), root.iterfind(f".//{SVG}line[@class='median']"), strict=True
    ):
        left, width, median = float(rect.attrib["x"]), float(rect.attrib["width"]), float(line.attrib["x1"])
        assert 0 <= left - 0.1 <= median <= left + width + 0.2 <= WIDTH
    assert len(list(root.iter(f"{SVG}circle"))) == sum(map(len, values))
    assert all(0 <= float(one.attrib["cx"]) <= WIDTH for one in root.iter(f"{SVG}circle"))
    assert "<script" not in svg


def test_columns_are_as_high_as_their_calls() -> None:
    stretches = stretches_of([["look", "look"], ["look", "edit"], ["run", HOSTILE]])
    root = ET.fromstring(turn_plot(stretches, ["look", "edit"], title=HOSTILE))
    heights: dict[str, list[float]] = {}
    for rect in root.iter(f"{SVG}rect"):
        heights.setdefault(rect.attrib["x"], []).append(float(rect.attrib["height"]))
    first, second = heights.values()
    assert sum(first) == pytest.approx(sum(second), abs=0.3)
    assert first[0] == pytest.approx(2 * first[1], abs=0.3)  # two looks, and one of the others
    assert second[0] == pytest.approx(second[1], abs=0.3) == pytest.approx(second[2], abs=0.3)


def test_a_heat_map_shades_by_the_row() -> None:
    counts = {("look", "edit"): 3, ("look", HOSTILE): 1, ("edit", "edit"): 5}
    svg = heat_map(counts, ["look", "edit", "run"], ["edit", HOSTILE], title=HOSTILE)
    cells = [
        float(one.attrib["fill-opacity"]) for one in ET.fromstring(svg).iter(f"{SVG}rect") if one is not None
    ]
    assert cells == [0.375, 0.125, 0.5, 0, 0, 0]
    assert "75" in svg
    assert "<script" not in svg


@given(st.floats(0, 1e15))
def test_an_axis_has_few_round_marks_that_reach_the_top(most) -> None:
    marks = round_ticks(most)
    assert 2 <= len(marks) <= 6
    assert marks[-1] >= most
    assert len(marks) == 2 or marks[-2] < most


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (800, "800"), (25000, "25k"), (1.5e6, "1.5M"), (2e9, "2G")]
)
def test_numbers_of_an_axis_are_short(value, text) -> None:
    assert compact(value) == text
