"""The metadata of a wheel that was built from an sdist: with them its dependents resolve without a build."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name, is_normalized_name
from packaging.version import Version

from backdate.environments.lock_wheels import LockedSdist, WheelFile
from backdate.environments.restated_metadata import dependency_metadata
from backdate.index.forward_stream import BROKEN, BoundedZip
from backdate.text import UNREADABLE

_MOST_BYTES = 1024 * 1024
_MOST_REQUIREMENTS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltSdist:
    """An sdist, the wheel that was built of it, and what the wheel says that it requires."""

    sdist: LockedSdist
    wheel: WheelFile
    requires: tuple[str, ...] = ()
    requires_python: str = ""
    extras: tuple[str, ...] = ()


def read_built(sdist: LockedSdist, wheel: WheelFile) -> BuiltSdist | None:
    """What the wheel, which foreign code wrote, says of itself.

    None where that is not sound, of another distribution, or names addresses: nobody but a build may fetch
    those.
    """
    from backdate.index.core_metadata import read_core_metadata  # with a parser of mail; few have an sdist

    text = _metadata(wheel.path)
    read = None if text is None else read_core_metadata(text)
    if read is None:
        return None
    raw, unknown = read
    if unknown.keys() & {"name", "version", "requires-dist", "requires-python", "provides-extra", ""}:
        return None  # said twice, or not to be read
    try:
        same = canonicalize_name(raw["name"]) == sdist.name and Version(raw["version"]) == Version(
            sdist.version
        )
        requires = tuple(Requirement(line) for line in raw.get("requires_dist", ()))
        python = str(SpecifierSet(raw.get("requires_python", "")))
    except (KeyError, *UNREADABLE):
        return None
    extras = tuple(canonicalize_name(name) for name in raw.get("provides_extra", ()))
    if not same or len(requires) > _MOST_REQUIREMENTS or any(one.url is not None for one in requires):
        return None
    if not all(map(is_normalized_name, extras)):
        return None
    return BuiltSdist(
        sdist=sdist,
        wheel=wheel,
        requires=tuple(map(str, requires)),
        requires_python=python,
        extras=extras,
    )


def metadata_settings(built: Iterable[BuiltSdist]) -> str:
    """uv's configuration that tells it these metadata, each of that version alone."""
    return "\n".join(
        dependency_metadata(
            one.sdist.name,
            one.sdist.version,
            one.requires,
            requires_python=one.requires_python,
            extras=one.extras,
        )
        for one in built
    )


def _metadata(wheel: Path) -> bytes | None:
    """The one METADATA file of ``wheel``; None where there is none, or it is too long."""
    try:
        with BoundedZip(wheel) as archive:
            found = [
                member
                for member in archive.infolist()
                if member.filename.count("/") == 1 and member.filename.endswith(".dist-info/METADATA")
            ]
            if len(found) != 1:
                return None
            with archive.open_member(found[0]) as file:
                text = file.read(_MOST_BYTES + 1)
    except BROKEN:
        return None
    return text if len(text) <= _MOST_BYTES else None
