"""What environments load of the system."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from backdate.environments.environment import Lock, LockedDistribution
from backdate.knowledge import load
from backdate.snippets.system_libraries import locked_releases, packages_for, pinned_releases


def lock(**versions: str) -> Lock:
    locked = tuple(LockedDistribution(name=name, version=version) for name, version in versions.items())
    return Lock(instant=datetime(2020, 1, 1, tzinfo=UTC), python="3.7", distributions=locked)


@pytest.mark.parametrize(
    ("held", "packages"),
    [
        (lock(soundfile="0.10.2", numpy="1.16.0"), ("libsndfile1",)),
        (lock(soundfile="0.10.3.post1", rtree="0.9.3"), ("libsndfile1", "libspatialindex-dev")),
        (lock(soundfile="0.12.1", rtree="1.0.1"), ()),
        (lock(soundfile="unknown"), ()),
    ],
)
def test_packages_hold_what_early_releases_load(held: Lock, packages: tuple[str, ...]) -> None:
    assert packages_for(locked_releases(held), has=lambda _name: None) == packages


def test_pins_tell_where_nothing_is_locked() -> None:
    pinned = pinned_releases(("Rtree==0.9.3", "soundfile>=0.10", "numpy"))
    assert packages_for(pinned, has=lambda _name: None) == ("libspatialindex-dev",)


def test_what_the_machine_has_is_not_asked_for() -> None:
    held = lock(soundfile="0.10.2", rtree="0.9.3")
    assert packages_for(locked_releases(held), has={"sndfile": "libsndfile.so.1"}.get) == (
        "libspatialindex-dev",
    )


def test_each_library_has_its_packages() -> None:
    table = load.system_packages()
    assert all(any(row.library in one.missing for one in table.system) for row in table.loads)
