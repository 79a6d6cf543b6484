"""A scene as SVG 1.1: a document of its own, or a part of a page that follows the page's colour scheme.

Both hold no program, font or script from anywhere.
"""

from __future__ import annotations

from xml.etree import ElementTree as ET

from backdate.reports.drawing.shapes import INK, Dot, FilledRectangle, Label, Polyline, Scene, Segment, Shape
from backdate.reports.text import shown


def to_svg(scene: Scene) -> bytes:
    """The scene as an SVG document on white ground."""
    root = _root(scene)
    root.set("width", str(scene.width))
    root.set("height", str(scene.height))
    root.set("font-family", "sans-serif")
    root.set("fill", INK)
    ET.SubElement(root, "rect", width="100%", height="100%", fill="white")
    for shape in scene.shapes:
        _draw(root, shape)
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document


def to_inline_svg(scene: Scene) -> str:
    """The scene as an element of an HTML page, as wide as there is room."""
    root = _root(scene)
    root.set("preserveAspectRatio", "xMinYMin meet")
    for shape in scene.shapes:
        _draw(root, shape)
    return ET.tostring(root, encoding="unicode")


def _root(scene: Scene) -> ET.Element:
    root = ET.Element(
        "svg", xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {scene.width} {scene.height}", role="img"
    )
    ET.SubElement(root, "title").text = shown(scene.title)
    if scene.description:
        ET.SubElement(root, "desc").text = shown(scene.description)
    return root


def _draw(root: ET.Element, shape: Shape) -> None:
    match shape:
        case Segment():
            element = _element(root, "line", x1=shape.x1, y1=shape.y1, x2=shape.x2, y2=shape.y2)
            _stroke(element, shape.stroke, shape.width)
        case Polyline():
            element = ET.SubElement(root, "polyline")
            element.set("points", " ".join(f"{_text(x)},{_text(y)}" for x, y in shape.points))
            _paint(element, "stroke", shape.stroke)
            if not shape.role:
                element.set("fill", "none")
            if shape.dash:
                element.set("stroke-dasharray", shape.dash)
        case FilledRectangle():
            element = _element(root, "rect", x=shape.x, y=shape.y, width=shape.width, height=shape.height)
            if shape.rounding:
                element.set("rx", _text(shape.rounding))
            _fill(element, shape.fill, shape.opacity)
            _stroke(element, shape.edge, shape.edge_width)
        case Dot():
            element = _element(root, "circle", cx=shape.x, cy=shape.y, r=shape.radius)
            _fill(element, shape.fill, shape.opacity)
            _stroke(element, shape.edge, 1)
        case Label():
            element = _label(root, shape)
    if not isinstance(shape, Dot) and shape.role:
        element.set("class", shape.role)
    if not isinstance(shape, Segment | Label) and shape.title:
        ET.SubElement(element, "title").text = shown(shape.title)


def _label(root: ET.Element, label: Label) -> ET.Element:
    element = _element(root, "text", x=label.x, y=label.y)
    if label.size is not None:
        element.set("font-size", str(label.size))
    if label.fill:
        _paint(element, "fill", label.fill)
    if label.turned:
        element.set("transform", f"rotate({_text(label.turned)} {_text(label.x)} {_text(label.y)})")
    element.set("text-anchor", label.anchor)
    element.text = shown(label.text)
    return element


def _fill(element: ET.Element, paint: str, opacity: float) -> None:
    _paint(element, "fill", paint)
    if opacity != 1:
        element.set("fill-opacity", f"{round(opacity, 3):g}")


def _stroke(element: ET.Element, paint: str, width: float) -> None:
    if paint:
        _paint(element, "stroke", paint)
        if width != 1:
            element.set("stroke-width", _text(width))


def _paint(element: ET.Element, what: str, paint: str) -> None:
    """A variable is for the style alone: an attribute does not take one everywhere."""
    if paint.startswith("var("):
        style = element.get("style")
        element.set("style", f"{style};{what}:{paint}" if style else f"{what}:{paint}")
    else:
        element.set(what, paint)


def _element(root: ET.Element, tag: str, **numbers: float) -> ET.Element:
    return ET.SubElement(root, tag, {name: _text(number) for name, number in numbers.items()})


def _text(number: float) -> str:
    """A tenth of a pixel is enough."""
    return f"{number:.1f}".removesuffix(".0")
