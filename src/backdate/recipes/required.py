"""A project's run-time requirements, read from its metadata without building it.

For a project whose own build cannot be carried out: what it requires can be installed without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from packaging.metadata import RawMetadata, parse_email
from packaging.requirements import Requirement

from backdate.errors import ConfigurationError
from backdate.projects.ini import parse_ini
from backdate.projects.setup_script import setup_arguments
from backdate.projects.toml import parse_toml
from backdate.recipes.files import Files
from backdate.recipes.poetry import poetry_requirements
from backdate.text import UNREADABLE

_MOST = 500
_OF_EXTRA = re.compile(r"""\bextra\s{0,9}==\s{0,9}['"]([\w.-]{1,100})['"]""")


def required(files: Files, extras: Iterable[str] = ()) -> tuple[str, ...] | None:
    """The requirements of the project in the root, those of ``extras`` behind them, as PEP 508.

    None where they cannot be known without running anything, or where there is no project. A
    requirement that cannot be read is left out: so would its build have left it out, or failed.
    """
    stated = stated_requirements(files, extras)
    return None if stated is None else tuple(filter(_readable, stated))


def stated_requirements(files: Files, extras: Iterable[str] = ()) -> tuple[str, ...] | None:
    """As ``required``, as they are written: those that cannot be read are there too."""
    wanted = {extra.lower() for extra in extras}
    for read in (_of_project_table, _of_poetry, _of_setuptools, _of_core_metadata):
        try:
            requirements = read(files, wanted)
        except ConfigurationError:  # reported by ``Declared.unread``; no build could have read it either
            return None
        if requirements is not None:
            return tuple(dict.fromkeys(requirements))[:_MOST]
    return None


def released_requirements(files: Files, extras: Iterable[str] = ()) -> tuple[str, ...] | None:
    """What the build that made an sdist wrote down: ``requires.txt`` of its egg-info, with ``extras``.

    None where there is no egg-info. Its sections are extras, with markers: ``[tests:python_version<"3"]``.
    """
    wanted = {"", *(extra.lower() for extra in extras)}
    for folder in (".", "src", "lib"):
        for name in files.folders(folder):
            info = f"{folder}/{name}"
            if not name.endswith(".egg-info") or "PKG-INFO" not in files.names(info):
                continue
            text = files.text(f"{info}/requires.txt") if "requires.txt" in files.names(info) else ""
            lines = _of_sections(text or "", wanted)
            return tuple(dict.fromkeys(line for line in lines if _readable(line)))[:_MOST]
    return None


def _of_sections(text: str, wanted: set[str]) -> Iterator[str]:
    extra, marker = "", ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("[") and line.endswith("]"):
            extra, _, marker = line[1:-1].partition(":")
        elif line and extra.lower() in wanted:
            yield f"{line}; {marker}" if marker and ";" not in line else line


def _of_project_table(files: Files, extras: set[str]) -> list[str] | None:
    """PEP 621."""
    project = _toml(files).get("project")
    if not isinstance(project, Mapping) or "dependencies" in _strings(project.get("dynamic")):
        return None
    requirements = _strings(project.get("dependencies"))
    optional = project.get("optional-dependencies")
    for name, of_extra in optional.items() if isinstance(optional, Mapping) else ():
        requirements += _strings(of_extra) if str(name).lower() in extras else []
    return requirements


def _of_poetry(files: Files, extras: set[str]) -> list[str] | None:
    tool = _toml(files).get("tool")
    poetry = tool.get("poetry") if isinstance(tool, Mapping) else None
    if not isinstance(poetry, Mapping) or not isinstance(poetry.get("dependencies"), Mapping):
        return None
    declared = poetry.get("extras")
    in_extras = {
        dependency
        for name, dependencies in (declared.items() if isinstance(declared, Mapping) else ())
        if str(name).lower() in extras
        for dependency in _strings(dependencies)
    }
    table = {
        name: constraint
        for name, constraint in poetry["dependencies"].items()
        if name in in_extras or not (isinstance(constraint, Mapping) and constraint.get("optional"))
    }
    return list(poetry_requirements(table)[0])


def _of_setuptools(files: Files, extras: set[str]) -> list[str] | None:
    """setup.cfg, where it names them, else setup.py, where that writes them out."""
    names = files.names(".")
    configured = parse_ini(files.text("setup.cfg") or "") if "setup.cfg" in names else {}
    script = files.text("setup.py") or "" if "setup.py" in names else ""
    if not script and "name" not in configured.get("metadata", {}):
        return None
    arguments = setup_arguments(script)
    if arguments is None:
        return None
    values = {name: argument.value for name, argument in arguments.items()}
    if "install_requires" in script and "install_requires" not in values:
        return None  # only running it could tell
    requirements = list(_lines(configured.get("options", {}).get("install_requires")))
    requirements += _lines(values.get("install_requires"))
    for name, value in configured.get("options.extras_require", {}).items():
        requirements += _lines(value) if name.lower() in extras else ()
    declared = values.get("extras_require")
    for name, of_extra in declared.items() if isinstance(declared, Mapping) else ():
        requirements += _lines(of_extra) if name.lower() in extras else ()
    return requirements


def released_extras(files: Files) -> tuple[str, ...]:
    """The extras that an sdist's PKG-INFO names; a build may have made them up."""
    return tuple(_core_metadata(files).get("provides_extra", ()))[:_MOST]


def _of_core_metadata(files: Files, extras: set[str]) -> list[str] | None:
    """PKG-INFO of an sdist whose build said what the project requires (``Requires-Dist``)."""
    stated = _core_metadata(files).get("requires_dist")
    if not stated:
        return None
    return [text for line in stated if (text := _with_extra(line, extras)) is not None]


def _core_metadata(files: Files) -> RawMetadata:
    if "PKG-INFO" not in files.names("."):
        return {}
    metadata, _ = parse_email(files.text("PKG-INFO") or "")
    return metadata


def _with_extra(line: str, extras: set[str]) -> str | None:
    """A requirement whose marker asks no more for an extra; None for one of other extras alone."""
    named = {match[1].lower() for match in _OF_EXTRA.finditer(line)}
    if not named:
        return line
    if named.isdisjoint(extras):
        return None
    requirement, _, marker = line.partition(";")
    if _OF_EXTRA.fullmatch(marker.strip()):
        return requirement.strip()

    def decided(match: re.Match[str]) -> str:  # so that brackets, "and" and "or" around it stay as they are
        return 'python_version > "0"' if match[1].lower() in extras else 'python_version < "0"'

    return f"{requirement.strip()}; {_OF_EXTRA.sub(decided, marker).strip()}"


def _lines(value: object) -> Iterator[str]:
    """Requirements as setuptools takes them: a list, or one text with a line each."""
    lines = value.splitlines() if isinstance(value, str) else _strings(value)
    for line in lines:
        text = line.partition(" #")[0].strip()
        if text and not text.startswith("#"):
            yield text


def _strings(value: object) -> list[str]:
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list) else []


def _toml(files: Files) -> Mapping[str, Any]:
    return parse_toml(files.text("pyproject.toml") or "") if "pyproject.toml" in files.names(".") else {}


def _readable(requirement: str) -> bool:
    try:
        Requirement(requirement)
    except UNREADABLE:
        return False
    return True
