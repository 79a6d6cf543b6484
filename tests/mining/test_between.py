"""What the releases between two versions announce: which are read, how far, and what is kept."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from small_world import running_index

from backdate.index.upstream import IndexClient
from backdate.mining.between import MOST_RELEASES, ReleasesBetween

WARNS = """\
import warnings
def product(x):
    warnings.warn("product is deprecated, use `prod` instead", DeprecationWarning, stacklevel=2)
"""
BROKEN_LATER = "2030-01-01T00:00:00Z"
RELEASES = [
    ("lib", "1.0", "2020-01-01T00:00:00Z", "def product(x): return x\n"),
    ("lib", "1.1.0", "2020-06-01T00:00:00Z", "def product(x): return x\n"),
    ("lib", "1.1.1", "2020-07-01T00:00:00Z", WARNS),
    ("lib", "1.1.2", BROKEN_LATER, WARNS.replace("`prod`", "`later`")),
    ("lib", "2.0", "2021-01-01T00:00:00Z", "def prod(x): return x\n"),
    *(("many", f"1.{minor}", "2020-01-01T00:00:00Z", WARNS) for minor in range(20)),
    ("many", "2.0", "2021-01-01T00:00:00Z", ""),
]
UNTIL = datetime(2022, 1, 1, tzinfo=UTC)


@pytest.fixture
def client() -> Iterator[IndexClient]:
    with running_index(RELEASES) as address, IndexClient(upstreams=(address,)) as client:
        yield client


def reader(client: IndexClient, folder: Path, **more: float) -> ReleasesBetween:
    return ReleasesBetween(index=lambda: client, folder=folder, until=UNTIL, **more)


def test_the_newest_of_each_minor_release_before_the_instant_is_read(
    client: IndexClient, tmp_path: Path
) -> None:
    found = list(reader(client, tmp_path).announced("lib", "1.0", "2.0"))
    assert [str(release.version) for release in found] == ["1.1.1", "1.0"]
    (announcement,) = found[0].announcements
    assert (announcement.name, announcement.words) == (
        "lib.product",
        "product is deprecated, use `prod` instead",
    )


def test_of_many_releases_a_few_are_read_from_the_newest_on(client: IndexClient, tmp_path: Path) -> None:
    found = [str(release.version) for release in reader(client, tmp_path).announced("many", "1.0", "2.0")]
    assert len(found) == MOST_RELEASES
    assert (found[0], found[-1]) == ("1.19", "1.0")


def test_what_archives_announce_is_kept_and_damage_is_mended(client: IndexClient, tmp_path: Path) -> None:
    first = list(reader(client, tmp_path).announced("lib", "1.0", "2.0"))
    kept = sorted(tmp_path.iterdir())
    assert len(kept) == 2
    kept[0].write_text("{")
    assert list(reader(client, tmp_path).announced("lib", "1.0", "2.0")) == first
    assert kept[0].read_text() != "{"


def test_what_cannot_be_had_is_named(client: IndexClient, tmp_path: Path) -> None:
    releases = reader(client, tmp_path)
    assert list(releases.announced("absent", "1.0", "2.0")) == []
    assert releases.unread == ("absent",)
    spent = reader(client, tmp_path, seconds_left=0.0)
    assert list(spent.announced("lib", "1.0", "2.0")) == []
    assert spent.unread == ("lib",)


def test_an_index_out_of_reach_is_no_error(tmp_path: Path) -> None:
    with IndexClient(upstreams=("http://127.0.0.1:9/simple",)) as client:
        releases = reader(client, tmp_path)
        assert list(releases.announced("lib", "1.0", "2.0")) == []
    assert releases.unread == ("lib",)


def test_a_downgrade_or_an_odd_version_has_nothing_in_between(client: IndexClient, tmp_path: Path) -> None:
    releases = reader(client, tmp_path)
    assert list(releases.announced("lib", "2.0", "1.0")) == []
    assert list(releases.announced("lib", "local", "2.0")) == []
