"""Which modules of a tree are packaged by where they lie: all those of a folder, or none of them.

Of such modules, that one is new or gone changes nothing of what a build reads, and what is installed follows
from its neighbours (``new_modules.py``). Build back-ends choose packages, and with a package every module in
its folder; where the packaging files may choose single modules, or leave some out, every path counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from typing import Any

from backdate.environments.setup_script_reads import ScriptReads, may_choose_modules
from backdate.environments.version_modules import table
from backdate.projects.ini import parse_ini
from backdate.projects.toml import parse_toml

SETUPTOOLS = frozenset({"setuptools.build_meta", "setuptools.build_meta:__legacy__"})
_IGNORE_FILES = frozenset({".gitignore", ".hgignore"})
_DATA_TABLES = ("package-data", "exclude-package-data")
_DATA_SECTIONS = ("options.package_data", "options.exclude_package_data")


def packages_whole_folders(texts: Mapping[str, str], paths: Set[str], reads: ScriptReads) -> bool:
    """Whether a build packages either every module of a folder that is a package, or none.

    ``texts``: of the packaging files, by name. ``reads``: what ``setup.py`` does.
    """
    pyproject = parse_toml(texts["pyproject.toml"])
    backend = _backend(pyproject)
    tool = table(pyproject, "tool")
    if backend in SETUPTOOLS:
        return not (
            reads.looks_around
            or reads.chooses_modules
            or _configures_modules(tool, texts["setup.cfg"])
            or _manifest_names_modules(texts["MANIFEST.in"])
        )
    if backend.startswith("flit"):
        return True
    if backend.startswith("poetry"):
        poetry = table(tool, "poetry")
        return "exclude" not in poetry and not any(map(may_choose_modules, _added_by_poetry(poetry)))
    own = "hatch" if backend == "hatchling.build" else "pdm"
    ignores = any(path.rpartition("/")[2] in _IGNORE_FILES for path in paths)
    return not ignores and not table(tool, own, "build")


def layout(texts: Mapping[str, str], paths: Set[str], reads: ScriptReads) -> frozenset[str]:
    """What back-ends look at to find packages by themselves: the tops of the tree and of ``src``.

    They fail where they find several, so a resolution depends on it. Nothing where packages are named.
    """
    tops: set[str] = set()
    pyproject = parse_toml(texts["pyproject.toml"])
    if _backend(pyproject) in SETUPTOOLS and (
        reads.names_packages
        or {"packages", "py-modules"} & set(table(pyproject, "tool", "setuptools"))
        or {"packages", "py_modules"} & set(parse_ini(texts["setup.cfg"]).get("options", {}))
    ):
        return frozenset()
    for path in paths:
        parts = path.split("/")
        depth = 2 if parts[0] == "src" and len(parts) > 1 else 1
        if len(parts) > depth:
            tops.add("/".join(parts[:depth]) + "/")
        if path.endswith(".py") and (len(parts) == depth or parts[depth:] == ["__init__.py"]):
            tops.add(path)
    return frozenset(tops)


def _added_by_poetry(poetry: Mapping[str, Any]) -> list[str]:
    """The patterns of ``packages`` and ``include``: texts, or tables with the text."""
    values = [poetry.get(name) for name in ("packages", "include")]
    entries = [entry for value in values if isinstance(value, list) for entry in value]
    return [
        str(entry.get("include", entry.get("path", ""))) if isinstance(entry, dict) else str(entry)
        for entry in entries
    ]


def _backend(pyproject: Mapping[str, Any]) -> str:
    return str(table(pyproject, "build-system").get("build-backend", "setuptools.build_meta:__legacy__"))


def _configures_modules(tool: Mapping[str, Any], setup_cfg: str) -> bool:
    setuptools, sections = table(tool, "setuptools"), parse_ini(setup_cfg)
    tables = [table(setuptools, name) for name in _DATA_TABLES]
    values = [value for each in tables for value in each.values()]
    patterns = [str(pattern) for value in values if isinstance(value, list) for pattern in value]
    for name in _DATA_SECTIONS:
        patterns += re.split(r"[\s,]+", " ".join(sections.get(name, {}).values()))
    modules = f"{setuptools.get('py-modules', '')} {sections.get('options', {}).get('py_modules', '')}"
    return "." in modules or any(map(may_choose_modules, patterns))


def _manifest_names_modules(manifest: str) -> bool:
    """Whether ``MANIFEST.in``, which says what data packages have, names single modules below the root."""
    for line in manifest.splitlines():
        command, *patterns = line.split() or [""]
        if command in ("include", "exclude"):  # of the root, where a folder is not named
            patterns = [pattern for pattern in patterns if "/" in pattern]
        if any(map(may_choose_modules, patterns)):
            return True
    return False
