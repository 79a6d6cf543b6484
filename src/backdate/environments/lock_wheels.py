"""Which distributions of a lock have to be built from sdists, and a lock with the wheels made of them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from backdate.environments.incidents import BuildIncident
from backdate.environments.lock import packages_of
from backdate.serial import to_json

_TAG_DIGITS = re.compile(r"[0-9]{1,4}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedSdist:
    """A distribution of a lock of which no wheel will do."""

    name: str
    """Normalised (PEP 503)."""
    version: str
    sha256: str
    lock: str
    """A lock of it alone (PEP 751)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelFile:
    """A wheel in a file of ours."""

    path: Path
    sha256: str
    incidents: tuple[BuildIncident, ...] = ()
    """What was seen of its build that came to nothing."""


def sdists_to_build(text: str, *, python: str, machine: str) -> tuple[LockedSdist, ...]:
    """What of the lock ``text`` an interpreter of version ``python`` has to build on this kind of processor.

    A wheel that another C library than this machine's may need counts as one that will do.
    """
    head, packages = packages_of(text)
    found = []
    for written in packages:
        (package,) = tomllib.loads(written)["packages"]
        sha256 = package.get("sdist", {}).get("hashes", {}).get("sha256")
        if sha256 is None or any(_may_do(wheel, python, machine) for wheel in package.get("wheels", ())):
            continue
        found.append(
            LockedSdist(
                name=canonicalize_name(package["name"]),
                version=str(package["version"]),
                sha256=str(sha256),
                lock=head + written,
            )
        )
    return tuple(found)


def with_wheels(text: str, wheels: Mapping[str, WheelFile]) -> str:
    """The lock ``text`` with a file of ours for each distribution that ``wheels`` names."""
    head, packages = packages_of(text)
    return head + "".join(_of_wheel(written, wheels) for written in packages)


def _of_wheel(written: str, wheels: Mapping[str, WheelFile]) -> str:
    (package,) = tomllib.loads(written)["packages"]
    wheel = wheels.get(canonicalize_name(package["name"]))
    if wheel is None:
        return written
    lines = [f"{key} = {_quoted(package[key])}" for key in ("name", "version", "marker") if key in package]
    file = f"path = {_quoted(str(wheel.path))}, hashes = {{ sha256 = {_quoted(wheel.sha256)} }}"
    return "\n".join(("[[packages]]", *lines, f"wheels = [{{ {file} }}]", "", ""))


def _quoted(text: str) -> str:
    return to_json(text).decode()  # a basic string of TOML is written as one of JSON


def _may_do(wheel: dict[str, Any], python: str, machine: str) -> bool:
    filename = wheel.get("name") or unquote(urlsplit(wheel.get("url", "")).path).rpartition("/")[2]
    try:
        tags = parse_wheel_filename(filename)[3]
    except InvalidWheelFilename:
        return True  # uv knows better, or refuses it
    major, minor = (int(part) for part in python.split(".")[:2])
    return any(
        _python_does(tag.interpreter, tag.abi, major, minor)
        and (tag.platform == "any" or ("linux" in tag.platform and tag.platform.endswith(machine)))
        and not tag.platform.startswith("musl")
        for tag in tags
    )


def _python_does(interpreter: str, abi: str, major: int, minor: int) -> bool:
    kind, digits = interpreter[:2], interpreter[2:]
    if _TAG_DIGITS.fullmatch(digits) is None or kind not in ("py", "cp") or int(digits[0]) != major:
        return False
    of_minor = int(digits[1:]) if digits[1:] else None
    if abi == "none":
        return of_minor is None or (of_minor <= minor if kind == "py" else of_minor == minor)
    if kind == "py" or of_minor is None:
        return False
    return of_minor <= minor if abi == "abi3" else of_minor == minor
