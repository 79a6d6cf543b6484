"""HTML by small functions: text that comes in is escaped, and what they give is HTML."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from backdate.reports.text import shown


class Html(str):
    """Text that is HTML already. Anything else is escaped where it becomes part of an element."""

    __slots__ = ()


def element(tag: str, *children: str | Html, **attributes: str) -> Html:
    """An element with its children. Attributes are escaped; ``class_`` is ``class``, and "_" in names "-"."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(shown(value))}"'
        for name, value in attributes.items()
    )
    return Html(f"<{tag}{written}>{joined(children)}</{tag}>")


def joined(children: Iterable[str | Html]) -> Html:
    """One after the other."""
    return Html("".join(child if isinstance(child, Html) else escape(shown(child)) for child in children))
