"""Modules that a library calls otherwise by now: what came beside them and holds what they held."""

from __future__ import annotations

import typing

from backdate.advising.environment_pair import EnvironmentPair, Side
from backdate.advising.likeness import names_alike
from backdate.diagnosis.distributions import Distributions, site_packages

_LEAST_HELD = 1 / 3
"""The part of what a module held of its own that its successor has to hold."""
_IMPORTED = frozenset((*typing.__all__, "annotations", "dataclass", "field"))
"""What modules hold that they are not made for."""
_MOST = 5


def renamed_modules(name: str, pair: EnvironmentPair) -> tuple[str, ...]:
    """The modules that may be the gone module ``name`` by now, those that hold most of what it held first."""
    package, _, leaf = name.rpartition(".")
    if not package:
        return ()
    came = _modules_in(package, pair, "new") - _modules_in(package, pair, "old")
    near = sorted(
        (one for one in came if names_alike(leaf, one) > 0), key=lambda one: (-names_alike(leaf, one), one)
    )
    held = {member.name for member in pair.members_of(name, "old")} - _IMPORTED if near else set()
    found: list[tuple[float, str]] = []
    for one in near[:_MOST] if held else ():
        holds = {member.name for member in pair.members_of(f"{package}.{one}", "new")}
        share = len(held & holds) / len(held)
        if share >= _LEAST_HELD:
            found.append((share, f"{package}.{one}"))
    return tuple(one for _, one in sorted(found, key=lambda each: -each[0]))


def _modules_in(package: str, pair: EnvironmentPair, side: Side) -> frozenset[str]:
    """The public modules right below a package, as the records of the distributions name their files."""
    environment = pair.old if side == "old" else pair.new
    installed = Distributions(site_packages(*environment.roots))
    folder = package.replace(".", "/") + "/"
    parts = (
        path.removeprefix(folder).split("/")
        for distribution in installed.all.values()
        for path in installed.python_files(distribution)
        if path.startswith(folder)
    )
    names = (part[0].partition(".")[0] for part in parts)
    return frozenset(name for name in names if name and not name.startswith("_"))
