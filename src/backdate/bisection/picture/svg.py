"""A scene as SVG 1.1."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from backdate.bisection.picture.scene import Dot, FilledRectangle, Scene, Segment, Shape


def to_svg(scene: Scene) -> bytes:
    """The scene as an SVG document."""
    root = ET.Element(
        "svg",
        xmlns="http://www.w3.org/2000/svg",
        width=str(scene.width),
        height=str(scene.height),
        viewBox=f"0 0 {scene.width} {scene.height}",
        role="img",
    )
    root.set("font-family", "sans-serif")
    ET.SubElement(root, "title").text = scene.title
    ET.SubElement(root, "rect", width="100%", height="100%", fill="white")
    for shape in scene.shapes:
        _draw(root, shape)
    ET.indent(root)
    drawn: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return drawn


def _draw(root: ET.Element, shape: Shape) -> None:
    if isinstance(shape, Segment):
        ends = {"x1": shape.x1, "y1": shape.y1, "x2": shape.x2, "y2": shape.y2}
        ET.SubElement(root, "line", _texts(ends), stroke=shape.stroke)
    elif isinstance(shape, FilledRectangle):
        box = {"x": shape.x, "y": shape.y, "width": shape.width, "height": shape.height}
        ET.SubElement(root, "rect", _texts(box), fill=shape.fill)
    elif isinstance(shape, Dot):
        circle = ET.SubElement(
            root, "circle", _texts({"cx": shape.x, "cy": shape.y, "r": shape.radius}), fill=shape.fill
        )
        if shape.edge:
            circle.set("stroke", shape.edge)
        if shape.title:
            ET.SubElement(circle, "title").text = shape.title
    else:
        place = _texts({"x": shape.x, "y": shape.y, "font-size": shape.size})
        element = ET.SubElement(root, "text", place, fill=shape.fill)
        element.set("text-anchor", shape.anchor)
        element.text = shape.text


def _texts(numbers: dict[str, float]) -> dict[str, str]:
    return {name: str(number) for name, number in numbers.items()}
