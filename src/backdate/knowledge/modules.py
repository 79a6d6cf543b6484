"""Modules: whose they are, and what to install when they are missing."""

from __future__ import annotations

import functools
import sys

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from backdate.knowledge import changes, load
from backdate.knowledge.schema import ModuleRow

_PASSED_ON = ("requests.packages.", ("urllib3", "idna", "chardet"))
"""Where requests has the modules of others, which it held itself until 2.16."""


@functools.cache
def _rows() -> dict[str, ModuleRow]:
    return {row.name: row for row in load.modules().module}


def row_of(module: str) -> ModuleRow | None:
    """The row of a dotted module or of the nearest package around it that has one."""
    rows = _rows()
    parts = module.split(".")
    prefixes = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
    return next((rows[prefix] for prefix in prefixes if prefix in rows), None)


def distribution_of(module: str) -> str:
    """The distribution that the authors of a module publish it as; its top-level name when no row says."""
    row = row_of(module)
    return row.distributions[0] if row else module.partition(".")[0]


def own_name(dotted: str) -> str:
    """The name that a module passed on by another distribution has of its own, else ``dotted``:
    "urllib3.util" of "requests.packages.urllib3.util"."""
    prefix, tops = _PASSED_ON
    inside = dotted.removeprefix(prefix)
    return inside if inside != dotted and inside.partition(".")[0] in tops else dotted


def to_install(module: str) -> str:
    """The distribution to install for a module; its top-level name when no row says."""
    row = row_of(module)
    return Requirement(row.install or row.distributions[0]).name if row else module.partition(".")[0]


@functools.cache
def _builds() -> dict[str, str]:
    return {
        canonicalize_name(build): canonicalize_name(row.distributions[0])
        for row in load.modules().module
        for build in row.builds
    }


def main_build(distribution: str) -> str:
    """The distribution, normalised, whose releases one is another build of: tensorflow of tensorflow-cpu."""
    name = canonicalize_name(distribution)
    return _builds().get(name, name)


def requirement_without_index(module: str) -> str | None:
    """The requirement for a module where it is certain without the index: Python's, or one with a limit."""
    top = module.partition(".")[0]
    replaced = changes.replaced_modules().get(top)
    if replaced is not None:
        return replaced
    row = _rows().get(top)
    return row.install if row and row.install and Requirement(row.install).specifier else None


def in_standard_library(dotted: str) -> bool:
    """Whether a module is, or once was, of the standard library."""
    top = dotted.partition(".")[0]
    return top in sys.stdlib_module_names or top in changes.gone_modules() or top == "builtins"


@functools.cache
def aliases() -> dict[str, str]:
    """Names by which modules are imported by convention."""
    return load.modules().aliases


@functools.cache
def namespaces() -> frozenset[str]:
    """Modules that many distributions share."""
    return frozenset(load.modules().namespaces)
