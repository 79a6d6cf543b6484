"""Reading what uv resolved: a PEP 751 lock file (``pylock.toml``) into a :class:`Lock`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
from packaging.utils import canonicalize_name

from backdate.environments.environment import CutoffOverride, Lock, LockedDistribution
from backdate.errors import ConfigurationError, StoredDataError
from backdate.projects.toml import parse_toml
from backdate.serial import from_builtins, to_json
from backdate.timeline.instants import Instant

PROJECT = "@PROJECT@"
"""Stands in a lock's text for the folder in which the sandbox shows the project."""


_PACKAGE = re.compile(r"^(\[\[packages\]\]\n)", re.MULTILINE)
_VERSION = re.compile(r"^version = .*\n", re.MULTILINE)
_ELSEWHERE = re.compile(
    r"^(?:index|directory|vcs|archive) = |^\[packages\.(?:directory|vcs|archive)\]|^wheels = \[\{ path = ",
    re.MULTILINE,
)


def is_local(one: LockedDistribution) -> bool:
    """Whether a distribution is built from the project's tree, and so depends on its content."""
    return one.source is not None and "://" not in one.source


def read_pylock(
    text: str, *, instant: Instant, python: str, cutoff_overrides: tuple[CutoffOverride, ...]
) -> Lock:
    """The lock that ``text``, a PEP 751 file, holds.

    Of ``cutoff_overrides`` those are kept that mattered: a locked distribution of that name with no file from
    before ``instant``. Raises StoredDataError when the text is not such a file.
    """
    try:
        found = [_distribution(package) for package in _sound_packages(text)]
    except (ConfigurationError, msgspec.ValidationError, KeyError, TypeError, ValueError) as error:
        raise StoredDataError(f"the resolver's lock cannot be read: {error!r}") from error
    uploaded = {one.name: one.uploaded for one in found}
    mattered = tuple(
        cutoff_override
        for cutoff_override in cutoff_overrides
        if (at := uploaded.get(cutoff_override.name)) is not None and at >= instant
    )
    ordered = sorted(found, key=lambda one: (one.name, one.version))
    return Lock(instant=instant, python=python, distributions=tuple(ordered), cutoff_overrides=mattered)


def with_index(text: str, index_url: str) -> str:
    """The lock with ``index`` (PEP 751) written to every package that comes from ``index_url``.

    uv leaves it out, and then looks for none of these among the wheels that it has: it asks the server for
    each file again, and unpacks it again where the answer may not be kept.
    """
    head, packages = packages_of(text)
    line = index_line(index_url)
    return head + "".join(
        one if _ELSEWHERE.search(one) else _VERSION.sub(lambda match: match[0] + line, one, count=1)
        for one in packages
    )


def index_line(index_url: str) -> str:
    """What ``with_index`` writes to a package, behind its version."""
    return f"index = {to_json(index_url).decode()}\n"


def needs_no_build(text: str) -> bool:
    """Whether every package of the lock is to be had as a wheel of the index, for some platform at least."""
    packages = tomllib.loads(text).get("packages", [])
    return all(package.get("wheels") and comes_from_index(package) for package in packages)


def comes_from_index(package: Mapping[str, Any]) -> bool:
    """Whether a package of a lock is a distribution of the index."""
    return not package.keys() & {"directory", "vcs", "archive"}


def is_of_index(text: str) -> bool:
    """Whether every package of the lock is a distribution of the index."""
    return all(comes_from_index(package) for package in tomllib.loads(text).get("packages", []))


def split_by_origin(text: str) -> tuple[str, str]:
    """Two locks out of one: what does not come from the project's tree, and what does ("" for nothing)."""
    head, packages = packages_of(text)
    parts: tuple[list[str], list[str]] = ([], [])
    for written in packages:
        (package,) = tomllib.loads(written)["packages"]
        parts[is_local(_distribution(package))].append(written)
    others, local = ("".join((head, *part)) if part else "" for part in parts)
    return others, local


def packages_of(text: str) -> tuple[str, list[str]]:
    """What a lock says before its packages, and the text of each of these."""
    head, *packages = _PACKAGE.split(text)
    return head, [mark + body for mark, body in zip(packages[::2], packages[1::2], strict=True)]


class _File(msgspec.Struct, rename="kebab"):
    """A file of a package of a lock, as far as it is read."""

    name: str = ""
    url: str = ""
    path: str = ""
    upload_time: datetime | None = None
    hashes: dict[str, str] = {}


class _Repository(msgspec.Struct, rename="kebab"):
    """Where a package of a lock comes from that is in no file."""

    type: str
    commit_id: str
    url: str = ""
    path: str = ""


class _LockedTree(msgspec.Struct):
    """A package of a lock that is built from a folder."""

    path: str


class _Package(msgspec.Struct):
    """A package of a lock, as far as it is read."""

    name: str
    version: str = ""
    wheels: list[_File] = []
    sdist: _File | None = None
    archive: _File | None = None
    vcs: _Repository | None = None
    directory: _LockedTree | None = None


def _sound_packages(text: str) -> list[dict[str, Any]]:
    """The packages of a lock of such a form that each of its readers understands the same by it.

    Foreign code can have written it. Raises ConfigurationError, ValueError or msgspec.ValidationError.
    """
    head, written = packages_of(text)
    if "packages" in parse_toml(head):
        raise ValueError("packages before the first table of packages")
    found = []
    for each in written:
        (package,) = parse_toml(each)["packages"]
        canonicalize_name(from_builtins(_Package, package).name, validate=True)
        found.append(package)
    return found


def _distribution(package: dict[str, Any]) -> LockedDistribution:
    files = list(package.get("wheels", ()))
    files += [package[kind] for kind in ("sdist", "archive") if kind in package]
    times = [file["upload-time"] for file in files if "upload-time" in file]
    return LockedDistribution(
        name=canonicalize_name(package["name"]),
        version=str(package.get("version", "")),
        hashes=tuple(
            sorted(f"{kind}:{value}" for file in files for kind, value in file.get("hashes", {}).items())
        ),
        source=_source(package),
        uploaded=min(map(_utc, times)) if times else None,
    )


def _utc(value: datetime) -> Instant:
    return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


def _source(package: dict[str, Any]) -> str | None:
    if "directory" in package:
        path = str(package["directory"]["path"])
        return "." if path == PROJECT else path.removeprefix(f"{PROJECT}/")
    if "vcs" in package:
        vcs = package["vcs"]
        return f"{vcs['type']}+{vcs.get('url', vcs.get('path', ''))}@{vcs['commit-id']}"
    if "archive" in package:
        return str(package["archive"].get("url", package["archive"].get("path", "")))
    return None
