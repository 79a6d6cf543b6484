"""What a build says of what it made, as far as a resolution reads it: foreign code wrote it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name, is_normalized_name
from packaging.version import Version

from backdate.environments.restated_metadata import dependency_metadata
from backdate.errors import ConfigurationError
from backdate.projects.hostile import Folder
from backdate.text import UNREADABLE

MOST_BYTES = 1024 * 1024
_MOST_REQUIREMENTS = 2000
_READ = frozenset({"name", "version", "requires-dist", "requires-python", "provides-extra", ""})


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedMetadata:
    """The metadata of one version of a distribution that decide what it is installed with."""

    name: str
    """Normalised (PEP 503)."""
    version: str
    requires: tuple[str, ...] = ()
    requires_python: str = ""
    extras: tuple[str, ...] = ()


def metadata_settings(stated: Iterable[StatedMetadata]) -> str:
    """uv's configuration that tells it these metadata, each of that version alone."""
    return "\n".join(
        dependency_metadata(
            one.name, one.version, one.requires, requires_python=one.requires_python, extras=one.extras
        )
        for one in stated
    )


def read_stated(text: bytes) -> StatedMetadata | None:
    """What ``METADATA`` says.

    None where that is not sound, or names addresses: nobody but a build may fetch those.
    """
    from backdate.index.core_metadata import read_core_metadata  # with a parser of mail; few have an sdist

    read = read_core_metadata(text)
    if read is None:
        return None
    raw, unknown = read
    if unknown.keys() & _READ:
        return None  # said twice, or not to be read
    try:
        name, version = canonicalize_name(raw["name"], validate=True), str(Version(raw["version"]))
        requires = tuple(Requirement(line) for line in raw.get("requires_dist", ()))
        python = str(SpecifierSet(raw.get("requires_python", "")))
    except (KeyError, *UNREADABLE):
        return None
    extras = tuple(canonicalize_name(one) for one in raw.get("provides_extra", ()))
    if len(requires) > _MOST_REQUIREMENTS or any(one.url is not None for one in requires):
        return None
    if not all(map(is_normalized_name, extras)):
        return None
    return StatedMetadata(
        name=name,
        version=version,
        requires=tuple(map(str, requires)),
        requires_python=python,
        extras=extras,
    )


def installed_metadata(root: Path, python: str, name: str) -> StatedMetadata | None:
    """What the distribution called ``name`` says that is installed at ``root``, for the version ``python``.

    None where that cannot be told.
    """
    wanted = canonicalize_name(name)
    parts = ("lib", f"python{'.'.join(python.split('.')[:2])}", "site-packages")
    try:
        with Folder.at(root) as folder, folder.below(parts) as installed:
            found = [
                one
                for one in installed.names()
                if one.endswith(".dist-info") and canonicalize_name(one.partition("-")[0]) == wanted
            ]
            if len(found) != 1:
                return None
            with installed.folder(found[0]) as information:
                text = information.read("METADATA", limit=MOST_BYTES)
    except ConfigurationError:
        return None
    stated = None if text is None else read_stated(text)
    return stated if stated is not None and stated.name == wanted else None
