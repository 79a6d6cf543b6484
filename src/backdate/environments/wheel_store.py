"""Wheels that were built from sdists, kept under the key of all that went into them.

A wheel is written by the foreign code of the sdist that it was built from, and by nothing else: each is
built by itself. It is data, installed for that distribution in that version alone, and never run from here.
It is taken out of a folder in which nothing runs any more, as a regular file of the expected name and
bounded size, and lies where no build can write.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from packaging.utils import canonicalize_name, parse_wheel_filename
from packaging.version import Version

from backdate.environments.cache import Cache
from backdate.environments.cache_use import note_use
from backdate.environments.incidents import BuildIncident, other_wheels
from backdate.environments.lock_wheels import LockedSdist, WheelFile
from backdate.errors import ConfigurationError
from backdate.projects.hostile import Folder
from backdate.text import UNREADABLE

LARGEST_WHEEL = 2 * 1024 * 1024 * 1024
_MOST_NAMES = 1000
"""Entries of a folder of a build that are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltWheel:
    """The record of a wheel."""

    filename: str
    sha256: str
    built_as: str = ""
    """The key under which it was built, from the same inputs; empty for its own."""
    incidents: tuple[BuildIncident, ...] = ()
    """See ``WheelFile``."""


@dataclass(frozen=True, slots=True)
class WheelStore:
    """The wheels of a cache."""

    cache: Cache

    def find(self, key: str) -> WheelFile | None:
        """The wheel of that key, if it is there and as it was when it was taken over."""
        kept = self.cache.read(BuiltWheel, "wheels", key)
        if kept is None:
            return None
        place = self.cache.built_wheels / (kept.built_as or key)
        try:
            with Folder.at(place) as folder:
                same = folder.sha256(kept.filename).hex() == kept.sha256
        except ConfigurationError:
            same = False
        if not same:
            self.cache.forget("wheels", key)
            return None
        note_use(place)
        return WheelFile(path=place / kept.filename, sha256=kept.sha256, incidents=kept.incidents)

    def built_as(self, key: str) -> str | None:
        """The key under which the wheel of ``key`` was built; None where there is none. It is not read."""
        kept = self.cache.read(BuiltWheel, "wheels", key)
        return None if kept is None else kept.built_as or key

    def share(self, key: str, other: str) -> WheelFile | None:
        """From now on the wheel of ``other`` is that of ``key``, too; None where it is not there any more."""
        wheel, built_as = self.find(other), self.built_as(other)
        if wheel is None or built_as is None:
            return None
        shared = BuiltWheel(
            filename=wheel.path.name, sha256=wheel.sha256, built_as=built_as, incidents=wheel.incidents
        )
        self.cache.write("wheels", key, shared)
        return wheel

    def take(
        self, key: str, sdist: LockedSdist, changes: Path, seen: Sequence[BuildIncident] = ()
    ) -> WheelFile | None:
        """The one wheel of ``sdist`` in what a build changed of uv's cache, from now on kept under ``key``.

        ``seen``: what was seen of the build, noted with the wheel. None when there is no such wheel, or more
        than one.
        """
        self.cache.discard(self.cache.built_wheels / key)
        with Folder.at(self.cache.built_wheels) as parent, parent.make(key) as target:
            try:
                filename, others = _take(sdist, changes, target)
            except ConfigurationError:
                return None
            if filename is None:
                return None
            sha256 = target.sha256(filename).hex()
        incidents = (*seen, *other_wheels(f"{sdist.name} {sdist.version}", others))
        self.cache.write("wheels", key, BuiltWheel(filename=filename, sha256=sha256, incidents=incidents))
        path = self.cache.built_wheels / key / filename
        return WheelFile(path=path, sha256=sha256, incidents=incidents)

    def verify_all(self) -> dict[str, bool]:
        """Each key of a wheel, and whether it is as it was; what is not is forgotten."""
        return {key: self.find(key) is not None for key in self.cache.keys("wheels")}


def is_wheel_of(sdist: LockedSdist, filename: str) -> bool:
    """Whether ``filename`` is that of a wheel of this distribution in this version."""
    try:
        name, version, _, _ = parse_wheel_filename(filename)
        return name == canonicalize_name(sdist.name) and version == Version(sdist.version)
    except UNREADABLE:
        return False


def _take(sdist: LockedSdist, changes: Path, target: Folder) -> tuple[str | None, int]:
    """Copy the wheel into ``target``; its name, and how many wheels of other names lie beside it.

    uv keeps it at ``sdists-vN/pypi/NAME/VERSION/REVISION/``, or below ``index/DIGEST/`` for another index
    than PyPI.
    """
    found = []
    others = 0
    with Folder.at(changes) as top:
        for parts in _revisions(top, sdist):
            with top.below(parts) as folder:
                wheels = [name for name in _names(folder) if name.endswith(".whl")]
                own = [(parts, name) for name in wheels if is_wheel_of(sdist, name)]
                found += own
                others += len(wheels) - len(own)
        if len(found) != 1:
            return None, others
        parts, filename = found[0]
        with top.below(parts) as folder:
            status = folder.status(filename)
            if status is None or status.st_size > LARGEST_WHEEL:
                return None, others
            folder.duplicate(filename, target, mode=0o644)
    return filename, others


def _revisions(top: Folder, sdist: LockedSdist) -> list[tuple[str, ...]]:
    """The folders in which uv keeps what it built of ``sdist``."""
    sources: list[tuple[str, ...]] = []
    for bucket in (name for name in _names(top) if name.startswith("sdists-v")):
        sources.append((bucket, "pypi"))
        sources += [(bucket, "index", index) for index in _inside(top, (bucket, "index"))]
    found = []
    for source in sources:
        if sdist.version in _inside(top, (*source, sdist.name)):
            version = (*source, sdist.name, sdist.version)
            found += [(*version, revision) for revision in _inside(top, version)]
    return found


def unpacked_sources(top: Folder, sdist: LockedSdist) -> list[tuple[str, ...]]:
    """The folders in which uv unpacked ``sdist``, below the folder of what a build changed."""
    return [(*one, "src") for one in _revisions(top, sdist) if "src" in _inside(top, one)]


def _inside(top: Folder, parts: tuple[str, ...]) -> list[str]:
    """The folders in the folder at ``parts``; none where there is no such folder."""
    try:
        with top.below(parts) as folder:
            return [name for name in _names(folder) if folder.is_folder(name)]
    except ConfigurationError:
        return []


def _names(folder: Folder) -> list[str]:
    return folder.names()[:_MOST_NAMES]
