"""The versions that a lock file names: uv's, Poetry's, PDM's, pylock.toml (PEP 751), and requirements.

Read, never executed: a lock of a repository is as foreign as its code. Which of them a project needs is left
to the resolver, which is held to these versions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name
from packaging.version import Version

from backdate.errors import ConfigurationError
from backdate.projects.read import decode
from backdate.projects.toml import parse_toml
from backdate.serial import read_limited
from backdate.text import UNREADABLE, first_line
from backdate.timeline.instants import Instant, parse_instant

_MAX_BYTES = 64 * 1024 * 1024
_MOST_VERSIONS = 50_000
_LONGEST_MARKER = 100_000
_HASH = re.compile(r"--hash[=\s]+([a-z0-9]+:[0-9a-fA-F]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedVersion:
    """One distribution at one version."""

    name: str
    """Normalised (PEP 503)."""
    version: str
    marker: str = ""
    """PEP 508: where it is this version; empty for everywhere."""
    hashes: frozenset[str] = frozenset()
    """``sha256:…`` of its files; empty where the lock names none."""
    uploaded: Instant | None = None
    """The newest of the files that the lock names, where it says when they were uploaded."""

    @property
    def constraint(self) -> str:
        """PEP 508."""
        return f"{self.name}=={self.version}" + (f" ; {self.marker}" if self.marker else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedVersions:
    """What a lock file names."""

    file: str
    """As it was given, for people."""
    tool: str
    """Whose file it is: "uv", "Poetry", …"""
    versions: tuple[LockedVersion, ...]
    left_out: tuple[str, ...] = ()
    """What does not come from an index by a version: repositories, folders; each in a few words."""

    @property
    def constraints(self) -> tuple[str, ...]:
        """One line for each version (PEP 508), sorted."""
        return tuple(sorted({each.constraint for each in self.versions}))


class _UnreadLock(Exception):
    """Why a lock cannot be read, after its name."""


def read_locked_versions(path: Path) -> LockedVersions:
    """What the lock at ``path`` names; whose it is, its name and content say.

    Raises ConfigurationError for one of a tool or a format that is not known, and for one without versions.
    """
    if path.is_symlink():  # of a checkout: it may lead to a file of this machine, whose lines are then told
        raise ConfigurationError(f"the lock {path} is not read: it is a link; name the file that it leads to")
    if path.exists() and not path.is_file():
        raise ConfigurationError(f"the lock {path} is not read: it is no file")
    text = decode(read_limited(path, limit=_MAX_BYTES, what="the lock"))
    left_out: list[str] = []
    try:
        tool, found = _tool_and_versions(path, text, left_out)
        versions = tuple(islice(found, _MOST_VERSIONS + 1))
    except (_UnreadLock, ConfigurationError) as error:
        raise ConfigurationError(f"the lock {path} is not read: {error}") from error
    except (KeyError, TypeError, AttributeError, *UNREADABLE) as error:
        raise ConfigurationError(f"the lock {path} is damaged: {type(error).__name__} {error}") from error
    if len(versions) > _MOST_VERSIONS:
        raise ConfigurationError(
            f"the lock {path} is not read: it names more than {_MOST_VERSIONS:,} versions"
        )
    if not versions:
        raise ConfigurationError(f"the lock {path} names no version (NAME==VERSION) of an index")
    return LockedVersions(file=str(path), tool=tool, versions=versions, left_out=tuple(left_out))


def _tool_and_versions(path: Path, text: str, left_out: list[str]) -> tuple[str, Iterable[LockedVersion]]:
    if path.suffix in (".txt", ".pip", ".in"):
        return "requirements", _requirements(text, left_out)
    if path.suffix not in (".toml", ".lock"):
        raise _UnreadLock("it is none of uv.lock, poetry.lock, pdm.lock, pylock.toml, requirements*.txt")
    document = parse_toml(text)
    tool, read = _reader(path.name, document)
    return tool, read(document, left_out)


_Reader = Callable[[Mapping[str, Any], list[str]], Iterable[LockedVersion]]


def _reader(name: str, document: Mapping[str, Any]) -> tuple[str, _Reader]:
    """Whose lock ``document`` is. Raises _UnreadLock for a format that is not known."""
    metadata = document.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    if "packages" in document and "lock-version" in document:
        return "PEP 751", _of_format("pylock.toml", document["lock-version"], ("1",), _pylock)
    if "lock_version" in metadata:
        return "PDM", _of_format("pdm.lock", metadata["lock_version"], ("4",), _pdm)
    if "lock-version" in metadata:
        return "Poetry", _of_format("poetry.lock", metadata["lock-version"], ("1", "2"), _poetry)
    if name == "Cargo.lock":
        raise _UnreadLock("it is of Rust's Cargo, and names no Python packages")
    if "version" in document and ("package" in document or name == "uv.lock"):
        return "uv", _of_format("uv.lock", document["version"], ("1",), _uv)
    raise _UnreadLock(f"{name} says of no known tool that it wrote it, or of a version of it that is too old")


def _of_format(name: str, written: object, known: tuple[str, ...], read: _Reader) -> _Reader:
    if str(written).partition(".")[0] not in known:
        versions = " and ".join(f"{each}.x" if name != "uv.lock" else each for each in known)
        raise _UnreadLock(
            f"its format is {written}, and of {name} {versions} is read: lock again with a version of the "
            "tool that writes that, or export it to pylock.toml or requirements.txt"
        )
    return read


def _uv(document: Mapping[str, Any], left_out: list[str]) -> Iterator[LockedVersion]:
    for package in document["package"]:
        source = package.get("source", {})
        if "registry" not in source:
            if not {"virtual", "editable"} & set(source):
                left_out.append(f"{package['name']} (from {', '.join(source) or 'nowhere'})")
            continue
        files = [*package.get("wheels", ()), *([package["sdist"]] if "sdist" in package else ())]
        markers = package.get("resolution-markers", ())
        yield _locked(
            package["name"],
            package["version"],
            marker=" or ".join(f"({each})" for each in markers),
            hashes=(file.get("hash") for file in files),
            times=(file.get("upload-time") for file in files),
        )


def _poetry(document: Mapping[str, Any], left_out: list[str]) -> Iterator[LockedVersion]:
    older = document["metadata"].get("files", {})  # formats before 2.0 have the files there
    for package in document.get("package", ()):
        if package.get("source", {}).get("type", "legacy") != "legacy":  # which is an index
            left_out.append(f"{package['name']} (from {package['source']['type']})")
            continue
        files = package.get("files") or older.get(package["name"], ())
        markers = package.get("markers", "")
        marker = markers if isinstance(markers, str) else ""  # by group: the groups differ in what they need
        yield _locked(
            package["name"], package["version"], marker=marker, hashes=(file.get("hash") for file in files)
        )


def _pdm(document: Mapping[str, Any], left_out: list[str]) -> Iterator[LockedVersion]:
    for package in document.get("package", ()):
        if {"git", "hg", "svn", "path", "url"} & set(package):
            left_out.append(f"{package['name']} (not from an index)")
            continue
        yield _locked(
            package["name"],
            package["version"],
            marker=package.get("marker", ""),
            hashes=(file.get("hash") for file in package.get("files", ())),
        )


def _pylock(document: Mapping[str, Any], left_out: list[str]) -> Iterator[LockedVersion]:
    for package in document["packages"]:
        if "version" not in package or {"vcs", "directory", "archive"} & set(package):
            left_out.append(f"{package['name']} (not from an index)")
            continue
        files = [*package.get("wheels", ()), *([package["sdist"]] if "sdist" in package else ())]
        yield _locked(
            package["name"],
            package["version"],
            marker=_plain_marker(package.get("marker", "")),
            hashes=(f"{kind}:{value}" for file in files for kind, value in file.get("hashes", {}).items()),
            times=(file.get("upload-time") for file in files),
        )


def _requirements(text: str, left_out: list[str]) -> Iterator[LockedVersion]:
    from packaging.requirements import Requirement  # most checks have no lock

    for line in re.sub(r"\\\n", " ", text).split("\n"):
        content = re.sub(r"(?:^|\s)#.*", "", line).strip()
        hashes = _HASH.findall(content)
        content = re.split(r"\s--", content)[0].strip()
        if not content:
            continue
        if content.startswith("-"):
            if not content.startswith(
                ("--index-url", "--extra-index-url", "-i ", "--no-", "--only-", "--prefer")
            ):
                left_out.append(content[:100])
            continue
        try:
            requirement = Requirement(content)
        except UNREADABLE as error:
            raise _UnreadLock(f"{content[:100]!r} is no requirement (PEP 508)") from error
        exact = [each.version for each in requirement.specifier if each.operator in ("==", "===")]
        if requirement.url is not None or not exact or "*" in exact[0]:
            left_out.append(content[:100])
            continue
        yield _locked(requirement.name, exact[0], marker=str(requirement.marker or ""), hashes=hashes)


def _plain_marker(marker: str) -> str:
    """``marker`` without what only locks have (PEP 751's ``extras`` and ``dependency_groups``)."""
    return "" if re.search(r"\b(?:extras|dependency_groups)\b", marker) else marker


def _locked(
    name: str,
    version: str,
    *,
    marker: str = "",
    hashes: Iterable[str | None] = (),
    times: Iterable[object] = (),
) -> LockedVersion:
    """One version of a lock. Raises _UnreadLock for a name, version or marker that is none."""
    from packaging.markers import Marker
    from packaging.requirements import Requirement

    if len(marker) > _LONGEST_MARKER:
        raise _UnreadLock(f"{name!r:.60}: its marker has more than {_LONGEST_MARKER:,} characters")
    try:
        Version(version)
        canonical = str(Requirement(name).name)
        written = str(Marker(marker)) if marker else ""
    except (*UNREADABLE, TypeError) as error:
        raise _UnreadLock(f"{name!r:.60} {version!r:.60}: {first_line(str(error))}") from error
    if not f"{version}{written}".isprintable():  # of '\\n' in a marker's quotes comes a line of its own
        raise _UnreadLock(f"{name!r:.60} {version!r:.60}: a marker or version with a control character")
    return LockedVersion(
        name=canonicalize_name(canonical),
        version=version,
        marker=written,
        hashes=frozenset(each.lower() for each in hashes if isinstance(each, str) and ":" in each),
        uploaded=max((when for each in times if (when := _instant(each)) is not None), default=None),
    )


def _instant(written: object) -> Instant | None:
    """A time of a lock: text, or TOML's own."""
    if isinstance(written, datetime):
        return parse_instant(written.isoformat().replace("+00:00", "Z")) if written.tzinfo else None
    return parse_instant(written) if isinstance(written, str) else None
