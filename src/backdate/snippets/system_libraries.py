"""Libraries of the system that what is installed loads, and the Debian packages that hold them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from ctypes.util import find_library

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from backdate.environments.environment import Lock
from backdate.knowledge import load
from backdate.text import UNREADABLE


def packages_for(
    releases: Iterable[tuple[str, str]], *, has: Callable[[str], object] = find_library
) -> tuple[str, ...]:
    """The packages with what releases load and this machine does not have, sorted.

    ``releases``: names (PEP 503) and versions. ``has``: what tells whether the machine has such a library.
    """
    table = load.system_packages()
    rows = {row.distribution: row for row in table.loads}
    wanted: set[str] = set()
    for name, version in releases:
        row = rows.get(name)
        if row is not None and _is_before(version, row.until) and not has(row.library):
            wanted.update(next((one.packages for one in table.system if row.library in one.missing), ()))
    return tuple(sorted(wanted))


def locked_releases(lock: Lock) -> Iterator[tuple[str, str]]:
    """Names and versions of a lock."""
    return ((locked.name, locked.version) for locked in lock.distributions)


def pinned_releases(requirements: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Names and versions of what requirements pin: what is known where they do not resolve."""
    for text in requirements:
        requirement = Requirement(text)
        for specifier in requirement.specifier:
            if specifier.operator == "==":
                yield canonicalize_name(requirement.name), specifier.version


def _is_before(version: str, until: str) -> bool:
    try:
        return Version(version) < Version(until)
    except UNREADABLE:
        return False
