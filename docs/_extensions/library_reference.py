"""Writes the reference of what ``import backdate`` gives where a page says ``<!-- names -->``."""

from __future__ import annotations

import inspect

from sphinx.application import Sphinx

MARK = "<!-- names -->"


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.connect("source-read", _fill_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _fill_in(_app: Sphinx, _name: str, source: list[str]) -> None:
    if MARK in source[0]:
        source[0] = source[0].replace(MARK, library_reference())


def library_reference() -> str:
    """Every exported name, as directives of autodoc that look where it is defined."""
    import backdate

    blocks = []
    for name in backdate.__all__:
        value = getattr(backdate, name)
        if not value.__module__.startswith("backdate."):  # an alias of a class of Python's own
            blocks.append(f"`{name}`: another name of `{value.__module__}.{value.__qualname__}`.\n")
            continue
        if inspect.isclass(value):
            kind, options = "autoclass", "   :members:\n   :undoc-members:\n"
        else:
            kind, options = "autofunction", ""
        blocks.append(f"```{{eval-rst}}\n.. {kind}:: {value.__module__}.{name}\n{options}```\n")
    return "\n".join(blocks)
