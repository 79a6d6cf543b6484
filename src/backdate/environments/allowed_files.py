"""Holding what was resolved to files that somebody locked before: no other file of the version is installed.

A version can have other files today than when it was locked: wheels that were built later, or replaced.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from packaging.utils import canonicalize_name, canonicalize_version

from backdate.environments.environment import BuildFailure
from backdate.environments.lock import packages_of

if TYPE_CHECKING:
    from pathlib import Path

    from backdate.environments.inputs import EnvironmentRequest
    from backdate.environments.steps import Resolution

_SHOWN = 5


def held_to_files(
    resolution: Resolution, request: EnvironmentRequest, log: Path
) -> Resolution | BuildFailure:
    """``resolution`` with the files alone that ``request`` allows of the versions that it names.

    The failure names the versions of which the index has none of these files. ``log``: of what was resolved.
    """
    allowed: dict[tuple[str, str], set[str]] = {}
    for each in request.allowed_files:
        allowed.setdefault((each.name, canonicalize_version(each.version)), set()).update(each.hashes)
    head, packages = packages_of(resolution.pylock)
    written: list[str] = []
    gone: list[str] = []
    for text in packages:
        (package,) = tomllib.loads(text)["packages"]
        key = (canonicalize_name(package["name"]), canonicalize_version(str(package.get("version", ""))))
        files = [*package.get("wheels", ()), *([package["sdist"]] if "sdist" in package else ())]
        if key not in allowed or not files:
            written.append(text)
            continue
        kept = _with_files(text, allowed[key])
        if kept is None:
            gone.append(f"{package['name']} {package['version']}")
        else:
            written.append(kept)
    if gone:
        more = f" and {len(gone) - _SHOWN} more" if len(gone) > _SHOWN else ""
        message = f"the index has none of the locked files of {', '.join(gone[:_SHOWN])}{more}: other hashes"
        return BuildFailure(phase="resolve", message=message, choice=request.choice, log=log, certain=True)
    of_version = {(name, version): hashes for (name, version), hashes in allowed.items() if hashes}
    distributions = tuple(
        replace(one, hashes=tuple(each for each in one.hashes if each in hashes))
        if (hashes := of_version.get((one.name, canonicalize_version(one.version)))) and one.source is None
        else one
        for one in resolution.lock.distributions
    )
    lock = replace(resolution.lock, distributions=distributions)
    return replace(resolution, pylock=head + "".join(written), lock=lock)


def _with_files(text: str, hashes: set[str]) -> str | None:
    """The package of a lock with the files alone that have one of ``hashes``; None where it has none."""
    import tomlkit

    def is_allowed(file: Mapping[str, Any]) -> bool:
        return any(f"{kind}:{value}" in hashes for kind, value in file.get("hashes", {}).items())

    document = tomlkit.parse(text)
    written: Any = document["packages"]
    (package,) = written
    if "sdist" in package and not is_allowed(package["sdist"]):
        del package["sdist"]
    wheels = tomlkit.array()
    wheels.extend(file for file in package.unwrap().pop("wheels", ()) if is_allowed(file))
    if wheels:
        package["wheels"] = wheels
    else:
        package.pop("wheels", None)
    return tomlkit.dumps(document) if wheels or "sdist" in package else None
