"""What of a tree the build of its package reads, where that can be told: the key of the build.

The files whose *content* no build step reads are the free ones: modules, and texts that nothing names. They
are copied into the environment or left out of it, which their paths decide. So two trees that differ in free
files alone resolve to the same lock and are built into the same package, but for the copies. Where packages
are whole folders (``packaged_modules.py``) the paths of modules do not count either.

A resolution reads less than a build: neither which packages there are, nor the data in them.

That holds for metadata that are written out, or of which it is known how they are read: then the value is
part of the key, or the file is not free. For a version from git, a build that runs code of the project or
compiles, and a build back-end that is not known here the whole tree is the key.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from backdate.environments.packaged_modules import SETUPTOOLS, layout, packages_whole_folders
from backdate.environments.setup_script_reads import ScriptReads, are_plain_build_tools, read_by_script
from backdate.environments.version_modules import (
    ModuleValue,
    Read,
    RunsModules,
    attribute_values,
    file_of_version,
    flit_values,
    table,
)
from backdate.errors import ConfigurationError
from backdate.projects.ini import parse_ini
from backdate.projects.read import read_text
from backdate.projects.toml import parse_toml
from backdate.projects.tree import walk_tree
from backdate.serial import digest

_TEXTS = (".rst", ".md")
_DATA = frozenset(
    f".{ending}"
    for ending in (
        *("json", "yaml", "yml", "csv", "tsv", "xml", "html", "css", "js", "sql", "po", "mo", "pyi", "typed"),
        *("png", "jpg", "jpeg", "gif", "svg", "ico", "pdf", "gz", "zip", "tar", "bin", "dat", "npy", "pkl"),
        *("j2", "jinja", "jinja2", "tpl", "tmpl", "ipynb", "rst", "md", "snap", "golden", "out"),
    )
)
"""Endings of files that hold no requirements, and of which metadata are not made unless a name says so."""
_ALWAYS_READ = re.compile(r"readme|licen[cs]e|copying|notice|authors", re.IGNORECASE)
"""Files that back-ends read without being told to."""
_PACKAGING_FILES = ("pyproject.toml", "setup.cfg", "MANIFEST.in", "setup.py")
_STATIC_BACKENDS = frozenset(
    {
        "flit_core.buildapi",
        "flit.buildapi",
        "poetry.core.masonry.api",
        "poetry.masonry.api",
        "hatchling.build",
        "pdm.backend",
        "pdm.pep517.api",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PackagingInputs:
    """What of one tree the build of its package reads."""

    digest: str
    """SHA-256 over the path of every file but ``modules``, their folders, the content of files that are not
    free, and the values that are read of free ones."""
    metadata_digest: str
    """SHA-256 over what a resolution reads of it."""
    modules: frozenset[str]
    """The free modules that are packaged by their folder alone; those called ``__init__.py`` count in
    ``digest`` all the same."""
    packages: frozenset[str]
    """The folders with an ``__init__.py``."""
    free: frozenset[str]
    """Paths of the files whose content no build step reads, but for a version in it."""


def read_packaging_inputs(
    tree: Path, *, named: Sequence[str] = (), parses_attributes: bool = True
) -> PackagingInputs | None:
    """What the build of the package at ``tree`` reads; None when it may read anything.

    ``named``: paths of files that are read beside the build (requirement files). They are never free.
    ``parses_attributes``: whether setuptools parses the module that an ``attr:`` names (46.4 of May 2020 and
    newer), and does not always import it.
    """
    files = [(path.relative_to(tree).as_posix(), path, status) for path, status in walk_tree(tree)]
    paths = {name for name, _, _ in files}
    try:
        texts = {name: read_text(tree, name) or "" for name in _PACKAGING_FILES}
        values, searched = _version_sources(
            texts, paths, lambda path: read_text(tree, path), parses_attributes
        )
        reads = _script_reads(texts["setup.py"], paths, tree)
        if reads is None:
            return None
        by_folder = packages_whole_folders(texts, paths, reads)
        tops = layout(texts, paths, reads)
    except (ConfigurationError, RunsModules):
        return None
    build = hashlib.sha256(digest(sorted(values)).encode())
    metadata = hashlib.sha256(digest(sorted(values), sorted(tops)).encode())
    free: set[str] = set()
    modules: set[str] = set()
    for name, path, status in files:
        kind = "link" if stat.S_ISLNK(status.st_mode) else "file"
        executable = bool(status.st_mode & stat.S_IXUSR)
        read = kind == "link" or name in (*named, *searched) or not _is_free(name, texts, reads)
        if read:
            content = digest(kind, name, executable, _content(path, kind)).encode()
            build.update(content)
            if kind == "link" or name in named or reads.looks_around or _may_be_metadata(name, texts):
                metadata.update(content)
            continue
        free.add(name)
        if reads.looks_around:
            metadata.update(digest("free", name).encode())
        if by_folder and name.endswith(".py") and not executable:
            modules.add(name)
        if name not in modules or name.rpartition("/")[2] == "__init__.py":
            build.update(digest("free", name, executable).encode())
    build.update(digest("folders", sorted({name.rpartition("/")[0] for name in modules})).encode())
    return PackagingInputs(
        digest=build.hexdigest(),
        metadata_digest=metadata.hexdigest(),
        free=frozenset(free),
        modules=frozenset(modules),
        packages=frozenset(name.rpartition("/")[0] for name in paths if name.endswith("/__init__.py")),
    )


def _content(path: Path, kind: str) -> str:
    if kind == "link":
        return os.fsencode(path.readlink()).hex()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_free(name: str, texts: Mapping[str, str], reads: ScriptReads) -> bool:
    path = PurePosixPath(name)
    if name in _PACKAGING_FILES:
        return False
    if path.suffix == ".py":
        return not reads.may_read(path.name)
    return path.suffix in _TEXTS and not _is_named(path, texts)


def _may_be_metadata(name: str, texts: Mapping[str, str]) -> bool:
    """Whether metadata may be read of a file that is not free, and not only data of a package."""
    path = PurePosixPath(name)
    return path.suffix not in _DATA or _is_named(path, texts)


def _is_named(path: PurePosixPath, texts: Mapping[str, str]) -> bool:
    """Whether back-ends read a file by its name, or a packaging file may name it."""
    word = re.compile(rf"(?<!\w){re.escape(path.stem)}(?!\w)", re.IGNORECASE)
    return bool(_ALWAYS_READ.match(path.name)) or any(map(word.search, texts.values()))


def _script_reads(source: str, paths: set[str], tree: Path) -> ScriptReads | None:
    """What ``setup.py`` could read, and the modules that it runs by their text."""
    importable = {
        part.removesuffix(".py") for path in paths for part in path.split("/") if path != "setup.py"
    }
    reads = read_by_script(source, importable)
    if reads is None or not reads.runs_text:
        return reads
    for path in paths:
        if path.endswith(".py") and path != "setup.py" and reads.may_read(path.rpartition("/")[2]):
            inner = read_by_script(read_text(tree, path) or "", importable)
            if inner is None or inner.runs_text or inner.modules or inner.puts_names_together:
                return None
    return reads


def _version_sources(
    texts: Mapping[str, str], paths: set[str], read: Read, parses_attributes: bool
) -> tuple[frozenset[ModuleValue], frozenset[str]]:
    """The values that are read of modules, and the files that are searched for a version with a pattern.

    Raises RunsModules unless the packaging files write all else out.
    """
    pyproject = parse_toml(texts["pyproject.toml"])
    system, project, tool = (table(pyproject, name) for name in ("build-system", "project", "tool"))
    requirements = system.get("requires", [])
    if "backend-path" in system or not isinstance(requirements, list):
        raise RunsModules("the build back-end")
    if not are_plain_build_tools(requirements):
        raise RunsModules("what the build requires")
    backend = system.get("build-backend", "setuptools.build_meta:__legacy__")
    if backend in SETUPTOOLS:
        references = _attributes(pyproject, texts["setup.cfg"])
        if references and not parses_attributes:
            raise RunsModules(references[0])
        values = frozenset(value for one in references for value in attribute_values(one, paths, read))
        return values, frozenset()
    if backend not in _STATIC_BACKENDS or table(tool, "flit", "metadata"):
        raise RunsModules(str(backend))
    _require_no_hooks(tool)
    if not project.get("dynamic"):
        return frozenset(), frozenset()
    if backend == "flit_core.buildapi":
        return frozenset(flit_values(pyproject, paths, read)), frozenset()
    settings = table(tool, "hatch", "version") or table(tool, "pdm", "version")
    return frozenset(), frozenset({file_of_version(settings, project["dynamic"])})


def _attributes(pyproject: Mapping[str, Any], setup_cfg: str) -> list[str]:
    """What setuptools' ``attr`` names. Raises RunsModules where it is told to run or compile something."""
    setuptools = table(pyproject, "tool", "setuptools")
    sections = parse_ini(setup_cfg)
    metadata, options = sections.get("metadata", {}), sections.get("options", {})
    needed = [line for line in re.split(r"[\n;]", options.get("setup_requires", "")) if line.strip()]
    if {"cmdclass", "ext-modules", "cffi-modules"} & set(setuptools) or options.get("cmdclass"):
        raise RunsModules("cmdclass")
    if not are_plain_build_tools(needed):
        raise RunsModules("setup_requires")
    dynamic = [value for value in table(setuptools, "dynamic").values() if isinstance(value, Mapping)]
    written = [value.strip() for value in (*metadata.values(), *options.values())]
    return [
        *(str(value["attr"]) for value in dynamic if "attr" in value),
        *(value.removeprefix("attr:") for value in written if value.startswith("attr:")),
    ]


def _require_no_hooks(tool: Mapping[str, Any]) -> None:
    """Raise RunsModules where a back-end is told to run code of the project."""
    hatch, pdm = table(tool, "hatch"), table(tool, "pdm").get("build")
    targets = [value for value in table(hatch, "build", "targets").values() if isinstance(value, Mapping)]
    if any("hooks" in one for one in (table(hatch, "build"), table(hatch, "metadata"), *targets)):
        raise RunsModules("hooks")
    if "build" in table(tool, "poetry"):
        raise RunsModules("a build script")
    if isinstance(pdm, str) or {"custom-hook", "run-setuptools", "setup-script"} & set(pdm or ()):
        raise RunsModules("a build script")
