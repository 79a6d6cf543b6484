"""Which modules a build back-end reads for a version that is not written into the metadata.

Each back-end first looks for a plain assignment in the module's text, and only where there is none runs the
module. So with a plain assignment its value is all that is read.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Set
from typing import Any, TypeAlias

from backdate.editing.python_source import UNPARSABLE, parse_source

ModuleValue: TypeAlias = tuple[str, str]
"""A module's path, and what is read of it. Nothing else in it counts."""
Read = Callable[[str], str | None]
"""The text of a file of the tree, given by its path."""


class RunsModules(Exception):
    """A value of the metadata comes from running code of the project."""


def attribute_values(reference: str, paths: Set[str], read: Read) -> Iterator[ModuleValue]:
    """What setuptools' ``attr: package.module.name`` reads, of every module that may be meant.

    Raises RunsModules where one does not assign a constant to the name.
    """
    dotted, _, name = reference.strip().rpartition(".")
    stem = dotted.replace(".", "/")
    ends = (f"{stem}.py", f"{stem}/__init__.py")
    found = [path for path in paths if path in ends or path.endswith(tuple(f"/{end}" for end in ends))]
    if not dotted or not found:
        raise RunsModules(reference)
    for path in sorted(found):
        yield path, repr(_constant(_parsed(read(path)), name))


def flit_values(pyproject: Mapping[str, Any], paths: Set[str], read: Read) -> Iterator[ModuleValue]:
    """What flit reads of the module: version and docstring; raises RunsModules where it has to run it."""
    project = table(pyproject, "project")
    named = table(pyproject, "tool", "flit", "module").get("name") or str(project.get("name", ""))
    stem = str(named).replace("-", "_").replace(".", "/")
    ends = (f"{stem}.py", f"{stem}/__init__.py", f"src/{stem}.py", f"src/{stem}/__init__.py")
    found = [path for path in ends if path in paths]
    if len(found) != 1 or not set(project.get("dynamic", [])) <= {"version", "description"}:
        raise RunsModules(stem)
    tree = _parsed(read(found[0]))
    docstring = ast.get_docstring(tree)
    if docstring is None:
        raise RunsModules(found[0])
    yield found[0], repr((docstring, _constant(tree, "__version__")))


def file_of_version(settings: Mapping[str, Any], dynamic: object) -> str:
    """The file that hatchling and pdm search for a version with a pattern; raises RunsModules for others."""
    path = settings.get("path")
    known = settings.get("source", "regex") in ("regex", "file")
    if dynamic != ["version"] or not isinstance(path, str) or not known:
        raise RunsModules("version")
    return path.removeprefix("./")


def table(value: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """The table below ``value`` that the names lead to; an empty one where there is none."""
    found: Any = value
    for name in names:
        found = found.get(name, {}) if isinstance(found, Mapping) else {}
    return found if isinstance(found, Mapping) else {}


def _constant(tree: ast.Module, name: str) -> object:
    """The constant that a module assigns to ``name``, once and nowhere else; raises RunsModules otherwise."""
    values = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id == name
    ]
    if len(values) != 1 or not isinstance(values[0], ast.Constant):
        raise RunsModules(name)
    return values[0].value


def _parsed(source: str | None) -> ast.Module:
    try:
        return parse_source(source or "")
    except UNPARSABLE as error:
        raise RunsModules("a module that cannot be parsed") from error
