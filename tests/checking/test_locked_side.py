"""The old side of a check held to a lock: when that is, and whether its files are the locked ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from check_builders import small_check_result
from fake_setups import carried, ran, recipe

from backdate.checking.locked_side import instant_of_lock, note_of_lock, with_locked_hashes
from backdate.checking.sides import pair_of_check
from backdate.environments.environment import BuildFailure, Environment, LockedDistribution
from backdate.errors import UsageError
from backdate.projects.locked_versions import LockedVersion, LockedVersions
from backdate.timeline.instants import parse_instant


class Index:
    """Files by name: version and upload time."""

    def __init__(self, **files: list[tuple[str, str]]) -> None:
        self._files = files

    def project_page(self, name: str) -> Any:
        found = self._files.get(name, [])
        files = [SimpleNamespace(version=version, upload_time=parse_instant(day)) for version, day in found]
        return SimpleNamespace(files=files)


def lock(*versions: LockedVersion) -> LockedVersions:
    return LockedVersions(file="requirements.txt", tool="requirements", versions=versions)


def resources(**files: list[tuple[str, str]]) -> Any:
    return SimpleNamespace(index=Index(**files))


def test_it_is_just_after_the_newest_of_its_versions() -> None:
    at_hand = resources(
        six=[
            ("1.15", "2020-01-01"),
            ("1.16.0", "2021-05-05"),
            ("1.16.0", "2021-05-06"),
            ("1.16.0", "2023-01-01"),
        ]
    )
    dated = LockedVersion(name="idna", version="3", uploaded=parse_instant("2021-05-01"))
    found = instant_of_lock(lock(LockedVersion(name="six", version="1.16"), dated), at_hand)
    assert found == parse_instant("2021-05-06T00:00:01Z")


def test_what_the_index_does_not_have_is_named() -> None:
    wanted = lock(LockedVersion(name="six", version="1.16"), LockedVersion(name="mine", version="2"))
    with pytest.raises(UsageError, match=r"requirements.txt names what the index does not list: mine 2;"):
        instant_of_lock(wanted, resources(six=[("1.16.0", "2021-05-05")]))


@pytest.mark.parametrize(
    ("hashes", "refused"),
    [(set(), False), ({"sha256:aa"}, False), ({"sha256:aa", "sha256:zz"}, False), ({"sha256:zz"}, True)],
)
def test_hashes_are_kept_where_they_are_given(hashes: set[str], refused: bool) -> None:
    built = carried(recipe("six"), ran(passed=1)).environment
    assert built is not None
    six = LockedDistribution(name="six", version="1.16.0", hashes=("sha256:aa", "sha256:bb"))
    built = replace(built, lock=replace(built.lock, distributions=(six,)))
    locked = lock(LockedVersion(name="six", version="1.16", hashes=frozenset(hashes)))
    found = with_locked_hashes(built, locked)
    assert isinstance(found, BuildFailure if refused else Environment)
    if isinstance(found, BuildFailure):
        assert "none of the files that requirements.txt names of six 1.16.0" in found.message
    assert with_locked_hashes(built, None) is built


def test_a_note_says_where_the_versions_are_from(tmp_path: Path) -> None:
    locked = replace(lock(LockedVersion(name="six", version="1")), left_out=("-e .",))
    assert note_of_lock(locked, parse_instant("2021-05-06")) == (
        "old side: held to 1 version of requirements.txt (requirements), as of 2021-05-06; left out: -e ."
    )


def test_the_sides_of_a_stored_check_are_held_to_what_it_was_held_to(tmp_path: Path) -> None:
    for side in ("old", "new"):
        (tmp_path / side / "tree").mkdir(parents=True)
    six = LockedVersion(name="six", version="1.16", hashes=frozenset({"sha256:aa"}))
    pair = pair_of_check(small_check_result(), tmp_path, lock(six, LockedVersion(name="idna", version="3")))
    assert pair.old_request.constraints == ("idna==3", "six==1.16")
    assert [(each.name, each.hashes) for each in pair.old_request.allowed_files] == [("six", six.hashes)]
    assert (pair.new_request.constraints, pair.new_request.allowed_files) == ((), ())
    assert pair_of_check(small_check_result(), tmp_path).old_request.constraints == ()
