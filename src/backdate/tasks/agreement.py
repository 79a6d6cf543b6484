"""Whether the versions that were resolved are those that a published row lists."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from backdate.environments.environment import LockedDistribution

_NOT_COMPARED = frozenset({"pip", "argparse"})
"""pip itself, which ``pip freeze`` leaves out; argparse, which uv lists and pip does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """One distribution whose version is another."""

    name: str
    published: str | None
    """None: the row does not list it."""
    found: str | None
    """None: it was not installed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How the two lists compare."""

    compared: int
    """Distributions in either list."""
    agreeing: int
    disagreements: tuple[Disagreement, ...] = ()


def compare_versions(
    published: Iterable[LockedDistribution], found: Iterable[LockedDistribution]
) -> Agreement:
    """Compare a row's ``pip freeze`` with a lock.

    What came from a folder, a file or an address on either side has no version of the index' and is left out,
    with pip itself and argparse.
    """
    listed, installed = list(published), list(found)
    ignored = _NOT_COMPARED | {
        distribution.name for distribution in (*listed, *installed) if distribution.source is not None
    }
    published_versions = {
        distribution.name: distribution.version for distribution in listed if distribution.name not in ignored
    }
    had = {
        distribution.name: distribution.version
        for distribution in installed
        if distribution.name not in ignored
    }
    names = sorted(published_versions.keys() | had.keys())
    different = tuple(
        Disagreement(name=name, published=published_versions.get(name), found=had.get(name))
        for name in names
        if published_versions.get(name) != had.get(name)
    )
    return Agreement(compared=len(names), agreeing=len(names) - len(different), disagreements=different)
