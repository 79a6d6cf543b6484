"""What the distributions of an environment say that they require: read from metadata, nothing is run."""

from __future__ import annotations

from dataclasses import dataclass

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from backdate.diagnosis.distributions import read_bounded, site_packages
from backdate.environments.environment import Environment
from backdate.text import UNREADABLE

_LARGEST_METADATA = 1024 * 1024
_MOST_REQUIREMENTS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledRequirements:
    """One distribution of an environment."""

    version: str
    requires: tuple[str, ...]
    """As its metadata say (PEP 508), those of extras with their markers."""


def installed_requirements(environment: Environment) -> dict[str, InstalledRequirements]:
    """What every distribution in ``environment`` requires, by normalised name."""
    found: dict[str, InstalledRequirements] = {}
    for folder in site_packages(*environment.roots):
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


def who_requires_more(
    installed: dict[str, InstalledRequirements], distribution: str, version: str
) -> tuple[str, str] | None:
    """The distribution ("flask 2.3.0") that does not go with ``version`` of another, and what it requires.

    Requirements of extras count only where nothing else explains it. None where none excludes that version.
    """
    of_extras: tuple[str, str] | None = None
    for name, one in installed.items():
        for line in one.requires:
            try:
                requirement = Requirement(line)
                applies = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            except UNREADABLE:
                continue
            if canonicalize_name(requirement.name) != distribution or name == distribution:
                continue
            if requirement.specifier.contains(version, prereleases=True):
                continue
            said = (f"{name} {one.version}", f"{requirement.name}{requirement.specifier}")
            if applies:
                return said
            of_extras = of_extras or said
    return of_extras
