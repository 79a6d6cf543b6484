"""The lower bounds that a project declares: read from its metadata, compared with what the index has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from packaging.markers import UndefinedEnvironmentName, default_environment
from packaging.requirements import Requirement
from packaging.specifiers import Specifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from backdate.errors import ConfigurationError
from backdate.index.page import IndexFile
from backdate.projects.read import read_text
from backdate.text import UNREADABLE
from backdate.timeline.instants import Instant

_LOWER = frozenset({">=", ">", "~=", "==", "==="})
_METADATA = ("pyproject.toml", "setup.cfg", "setup.py")
_FOR_DEVELOPERS = re.compile(
    r"(?:tests?|testing|dev|develop|development|lint|docs?|typing|types|ci|qa)\Z", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounded:
    """A requirement of the project that applies here."""

    name: str
    """Normalised."""
    requirement: Requirement
    text: str
    """As it is declared."""

    @property
    def specifier(self) -> SpecifierSet:
        """Which versions it allows."""
        return self.requirement.specifier


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequirements:
    """What a project declares, sorted by what a lower bound means."""

    bounded: tuple[Bounded, ...]
    unbounded: tuple[str, ...]
    """Those without a lower bound, and those by address, as they are declared."""
    elsewhere: tuple[str, ...]
    """Those for other interpreters or platforms."""


def sort_requirements(declared: Iterable[str], python: str) -> ReadRequirements:
    """The requirements ``declared`` as the interpreter ``python`` ("3.8.18") of this machine sees them.

    Several of one distribution are one, which all of them bind. What cannot be read is left out.
    """
    environment: dict[str, str] = {
        **cast("dict[str, str]", default_environment()),
        "python_version": ".".join(python.split(".")[:2]),
        "python_full_version": python,
        "implementation_version": python,
        "extra": "",
    }
    bounded: dict[str, Bounded] = {}
    unbounded, elsewhere = [], []
    for text in declared:
        try:
            requirement = Requirement(text)
            applies = requirement.marker is None or requirement.marker.evaluate(environment)
        except (*UNREADABLE, UndefinedEnvironmentName):
            continue
        name = str(canonicalize_name(requirement.name))
        if not applies:
            elsewhere.append(text)
        elif requirement.url is not None or not has_lower_bound(requirement.specifier):
            unbounded.append(text)
        elif name in bounded:
            first = bounded[name]
            both = Requirement(str(first.requirement))
            both.specifier = first.specifier & requirement.specifier
            bounded[name] = replace(first, requirement=both)
        else:
            bounded[name] = Bounded(name=name, requirement=requirement, text=text)
    return ReadRequirements(
        bounded=tuple(bounded.values()), unbounded=tuple(unbounded), elsewhere=tuple(elsewhere)
    )


def has_lower_bound(specifier: SpecifierSet) -> bool:
    """Whether ``specifier`` says how old a version may be."""
    return any(one.operator in _LOWER for one in specifier)


def extras_of_users(extras: Iterable[str]) -> tuple[str, ...]:
    """Those of ``extras`` that are for users, not for a project's developers, by their names."""
    return tuple(extra for extra in extras if not _FOR_DEVELOPERS.match(extra))


def with_lower_bound(requirement: Requirement, version: str) -> str:
    """``requirement`` with ``version`` as its lower bound, in one way for all operators; caps stay."""
    kept = [one for one in requirement.specifier if one.operator not in _LOWER]
    kept += [cap for one in requirement.specifier for cap in _cap_of(one, version)]
    raised = Requirement(str(requirement))
    rest = ",".join(sorted({str(one) for one in kept}))
    raised.specifier = SpecifierSet()
    name, _, marker = str(raised).partition(";")
    text = f"{name.strip()}>={version}{f',{rest}' if rest else ''}"
    return f"{text}; {marker.strip()}" if marker else text


def _cap_of(one: Specifier, version: str) -> tuple[Specifier, ...]:
    """The upper bound that is in a compatible-release clause, where the version is still within it."""
    if one.operator != "~=" or not one.contains(version, prereleases=True):
        return ()
    return (Specifier(f"=={'.'.join(one.version.split('.')[:-1])}.*"),)


def releases(files: Sequence[IndexFile], specifier: SpecifierSet, instant: Instant) -> tuple[str, ...]:
    """The versions, ascending, that were there at ``instant`` and that ``specifier`` allows; none yanked."""
    versions = set()
    for file in files:
        if file.version is not None and file.upload_time < instant and not file.yanked:
            with suppress(*UNREADABLE):
                versions.add(Version(file.version))
    early = bool(specifier.prereleases)
    return tuple(
        str(version)
        for version in sorted(versions)
        if (early or not version.is_prerelease) and specifier.contains(version, prereleases=early)
    )


def is_for_python(files: Sequence[IndexFile], version: str, python: str) -> bool:
    """Whether a file of ``version`` says that it is for ``python`` ("3.8.18"), or does not say."""
    wanted = Version(version)
    for file in files:
        with suppress(*UNREADABLE):
            if file.version is not None and Version(file.version) == wanted:
                stated = SpecifierSet(file.requires_python or "")
                if stated.contains(python, prereleases=True):
                    return True
    return False


def between(versions: Sequence[str], low: str, high: str) -> tuple[str, ...]:
    """Those of ``versions`` above ``low``, up to ``high``."""
    first, last = Version(low), Version(high)
    return tuple(version for version in versions if first < Version(version) <= last)


def declared_at(root: Path, bounded: Bounded, files: Sequence[str] = ()) -> tuple[str, int]:
    """The file and line that declare a requirement; ("", 0) where they are not found as text.

    ``files``: where it is declared, if not in the project's metadata.
    """
    name = re.escape(bounded.requirement.name).replace(r"\-", "[-_.]").replace("_", "[-_.]")
    pattern = re.compile(rf"""(?:^|["'\s,\[]){name}(?![\w.-])""", re.IGNORECASE)
    specifier = next(iter(sorted(str(one) for one in bounded.specifier)), "")
    version = specifier.lstrip("<>=!~")
    for file in files or _METADATA:
        try:
            text = read_text(root, file) or ""
        except ConfigurationError:
            continue
        for number, line in enumerate(text.splitlines(), start=1):
            if version in line and pattern.search(line):
                return file, number
    return "", 0


def minors_to_try(specifier: str | None, minors: Sequence[tuple[int, int]], highest: str) -> tuple[str, ...]:
    """The minors ("3.8") that ``specifier`` allows, ascending, up to that of ``highest`` ("3.12.1").

    ``minors``: those of which there is a release. Any micro release makes a minor one that is allowed.
    """
    allowed = SpecifierSet(specifier or "")
    last = tuple(int(part) for part in highest.split(".")[:2])
    return tuple(
        f"{major}.{minor}"
        for major, minor in sorted(set(minors))
        if (major, minor) <= last
        and any(allowed.contains(f"{major}.{minor}.{micro}") for micro in (0, 1, 5, 99))
    )


def as_pins(lines: Mapping[str, str]) -> tuple[str, ...]:
    """Pins, "name==version" each, sorted."""
    return tuple(f"{name}=={version}" for name, version in sorted(lines.items()))
