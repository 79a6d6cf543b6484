"""Reading the files in ``tables/``: each when it is first asked for, once a process."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, TypeVar

import msgspec

from backdate.errors import StoredDataError
from backdate.knowledge import change_rows, schema
from backdate.knowledge.row import Row
from backdate.serial import from_builtins

if TYPE_CHECKING:
    from backdate.knowledge.service_rows import ServiceRow

File = TypeVar("File", bound=Row)


def tables() -> Traversable:
    """The folder of the files."""
    return files("backdate.knowledge") / "tables"


def read_table(file: Traversable, kind: type[File]) -> File:
    """What ``file`` holds. Raises StoredDataError, which names file and key, for what does not fit."""
    try:
        return from_builtins(kind, tomllib.loads(file.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise StoredDataError(
            f"knowledge/tables/{file.name} does not fit its schema ({error}); see docs/reference/knowledge.md"
        ) from error


@functools.cache
def modules() -> schema.ModulesFile:
    """Modules and the distributions that provide them."""
    return read_table(tables() / "modules.toml", schema.ModulesFile)


@functools.cache
def pytest_plugins() -> tuple[schema.PluginRow, ...]:
    """Plugins of pytest."""
    return read_table(tables() / "pytest_plugins.toml", schema.PluginsFile).plugin


@functools.cache
def system_packages() -> schema.SystemFile:
    """What builds miss of the system."""
    return read_table(tables() / "system_packages.toml", schema.SystemFile)


@functools.cache
def licences() -> schema.LicencesFile:
    """Licences, and how they are recognised."""
    return read_table(tables() / "licences.toml", schema.LicencesFile)


@functools.cache
def cutoffs() -> tuple[schema.CutoffRow, ...]:
    """Distributions whose cutoff is moved."""
    return read_table(tables() / "cutoff_overrides.toml", schema.CutoffsFile).cutoff


@functools.cache
def restated_metadata() -> tuple[schema.RestatedRow, ...]:
    """Releases whose metadata uv cannot read."""
    return read_table(tables() / "restated_metadata.toml", schema.RestatedFile).restated


@functools.cache
def library_versions() -> tuple[schema.LibraryVersionRow, ...]:
    """What versions in data sets of snippets are installed as."""
    return read_table(tables() / "library_versions.toml", schema.LibraryVersionsFile).library_version


@functools.cache
def conda() -> schema.CondaFile:
    """conda's packages."""
    return read_table(tables() / "conda.toml", schema.CondaFile)


@functools.cache
def tools() -> frozenset[str]:
    """Distributions that are around the tests and not of them."""
    return frozenset(read_table(tables() / "tools.toml", schema.ToolsFile).around_tests)


@functools.cache
def services() -> tuple[ServiceRow, ...]:
    """Databases, caches and brokers."""
    from backdate.knowledge.service_rows import ServicesFile  # read where a suite wants a service alone

    return read_table(tables() / "services.toml", ServicesFile).service


@functools.cache
def python_changes() -> tuple[change_rows.ChangeRow, ...]:
    """What releases of Python dropped and added."""
    return change_file("python").change


@functools.cache
def changes_of(distribution: str) -> tuple[change_rows.ChangesFile, ...]:
    """The written and the mined changes of a distribution (its name normalised, PEP 503); none for others."""
    written = (change_file(distribution),) if distribution in distributions_with_changes() else ()
    mined = tables() / "mined" / f"{distribution}.toml"
    return (*written, read_table(mined, change_rows.ChangesFile)) if mined.is_file() else written


def distributions_with_rules() -> tuple[str, ...]:
    """Normalised names of the distributions that ``changes_of`` knows."""
    folders = [tables() / "changes", tables() / "mined"]
    files = [file.name for folder in folders if folder.is_dir() for file in folder.iterdir()]
    return tuple(sorted({name.removesuffix(".toml") for name in files if name.endswith(".toml")}))


@functools.cache
def distributions_with_changes() -> tuple[str, ...]:
    """Normalised names of the distributions that have written changes."""
    names = sorted(file.name for file in (tables() / "changes").iterdir())
    return tuple(name.removesuffix(".toml") for name in names if name.endswith(".toml"))


@functools.cache
def change_file(distribution: str) -> change_rows.ChangesFile:
    """The written changes of one of them."""
    return read_table(tables() / "changes" / f"{distribution}.toml", change_rows.ChangesFile)


@functools.cache
def left_out_of_mining() -> dict[tuple[str, str], str]:
    """What is never taken of what was mined, by distribution and name, each with the reason."""
    rows = read_table(tables() / "mined_left_out.toml", change_rows.LeftOutFile).left_out
    return {(row.distribution, name): row.why for row in rows for name in row.names}


def change_files() -> Iterator[change_rows.ChangesFile]:
    """All written changes, as ``change_file``."""
    return map(change_file, distributions_with_changes())
