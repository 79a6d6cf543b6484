"""Of a Python that cannot be had: which names of the standard library came later, as ``vermin`` knows."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from importlib.util import find_spec
from typing import cast

from backdate.diagnosis.api import is_dotted
from backdate.text import version_numbers


def can_tell() -> bool:
    """Whether vermin is installed."""
    return find_spec("vermin") is not None


def too_new_for(python: str, names: Iterable[str]) -> dict[str, str]:
    """The names that a Python ("3.1") does not have yet, with the version that has them first.

    Nothing where vermin is not installed.
    """
    target = version_numbers(python)[:2]
    if not can_tell() or len(target) < 2:
        return {}
    found = {}
    for name in names:
        since = _since(name, target[0])
        if since is not None and since > target:
            found[name] = ".".join(map(str, since))
    return found


def _since(name: str, major: int) -> tuple[int, int] | None:
    """The first minor version of Python 2 or 3 that has a dotted name of a module."""
    module, dot, _ = name.partition(".")
    if not dot or not is_dotted(name):
        return None
    # Only the name is asked for, in a line of our own: nothing of a row's code is read here.
    versions = import_module("vermin").detect(f"import {module}\n{name}\n{name}()\n")
    found = versions[major - 2]
    return cast("tuple[int, int]", found) if isinstance(found, tuple) and len(found) == 2 else None
