"""What a project's own metadata declares for testing: extras, groups, test requirements.

Everything is read statically; a setup.py is parsed, never run. A file that is not in its format
declares nothing, and is named in ``Declared.unread``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backdate.errors import ConfigurationError
from backdate.projects.ini import parse_ini
from backdate.projects.read import read_text
from backdate.projects.setup_script import setup_arguments
from backdate.projects.toml import parse_toml
from backdate.recipes.poetry import poetry_requirements

_VERSION_VARIABLES = (
    ("hatch-vcs", "SETUPTOOLS_SCM_PRETEND_VERSION"),  # it does not say whose version it asks for
    ("poetry-dynamic-versioning", "POETRY_DYNAMIC_VERSIONING_BYPASS"),
    ("pdm-backend", "PDM_BUILD_SCM_VERSION"),
    ("pdm-pep517", "PDM_PEP517_SCM_VERSION"),
)
"""What tools of builds read in place of version control."""
_MOST_ENTRIES = 50_000
"""Of all dependency groups of a project together, every inclusion counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What the metadata of one project says."""

    name: str | None = None
    """The distribution's name, where it is written."""
    installable: str | None = None
    """The file that makes the project installable (pyproject.toml, setup.py, setup.cfg), or None."""
    extras: tuple[tuple[str, str], ...] = ()
    """(extra, file that declares it)."""
    groups: tuple[tuple[str, tuple[str, ...], str], ...] = ()
    """(group, its requirements, where it is declared): dependency groups and their older forms."""
    tests_require: tuple[str, ...] = ()
    """The requirements of setuptools' ``tests_require``."""
    test_suite: str | None = None
    """What setuptools' ``test_suite`` names: a module, or a function in one."""
    runtime: tuple[str, ...] = ()
    """Requirements of a project that is not installable (a Pipfile)."""
    unread: tuple[tuple[str, str], ...] = ()
    """(file, why it could not be read)."""


def read_declared(root: Path) -> Declared:
    """What the project at ``root`` declares."""
    unread: list[tuple[str, str]] = []
    pyproject = _toml(root, "pyproject.toml", unread)
    setup_cfg = _ini(root, "setup.cfg", unread)
    setup_py = _setup_arguments(root, unread)
    extras: dict[str, str] = {}
    for name in _table(pyproject, "project", "optional-dependencies"):
        extras.setdefault(name, "pyproject.toml")
    for name in _table(pyproject, "tool", "poetry", "extras"):
        extras.setdefault(name, "pyproject.toml")
    for name in _table(pyproject, "tool", "flit", "metadata", "requires-extra"):
        extras.setdefault(name, "pyproject.toml")
    for name in setup_cfg.get("options.extras_require", {}):
        extras.setdefault(name, "setup.cfg")
    for name in _table(setup_py, "extras_require"):
        extras.setdefault(name, "setup.py")
    tests_require = setup_cfg.get("options", {}).get("tests_require", "").split("\n")
    tests_require += _lines(setup_py.get("tests_require"))
    suites = (setup_cfg.get("options", {}).get("test_suite"), setup_py.get("test_suite"))
    pipfile = _toml(root, "Pipfile", unread)
    names = (
        _table(pyproject, "project").get("name"),
        _table(pyproject, "tool", "poetry").get("name"),
        setup_cfg.get("metadata", {}).get("name"),
        setup_py.get("name"),
    )
    return Declared(
        name=next((name for name in names if isinstance(name, str) and name), None),
        installable=_installable(root, pyproject, setup_cfg),
        extras=tuple(extras.items()),
        groups=(*_groups(pyproject, unread), *_pipfile_groups(pipfile)),
        tests_require=tuple(line.strip() for line in tests_require if line.strip()),
        test_suite=next((suite for suite in suites if isinstance(suite, str) and suite), None),
        runtime=poetry_requirements(_pipfile_table(pipfile, "packages"))[0],
        unread=tuple(unread),  # the last, as those above fill it
    )


def version_variables(root: Path, version: str | None) -> dict[str, str]:
    """The environment variables that tell the project's build back-end its ``version``; none for None.

    They are for the project alone: its dependencies that are built beside it have versions of their own.
    """
    if version is None:
        return {}
    declared = read_declared(root)
    variables = {}
    if declared.name is not None:
        name = re.sub(r"[-_.]+", "_", declared.name).upper()
        variables[f"SETUPTOOLS_SCM_PRETEND_VERSION_FOR_{name}"] = version
    requires = _table(_toml(root, "pyproject.toml", []), "build-system").get("requires")
    from backdate.index.names import requirement_name  # a check may not need it

    tools = {requirement_name(line) for line in _written(requires)}
    for tool, variable in _VERSION_VARIABLES:
        if tool in tools:
            variables[variable] = version
    if "pbr" in _setup_arguments(root, []):  # reported by read_declared above
        variables["PBR_VERSION"] = version
    return variables


