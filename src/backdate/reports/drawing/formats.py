"""A scene in the format that a file's name asks for."""

from __future__ import annotations

from backdate.errors import UsageError
from backdate.reports.drawing.png import require_matplotlib, to_png
from backdate.reports.drawing.shapes import Scene
from backdate.reports.drawing.svg import to_svg

_WRITERS = {".svg": to_svg, ".png": to_png}


def require_format(suffix: str) -> None:
    """Raise UsageError unless pictures are drawn in the format of ``suffix`` (".svg"), here and now."""
    if suffix.lower() not in _WRITERS:
        raise UsageError(f"a picture is drawn as .svg or .png, not as {suffix or 'a file without a suffix'}")
    if suffix.lower() == ".png":
        require_matplotlib()


def draw(scene: Scene, suffix: str = ".svg") -> bytes:
    """``scene`` in the format of ``suffix``. Raises UsageError as ``require_format``."""
    require_format(suffix)
    return _WRITERS[suffix.lower()](scene)
