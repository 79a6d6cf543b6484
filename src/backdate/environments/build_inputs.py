"""What the build of an sdist took besides the sdist: what it stated, and what uv installed for it.

uv says what it installs for a build, the requirements that a back-end asks for while it runs included. Code
of the sdist could print such lines as well: of its own wheel, which it writes anyway. Where anything is not
understood nothing is said of the build, and its wheel then serves its own instant alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from backdate.environments.lock_wheels import LockedSdist
from backdate.environments.wheel_store import unpacked_sources
from backdate.errors import ConfigurationError
from backdate.projects.hostile import Folder
from backdate.projects.toml import parse_toml
from backdate.sandboxes.interface import MIB
from backdate.text import UNREADABLE

LOGGED = "uv_dispatch=debug"
"""RUST_LOG, for uv to say what it installs for builds."""

_INSTALLING = re.compile(r"^DEBUG Installing (?P<listed>`.*`) in `[^`]*`$", re.MULTILINE)
_USUAL = ("setuptools>=40.8.0",)
"""What uv takes for an sdist that states nothing (PEP 518)."""
_MOST = 1000
"""Requirements and distributions of a build; more are not looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildInputs:
    """What a build took from the index."""

    stated: tuple[str, ...]
    """``build-system.requires`` (PEP 518)."""
    taken: tuple[str, ...]
    """"name==version" of everything that was installed for it, sorted."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of what was installed; back-ends ask for some of these while they run."""
        return tuple(sorted({one.partition("==")[0] for one in self.taken}))


def read_build_inputs(sdist: LockedSdist, changes: Path, log: str) -> BuildInputs | None:
    """What a build took; None where that is not known. ``changes``: of uv's cache by it. ``log``: uv's."""
    stated, taken = _stated(sdist, changes), _taken(log)
    if stated is None or taken is None or len(stated) + len(taken) > _MOST:
        return None
    return BuildInputs(stated=stated, taken=taken)


def _taken(log: str) -> tuple[str, ...] | None:
    found: set[str] = set()
    lines = [match["listed"] for match in _INSTALLING.finditer(log)]
    if not lines:
        return None  # uv says it of a build without requirements, too: it speaks otherwise
    for written in (one for line in lines for one in line.strip("`").split("`, `") if one):
        name, equal, version = written.partition("==")
        try:
            found.add(f"{canonicalize_name(name, validate=True)}{equal}{Version(version)}")
        except UNREADABLE:
            return None  # it comes from an address
    return tuple(sorted(found))


def _stated(sdist: LockedSdist, changes: Path) -> tuple[str, ...] | None:
    try:
        with Folder.at(changes) as top:
            sources = unpacked_sources(top, sdist)
            if len(sources) != 1:
                return None
            with top.below(sources[0]) as folder:
                data = folder.read("pyproject.toml", limit=MIB)
        if data is None:
            return _USUAL
        asked = parse_toml(data.decode("utf-8-sig")).get("build-system", {}).get("requires", _USUAL)
        parsed = [Requirement(one) for one in asked]
    except (ConfigurationError, UnicodeDecodeError, AttributeError, TypeError, *UNREADABLE):
        return None
    lines = tuple(str(one) for one in parsed)
    # By an address comes what no instant decides. A line break, which markers may hold, would begin another
    # line of the file of requirements that they are written to: an option of uv's.
    sound = all(line.isprintable() for line in lines) and not any(one.url for one in parsed)
    return lines if sound else None
