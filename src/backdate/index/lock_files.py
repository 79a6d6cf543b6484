"""What a set of lock files needs from an index: requirements files, backdate's locks and pylock.toml."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

import msgspec
from packaging.requirements import Requirement

from backdate.errors import ConfigurationError
from backdate.index.names import canonical_version, normalise
from backdate.serial import decoder_of, read_limited

_MAX_BYTES = 64 * 1024 * 1024
_HASH_OPTION = re.compile(r"--hash[=\s]+([a-z0-9]+:[0-9a-fA-F]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """One project of a lock."""

    name: str
    """Normalised."""
    version: str | None = None
    """None: any version (of a build dependency, for instance); its page is needed but none of its files."""
    hashes: frozenset[str] = frozenset()
    """``sha256:…`` of the files that may be installed; empty: any file of the version."""


class _Distribution(msgspec.Struct):
    name: str
    version: str
    hashes: tuple[str, ...] = ()
    source: str | None = None


class _BackdateLock(msgspec.Struct):
    distributions: list[_Distribution]


def read_needs(path: Path) -> list[Need]:
    """What the lock at ``path`` names: ``*.json`` of backdate, ``*.toml`` (PEP 751), else requirements.

    Raises ConfigurationError, with the location, for anything that cannot be read.
    """
    data = read_limited(path, limit=_MAX_BYTES, what="the lock")
    try:
        text = data.decode()
        if path.suffix == ".json":
            return _from_lock(data)
        return _from_pylock(text) if path.suffix == ".toml" else _from_requirements(text)
    except (ValueError, TypeError, AttributeError, KeyError, ConfigurationError, RecursionError) as error:
        raise ConfigurationError(f"{path} is no lock that can be read: {error}") from error


def _from_lock(data: bytes) -> list[Need]:
    return [
        Need(
            name=normalise(each.name), version=canonical_version(each.version), hashes=frozenset(each.hashes)
        )
        for each in decoder_of(_BackdateLock).decode(data).distributions
        if each.source is None
    ]


def _from_pylock(text: str) -> list[Need]:
    document = tomllib.loads(text)
    packages = document.get("packages")
    if not isinstance(packages, list):
        raise ConfigurationError("no list 'packages' (PEP 751)")
    needs: list[Need] = []
    for package in packages:
        version = package.get("version")
        if version is None or any(key in package for key in ("vcs", "directory", "archive")):
            continue
        files = [*package.get("wheels", ()), *([package["sdist"]] if "sdist" in package else ())]
        hashes = frozenset(
            f"{kind}:{value}" for file in files for kind, value in file.get("hashes", {}).items()
        )
        needs.append(Need(name=normalise(package["name"]), version=canonical_version(version), hashes=hashes))
    return needs


def _from_requirements(text: str) -> list[Need]:
    needs: list[Need] = []
    for line in re.sub(r"\\\r?\n", " ", text).splitlines():
        content = re.sub(r"(?:^|\s)#.*", "", line).strip()
        hashes = frozenset(_HASH_OPTION.findall(content))
        content = re.split(r"\s--", content)[0].strip()
        if not content or content.startswith("-"):
            continue
        requirement = Requirement(content)
        if requirement.url is not None:
            continue
        pins = [each.version for each in requirement.specifier if each.operator in ("==", "===")]
        exact = pins and "*" not in pins[0]
        version = canonical_version(pins[0]) if exact else None
        needs.append(Need(name=normalise(requirement.name), version=version, hashes=hashes))
    return needs
