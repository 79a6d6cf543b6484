"""What other distributions add to backdate through entry points: found, loaded, kept apart from each other.

An extension that does not load, or that raises, is named in a warning and left out; nothing else suffers. The
place that chooses each kind of thing asks here: ``recipes/extract.py`` (recipe sources),
``recipes/repair/rules.py`` (repair rules), ``solvers/choose.py`` (solvers), ``tasks/foreign/exporting.py``
(exporters). ``docs/how-to/extending.md`` has an example of each.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

Result = TypeVar("Result")


class ExtensionGroup(StrEnum):
    """The groups of entry points that are read."""

    RECIPE_SOURCES = "backdate.recipe_sources"
    REPAIR_RULES = "backdate.repair_rules"
    SOLVERS = "backdate.solvers"
    EXPORTERS = "backdate.exporters"


class ExtensionWarning(UserWarning):
    """An extension does not work and was left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """An entry point of one of the groups."""

    group: ExtensionGroup
    name: str
    distribution: str
    """Whose it is, with its version: "backdate-just 1.0"."""
    value: Any = None
    """What it loaded; None when it did not load."""
    failure: str = ""
    """Why it did not load; empty when it did."""

    def __str__(self) -> str:
        return f"{self.name} of {self.distribution} ({self.group})"


@functools.cache
def all_extensions(group: ExtensionGroup) -> tuple[Extension, ...]:
    """The extensions of ``group``, those that do not load as well, by their distributions and names.

    They are loaded once a process.
    """
    found = [_loaded(group, point) for point in entry_points(group=group.value)]
    return tuple(sorted(found, key=lambda extension: (extension.distribution.lower(), extension.name)))


def extensions(group: ExtensionGroup, kind: type[Any] | None = None) -> tuple[Extension, ...]:
    """The extensions of ``group`` that work; each of the others is named in a warning.

    ``kind``: what their values have to be instances of; anything that can be called when None.
    """
    working = []
    for extension in all_extensions(group):
        failure = extension.failure
        fits = callable(extension.value) if kind is None else isinstance(extension.value, kind)
        if not failure and not fits:
            wanted = kind.__name__ if kind else "function"
            failure = f"it is a {type(extension.value).__name__} and not a {wanted}"
        if failure:
            _warn(f"the extension {extension} is left out: {failure}")
        else:
            working.append(extension)
    return tuple(working)


def call_extension(extension: Extension, function: Callable[[], Result], otherwise: Result) -> Result:
    """What ``function``, which calls the extension, returns; ``otherwise``, with a warning, if it raises."""
    try:
        return function()
    except Exception as error:  # noqa: BLE001 - a stranger's code must not end a run
        _warn(f"the extension {extension} raised {type(error).__name__}: {_line(error)}")
        return otherwise


def _loaded(group: ExtensionGroup, point: EntryPoint) -> Extension:
    whose = f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown distribution"
    try:
        value = point.load()
    except Exception as error:  # noqa: BLE001 - importing a stranger's module may raise anything
        failure = f"loading {point.value} raised {type(error).__name__}: {_line(error)}"
        return Extension(group=group, name=point.name, distribution=whose, failure=failure)
    return Extension(group=group, name=point.name, distribution=whose, value=value)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]


def _warn(message: str) -> None:
    warnings.warn(message, ExtensionWarning, stacklevel=3)