def _installable(root: Path, pyproject: Mapping[str, Any], setup_cfg: Mapping[str, Any]) -> str | None:
    if (
        "project" in pyproject
        or _table(pyproject, "tool", "poetry")
        or _table(pyproject, "tool", "flit", "metadata")
    ):
        return "pyproject.toml"
    if (root / "setup.py").is_file():
        return "setup.py"
    if setup_cfg.get("metadata", {}).get("name"):
        return "setup.cfg"
    return None


def _groups(
    pyproject: Mapping[str, Any], unread: list[tuple[str, str]]
) -> list[tuple[str, tuple[str, ...], str]]:
    groups = _table(pyproject, "dependency-groups")
    table, left, read = "pyproject.toml [dependency-groups]", _MOST_ENTRIES, []
    for name in groups:
        requirements, spent = _expand_group(groups, name, left)
        left -= spent
        if left <= 0:
            unread.append(("pyproject.toml", "its dependency groups include each other too often"))
            break
        read.append((name, requirements, table))
    poetry = _table(pyproject, "tool", "poetry")
    old = _table(poetry, "dev-dependencies")
    if old:
        read.append(("dev", poetry_requirements(old)[0], "pyproject.toml [tool.poetry.dev-dependencies]"))
    for name, group in _table(poetry, "group").items():
        if isinstance(group, Mapping):
            requirements = poetry_requirements(_table(group, "dependencies"))[0]
            read.append((name, requirements, f"pyproject.toml [tool.poetry.group.{name}]"))
    for name, entries in _table(pyproject, "tool", "pdm", "dev-dependencies").items():
        read.append((name, _written(entries), "pyproject.toml [tool.pdm.dev-dependencies]"))
    uv = _table(pyproject, "tool", "uv").get("dev-dependencies")
    if uv:
        read.append(("dev", _written(uv), "pyproject.toml [tool.uv]"))
    for name, settings in _table(pyproject, "tool", "hatch", "envs").items():
        if isinstance(settings, Mapping):
            requirements = (
                *_written(settings.get("dependencies")),
                *_written(settings.get("extra-dependencies")),
            )
            read.append((name, requirements, f"pyproject.toml [tool.hatch.envs.{name}]"))
    return read


def _expand_group(groups: Mapping[str, Any], name: str, most: int) -> tuple[tuple[str, ...], int]:
    """The requirements of a PEP 735 group, ``include-group`` entries expanded; and how many entries it took.

    Groups may include each other in ways that double at every step, so each is read once; and in thousands of
    steps, so it ends after ``most`` entries.
    """
    requirements: list[str] = []
    spent = 0
    seen = {name}
    waiting = [iter(_entries(groups, name))]
    while waiting and spent < most:
        spent += 1
        entry = next(waiting[-1], None)
        if entry is None:
            waiting.pop()
        elif isinstance(entry, str):
            requirements.append(entry)
        elif isinstance(entry, Mapping) and isinstance(entry.get("include-group"), str):
            included = entry["include-group"]
            if included not in seen:
                seen.add(included)
                waiting.append(iter(_entries(groups, included)))
    return tuple(requirements), spent


def _entries(groups: Mapping[str, Any], name: str) -> list[Any]:
    entries = groups.get(name)
    return entries if isinstance(entries, list) else []


def _pipfile_table(pipfile: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    return {
        name: "*" if requirement in ("", {}) else requirement
        for name, requirement in _table(pipfile, name).items()
        if not (isinstance(requirement, Mapping) and ("path" in requirement or "file" in requirement))
    }


def _pipfile_groups(pipfile: Mapping[str, Any]) -> list[tuple[str, tuple[str, ...], str]]:
    requirements = poetry_requirements(_pipfile_table(pipfile, "dev-packages"))[0]
    return [("dev", requirements, "Pipfile [dev-packages]")] if requirements else []


def _written(value: object) -> tuple[str, ...]:
    return tuple(entry for entry in value if isinstance(entry, str)) if isinstance(value, list) else ()


def _table(table: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    for part in path:
        inner = table.get(part)
        if not isinstance(inner, Mapping):
            return {}
        table = inner
    return table


def _toml(root: Path, name: str, unread: list[tuple[str, str]]) -> Mapping[str, Any]:
    text = read_text(root, name)
    if text is None:
        return {}
    try:
        return parse_toml(text)
    except ConfigurationError as error:
        unread.append((name, str(error)))
        return {}


def _ini(root: Path, name: str, unread: list[tuple[str, str]]) -> Mapping[str, Mapping[str, str]]:
    text = read_text(root, name)
    if text is None:
        return {}
    try:
        return parse_ini(text)
    except ConfigurationError as error:
        unread.append((name, str(error)))
        return {}


def _setup_arguments(root: Path, unread: list[tuple[str, str]]) -> Mapping[str, Any]:
    text = read_text(root, "setup.py")
    if text is None:
        return {}
    arguments = setup_arguments(text)
    if arguments is None:
        unread.append(("setup.py", "not Python 3 that can be parsed"))
        return {}
    return {name: argument.value for name, argument in arguments.items()}


def _lines(value: object) -> list[str]:
    """Requirements that setuptools takes as a list or as one text with a line each."""
    if isinstance(value, str):
        return value.splitlines()
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list) else []
