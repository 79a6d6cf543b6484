"""What a project needs to run, as its metadata write it out: read statically, nothing is built.

For a project whose own build cannot be carried out: what it requires can be installed without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement

from backdate.errors import ConfigurationError
from backdate.projects.ini import parse_ini
from backdate.projects.setup_script import setup_arguments
from backdate.projects.toml import parse_toml
from backdate.recipes.files import Files
from backdate.recipes.poetry import poetry_requirements

_MOST = 500


def required(files: Files, extras: Iterable[str] = ()) -> tuple[str, ...] | None:
    """The requirements of the project in the root, those of ``extras`` behind them, as PEP 508.

    None where they cannot be known without running anything, or where there is no project. A
    requirement that cannot be read is left out: so would its build have left it out, or failed.
    """
    wanted = {extra.lower() for extra in extras}
    for read in (_of_project_table, _of_poetry, _of_setuptools):
        try:
            found = read(files, wanted)
        except ConfigurationError:  # told by ``Declared.unread``; no build could have read it either
            return None
        if found is not None:
            return tuple(dict.fromkeys(one for one in found if _readable(one)))[:_MOST]
    return None


def _of_project_table(files: Files, extras: set[str]) -> list[str] | None:
    """PEP 621."""
    project = _toml(files).get("project")
    if not isinstance(project, Mapping) or "dependencies" in _strings(project.get("dynamic")):
        return None
    found = _strings(project.get("dependencies"))
    optional = project.get("optional-dependencies")
    for name, given in optional.items() if isinstance(optional, Mapping) else ():
        found += _strings(given) if str(name).lower() in extras else []
    return found


def _of_poetry(files: Files, extras: set[str]) -> list[str] | None:
    tool = _toml(files).get("tool")
    poetry = tool.get("poetry") if isinstance(tool, Mapping) else None
    if not isinstance(poetry, Mapping) or not isinstance(poetry.get("dependencies"), Mapping):
        return None
    declared = poetry.get("extras")
    in_extras = {
        one
        for name, given in (declared.items() if isinstance(declared, Mapping) else ())
        if str(name).lower() in extras
        for one in _strings(given)
    }
    table = {
        name: given
        for name, given in poetry["dependencies"].items()
        if name in in_extras or not (isinstance(given, Mapping) and given.get("optional"))
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
    given = {name: one.value for name, one in arguments.items()}
    if "install_requires" in script and "install_requires" not in given:
        return None  # only running it could tell
    found = list(_lines(configured.get("options", {}).get("install_requires")))
    found += _lines(given.get("install_requires"))
    for name, value in configured.get("options.extras_require", {}).items():
        found += _lines(value) if name.lower() in extras else ()
    declared = given.get("extras_require")
    for name, one in declared.items() if isinstance(declared, Mapping) else ():
        found += _lines(one) if name.lower() in extras else ()
    return found


def _lines(given: object) -> Iterator[str]:
    """Requirements as setuptools takes them: a list, or one text with a line each."""
    lines = given.splitlines() if isinstance(given, str) else _strings(given)
    for line in lines:
        text = line.partition(" #")[0].strip()
        if text and not text.startswith("#"):
            yield text


def _strings(given: object) -> list[str]:
    return [one for one in given if isinstance(one, str)] if isinstance(given, list) else []


def _toml(files: Files) -> Mapping[str, Any]:
    return parse_toml(files.text("pyproject.toml") or "") if "pyproject.toml" in files.names(".") else {}


def _readable(requirement: str) -> bool:
    try:
        Requirement(requirement)
    except InvalidRequirement:
        return False
    return True
