"""Scenes become SVG and PNG, whatever stands in them."""

from __future__ import annotations

import io
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.reports.drawing.formats import draw
from backdate.reports.drawing.shapes import (
    Dot,
    FilledRectangle,
    Label,
    Polyline,
    Scene,
    Segment,
    series_paint,
)
from backdate.reports.drawing.svg import to_inline_svg, to_svg

SVG = "{http://www.w3.org/2000/svg}"


def scene(text: str = "text", paint: str = "#ff0000") -> Scene:
    return Scene(
        title=text,
        description=text,
        width=100,
        height=50,
        shapes=(
            Segment(x1=0, y1=1, x2=10.25, y2=1, stroke=paint, width=2),
            Polyline(points=((0, 0), (5, 5.5)), stroke=paint, dash="8 4", title=text),
            FilledRectangle(x=20, y=10, width=30, height=20, fill=paint, edge=paint, opacity=0.5, title=text),
            Dot(x=60, y=20, radius=3, fill=paint, edge="#ffffff"),
            Label(x=1, y=40, text=text, turned=-60),
        ),
    )


@given(st.text())
def test_any_text_is_text_of_the_picture(text: str) -> None:
    for drawn in (to_svg(scene(text)), to_inline_svg(scene(text))):
        root = ET.fromstring(drawn)
        assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
            *("svg", "title", "desc", "rect", "line", "polyline", "circle", "text")
        }


def test_a_variable_of_the_page_is_a_style_and_a_colour_an_attribute() -> None:
    (box,) = ET.fromstring(to_inline_svg(scene(paint=series_paint(9)))).iter(f"{SVG}rect")
    assert box.get("style") == "fill:var(--series-1);stroke:var(--series-1)"
    assert (box.get("fill"), box.get("fill-opacity")) == (None, "0.5")
    _ground, box = ET.fromstring(to_svg(scene())).iter(f"{SVG}rect")
    assert (box.get("style"), box.get("fill"), box.get("stroke")) == (None, "#ff0000", "#ff0000")


def test_coordinates_are_given_in_tenths() -> None:
    root = ET.fromstring(to_svg(scene()))
    (line,), (points,), (label,) = (root.iter(f"{SVG}{tag}") for tag in ("line", "polyline", "text"))
    assert (line.get("x2"), line.get("y2"), line.get("stroke-width")) == ("10.2", "1", "2")
    assert points.get("points") == "0,0 5,5.5"
    assert label.get("transform") == "rotate(-60 1 40)"


def test_every_shape_is_drawn_as_png() -> None:
    image = pytest.importorskip("matplotlib.image", reason="the extra plots is not installed")
    pixels = image.imread(io.BytesIO(draw(scene(), ".png")), format="png")
    assert pixels.shape[:2] == (100, 200)
    red, green, blue = pixels[40, 70][:3]  # the middle of the rectangle, half transparent on white
    assert (round(red, 1), round(green, 1), round(blue, 1)) == (1.0, 0.5, 0.5)
