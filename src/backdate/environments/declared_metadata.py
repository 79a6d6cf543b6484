"""The metadata of a project whose ``pyproject.toml`` states all that a resolution reads (PEP 621).

What that file states no build back-end may change, so nothing of the project has to run before it resolves.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from backdate.environments.stated_metadata import StatedMetadata
from backdate.errors import ConfigurationError
from backdate.projects.read import read_text
from backdate.projects.toml import parse_toml
from backdate.text import UNREADABLE

_READ = ("dependencies", "optional-dependencies", "requires-python")
_OTHER_SOURCES = ("setup.py", "setup.cfg")
"""Where setuptools finds what the table does not state, whether it is said to be dynamic or not."""
_SOURCES = {"sources", "workspace"}
"""Of uv's own table: where requirements come from. The rest of it is for the project's own work."""
_ANY_VERSION = "0"
"""Of a project whose version a build tells: a lock does not say the version of what a folder holds."""


def declared_metadata(tree: Path) -> StatedMetadata | None:
    """What the project at the root of ``tree`` states of itself.

    None where any of it is dynamic, asks for addresses or is not sound, and where a tool's own tables may say
    otherwise where something comes from.
    """
    try:
        written = read_text(tree, "pyproject.toml")
        settings = {} if written is None else parse_toml(written)
        return _read(settings["project"]) if _says_all(tree, settings) else None
    except (ConfigurationError, KeyError, TypeError, AttributeError, *UNREADABLE):
        return None


def _says_all(tree: Path, settings: Mapping[str, Any]) -> bool:
    project, tools = settings.get("project"), settings.get("tool", {})
    if not isinstance(project, dict) or _SOURCES & tools.get("uv", {}).keys():
        return False
    if set(_READ) & set(project.get("dynamic", ())):
        return False
    others = "poetry" in tools or any(read_text(tree, name) is not None for name in _OTHER_SOURCES)
    return not others or all(key in project for key in _READ)


def _read(project: Mapping[str, Any]) -> StatedMetadata | None:
    requires = [Requirement(line) for line in project.get("dependencies", ())]
    extras = {}
    for name, lines in project.get("optional-dependencies", {}).items():
        extras[canonicalize_name(name, validate=True)] = [Requirement(line) for line in lines]
    every = [*requires, *(one for group in extras.values() for one in group)]
    if any(one.url is not None for one in every):
        return None
    return StatedMetadata(
        name=canonicalize_name(project["name"], validate=True),
        version=str(Version(project.get("version", _ANY_VERSION))),
        requires=(
            *map(str, requires),
            *(_of_extra(one, extra) for extra, group in extras.items() for one in group),
        ),
        requires_python=str(SpecifierSet(project.get("requires-python", ""))),
        extras=tuple(extras),
    )


def _of_extra(requirement: Requirement, extra: str) -> str:
    """The requirement as core metadata say it of an extra."""
    bare = Requirement(str(requirement))
    bare.marker = None
    condition = f'extra == "{extra}"'
    if requirement.marker is not None:
        condition = f"({requirement.marker}) and {condition}"
    return f"{bare} ; {condition}"
