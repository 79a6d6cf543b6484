"""Requirements that a distribution dropped, and whose modules the project imports without requiring them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from backdate.advice import MissingRequirement, SourcePlace
from backdate.advising.project_uses import ProjectUses
from backdate.diagnosis.distributions import Distributions, site_packages
from backdate.diagnosis.installed_requirements import installed_requirements
from backdate.environments.environment import Environment
from backdate.knowledge.changes import PYTHON
from backdate.knowledge.modules import in_standard_library
from backdate.text import UNREADABLE

_BUILD_FILES = frozenset({"setup.py", "noxfile.py", "fabfile.py"})
"""What they import is there when the project is built or started, not where it is used."""
_SEEDED = {"setuptools": "setuptools", "pkg_resources": "setuptools<82"}
"""Modules that virtual environments of Python before 3.12 have by themselves ("What's New in Python 3.12"),
each with what to require instead: setuptools 82 has no pkg_resources."""
_NOT_SEEDED_SINCE = Version("3.12")


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedRequirements:
    """What the metadata of one installed distribution say."""

    version: str
    requires: frozenset[str]
    """Normalised names, those of extras left out."""
    specifiers: Mapping[str, str] = field(default_factory=dict)
    """By the same names which releases, ">=2.10,<2.11"."""


def dropped_requirements(
    old: Environment, new: Environment, uses: ProjectUses, gone: Collection[str] = ()
) -> tuple[MissingRequirement, ...]:
    """What the project imports, the old environment has because another distribution required it, and the new
    one lacks because that does not require it any more. Read from metadata; nothing is run.

    ``gone``: dotted names that the new environment lacks. A module of which it lacks one is not the same one
    there, as pytest's own ``py``, which has no ``py.xml``.
    """
    before, after = (Distributions(site_packages(*one.roots)) for one in (old, new))
    required_before, required_after = (stated_requirements(one.folders) for one in (before, after))
    missing: list[MissingRequirement] = []
    for module, places in _imported(uses).items():
        distribution = None if in_standard_library(module) else before.of_module(module)
        lacks = any(name.startswith(f"{module}.") for name in gone)
        is_there = after.has_top_level(module) and not lacks
        if distribution is None or distribution.key in after.all or is_there:
            continue
        found = _dropped_by(distribution.key, required_before, required_after)
        if found is None:
            missing += _not_seeded(module, places, old, new)
            continue
        missing.append(
            MissingRequirement(
                requirement=distribution.key,
                module=module,
                places=places,
                brought_by=found,
                version=required_after[found].version,
                required_before=required_before[found].version,
            )
        )
    return tuple(missing)


def _dropped_by(
    wanted: str, before: Mapping[str, StatedRequirements], after: Mapping[str, StatedRequirements]
) -> str | None:
    """The distribution that required ``wanted`` and is still there without it."""
    return next(
        (
            name
            for name, stated in before.items()
            if wanted in stated.requires and name in after and wanted not in after[name].requires
        ),
        None,
    )


def _not_seeded(
    module: str, places: tuple[SourcePlace, ...], old: Environment, new: Environment
) -> list[MissingRequirement]:
    """What the old interpreter's environments had by themselves, and those of the new one lack."""
    before, after = (one.choice.interpreter.version for one in (old, new))
    if module not in _SEEDED or not Version(before) < _NOT_SEEDED_SINCE <= Version(after):
        return []
    return [
        MissingRequirement(
            requirement=_SEEDED[module],
            module=module,
            places=places,
            brought_by=PYTHON,
            version=after,
            required_before=before,
        )
    ]


def stated_requirements(folders: tuple[Path, ...]) -> dict[str, StatedRequirements]:
    """What every distribution in ``folders`` requires, by normalised name."""
    return {
        name: StatedRequirements(version=one.version, requires=frozenset(specifiers), specifiers=specifiers)
        for name, one in installed_requirements(folders).items()
        for specifiers in [dict(_specifiers(one.requires))]
    }


def _specifiers(requires: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Name and specifier of each requirement that is not of an extra."""
    for line in requires:
        try:
            requirement = Requirement(line)
        except UNREADABLE:
            continue
        if requirement.marker is None or "extra" not in str(requirement.marker):
            yield str(canonicalize_name(requirement.name)), str(requirement.specifier)


def _imported(uses: ProjectUses) -> dict[str, tuple[SourcePlace, ...]]:
    """The top-level modules that the project names, each with where."""
    imported: dict[str, dict[SourcePlace, None]] = {}
    for name, one in uses.names.items():
        places = [place for place in one.places if place.file.rpartition("/")[2] not in _BUILD_FILES]
        if not one.of_object and places:
            imported.setdefault(name.partition(".")[0], {}).update(dict.fromkeys(places))
    return {
        module: tuple(sorted(places, key=lambda place: (place.file, place.line)))
        for module, places in imported.items()
    }
