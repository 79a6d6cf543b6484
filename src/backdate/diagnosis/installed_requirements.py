"""What the distributions of an environment say that they require: read from metadata, nothing is run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name

from backdate.diagnosis.distributions import read_bounded

_LARGEST_METADATA = 1024 * 1024
_MOST_REQUIREMENTS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledRequirements:
    """One distribution of an environment."""

    version: str
    requires: tuple[str, ...]
    """As its metadata say (PEP 508), those of extras with their markers."""


def installed_requirements(folders: Iterable[Path]) -> dict[str, InstalledRequirements]:
    """What every distribution in ``folders`` (``site-packages``) requires, by normalised name."""
    found: dict[str, InstalledRequirements] = {}
    for folder in folders:
        for entry in sorted(folder.glob("*.dist-info")):
            name, one = _read(read_bounded(entry / "METADATA", _LARGEST_METADATA) or "")
            if name:
                found.setdefault(name, one)
    return found


def _read(metadata: str) -> tuple[str, InstalledRequirements]:
    name, version = "", ""
    requires: list[str] = []
    for line in metadata.splitlines():
        if not line.strip():
            break  # the description follows
        key, _, value = line.partition(":")
        if key.casefold() == "name":
            name = name or str(canonicalize_name(value.strip()))
        elif key.casefold() == "version":
            version = version or value.strip()
        elif key.casefold() == "requires-dist" and len(requires) < _MOST_REQUIREMENTS:
            requires.append(value.strip())
    return name, InstalledRequirements(version=version, requires=tuple(requires))
