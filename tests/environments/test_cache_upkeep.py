"""A cache is kept within a bound, and nothing goes that somebody uses."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.environments import cache_contents, cache_removal, cache_upkeep
from backdate.environments.cache import Cache
from backdate.environments.cache_contents import list_items
from backdate.environments.cache_kinds import CacheKind
from backdate.environments.cache_upkeep import (
    DEFAULT_BOUND_BYTES,
    CacheReport,
    bound_of,
    bytes_of_text,
    clean,
    measure,
    prune,
)
from backdate.environments.cache_use import at_work, note_use, used_since
from backdate.environments.daily_upkeep import keep_within_bound
from backdate.environments.wheel_store import BuiltWheel
from backdate.errors import MachineError, UsageError

MIB = 1024**2
HOUR = 3600.0


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def environment(cache: Cache, key: str, *, hours_ago: float, mib: int = 1) -> Path:
    """A finished environment, as far as the cache's upkeep looks at one."""
    folder = cache.environments / key
    folder.mkdir(parents=True)
    (folder / "file").write_bytes(b"x" * mib * MIB)
    record = cache.folder / "records" / f"{key}.json"
    record.write_text("{}")
    (cache.folder / "seals" / f"{key}.json").write_text("{}")
    when = time.time() - hours_ago * HOUR
    os.utime(record, (when, when))
    return folder


def of_kind(report: CacheReport, kind: CacheKind) -> tuple[int, int]:
    [found] = [one for one in report.kinds if one.kind is kind]
    return found.count, found.bytes // MIB


def test_the_least_recently_used_environments_go_first(cache: Cache) -> None:
    old = environment(cache, "old", hours_ago=9, mib=4)
    new = environment(cache, "new", hours_ago=1, mib=2)
    report = prune(cache, to_bytes=3 * MIB, kinds=[CacheKind.ENVIRONMENTS])
    assert [(one.kind, one.count) for one in report.removed] == [(CacheKind.ENVIRONMENTS, 1)]
    assert not old.exists()
    assert not (cache.folder / "records" / "old.json").exists()
    assert not (cache.folder / "seals" / "old.json").exists()
    assert new.exists()
    assert of_kind(report, CacheKind.ENVIRONMENTS) == (1, 2)


def test_an_environment_of_endless_depth_is_measured_and_goes(cache: Cache) -> None:
    """A build can leave more folders within folders than a path can name, or a function call itself."""
    folder = cache.built / "deep"
    folder.mkdir(parents=True)
    here = os.open(folder, os.O_RDONLY)
    for _ in range(2500):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    assert of_kind(measure(cache), CacheKind.ENVIRONMENTS)[0] == 1
    assert [one.count for one in clean(cache, [CacheKind.ENVIRONMENTS]).removed] == [1]
    assert not folder.exists()


def test_what_was_not_used_since_an_instant_goes(cache: Cache) -> None:
    old, new = environment(cache, "old", hours_ago=50), environment(cache, "new", hours_ago=1)
    prune(cache, unused_since=datetime.now(UTC) - timedelta(days=1))
    assert (old.exists(), new.exists()) == (False, True)


def test_a_dry_run_says_the_same_and_removes_nothing(cache: Cache) -> None:
    old = environment(cache, "old", hours_ago=9)
    planned = prune(cache, to_bytes=0, kinds=[CacheKind.ENVIRONMENTS], dry_run=True)
    assert old.exists()
    assert planned.dry_run
    done = prune(cache, to_bytes=0, kinds=[CacheKind.ENVIRONMENTS])
    assert planned.removed == done.removed


def test_an_environment_that_is_being_made_stays(cache: Cache) -> None:
    made = environment(cache, "made", hours_ago=9)
    with cache.guard("made"):
        report = clean(cache, [CacheKind.ENVIRONMENTS])
    assert made.exists()
    assert [one.count for one in report.in_use] == [1]


def test_what_a_process_at_work_used_stays_and_what_it_did_not_use_goes(cache: Cache) -> None:
    used, unused = environment(cache, "used", hours_ago=9), environment(cache, "unused", hours_ago=1)
    with at_work(cache):
        note_use(cache.folder / "records" / "used.json")
        report = clean(cache, [CacheKind.ENVIRONMENTS])
    assert (used.exists(), unused.exists()) == (True, False)
    assert [one.count for one in report.in_use] == [1]


def test_downloads_and_results_stay_while_somebody_is_at_work(cache: Cache) -> None:
    file = cache.downloads / "ab" / "abcd" / "project.tar.gz"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"x" * MIB)
    with at_work(cache):
        assert clean(cache, [CacheKind.DOWNLOADS]).removed == ()
    assert file.exists()
    assert [one.count for one in clean(cache, [CacheKind.DOWNLOADS]).removed] == [1]
    assert not file.exists()


def test_a_process_that_was_killed_uses_nothing(cache: Cache) -> None:
    code = (
        "import os, sys; from pathlib import Path\n"
        "from backdate.environments.cache import Cache\n"
        "from backdate.environments.cache_use import at_work\n"
        "context = at_work(Cache(Path(sys.argv[1]))); context.__enter__(); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(cache.folder)], check=False)
    assert done.returncode == -9
    assert list((cache.folder / "workers").iterdir()) != []
    assert used_since(cache) is None
    assert list((cache.folder / "workers").iterdir()) == []


def test_a_wheel_goes_with_every_record_that_names_it(cache: Cache) -> None:
    folder = cache.built_wheels / "one"
    folder.mkdir()
    (folder / "a-1-py3-none-any.whl").write_bytes(b"x")
    wheel = BuiltWheel(filename="a-1-py3-none-any.whl", sha256="0" * 64)
    cache.write("wheels", "one", wheel)
    cache.write("wheels", "two", BuiltWheel(filename=wheel.filename, sha256=wheel.sha256, built_as="one"))
    clean(cache, [CacheKind.WHEELS])
    assert cache.keys("wheels") == []
    assert not folder.exists()


def package(cache: Cache, name: str) -> Path:
    """A wheel of a package that uv keeps, as far as the cache's upkeep looks at one."""
    folder = cache.clean / "uv/wheels-v1/pypi" / name
    folder.mkdir(parents=True)
    (folder / "1.0.msgpack").write_text("x")
    return folder


def test_a_uv_that_does_not_end_is_an_error_of_the_machine(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = package(cache, "six")

    def run(command: list[str], **options: Any) -> None:
        raise subprocess.TimeoutExpired(command, options["timeout"])

    monkeypatch.setattr(cache_removal.subprocess, "run", run)
    with pytest.raises(MachineError, match="did not end within 600 seconds; remove that folder by hand"):
        clean(cache, [CacheKind.PACKAGES])
    assert folder.exists()


def test_what_another_process_removes_meanwhile_takes_nothing(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = package(cache, "six")

    def by_package(top: Path) -> dict[str, list[Path]]:
        (gone / "1.0.msgpack").unlink()
        gone.rmdir()
        return {"six": [gone]}

    monkeypatch.setattr(cache_contents, "_by_package", by_package)
    assert of_kind(measure(cache), CacheKind.PACKAGES)[1] == 0


def test_an_environment_is_measured_once(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    environment(cache, "one", hours_ago=1, mib=3)
    first = measure(cache)
    monkeypatch.setattr("backdate.environments.cache_contents.folder_bytes", lambda _: pytest.fail("again"))
    [again] = list_items(cache, [CacheKind.ENVIRONMENTS])
    assert again.bytes // MIB == 3 == of_kind(first, CacheKind.ENVIRONMENTS)[1]


def test_what_an_interrupted_build_left_is_listed_and_goes(cache: Cache) -> None:
    left = cache.built / "left"
    left.mkdir(parents=True)
    (left / "file").write_bytes(b"x" * MIB)
    assert of_kind(measure(cache), CacheKind.ENVIRONMENTS) == (1, 1)
    clean(cache, [CacheKind.ENVIRONMENTS])
    assert not left.exists()


def test_proven_recipes_and_builds_of_data_sets_stay(cache: Cache) -> None:
    kept = [cache.folder / "recipes.sqlite3", cache.folder / "construction" / "ledger"]
    for path in kept:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x")
    clean(cache, list(CacheKind))
    assert all(path.exists() for path in kept)


def test_the_bound_is_kept_once_a_day_without_being_asked(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BACKDATE_CACHE_LIMIT", "1MiB")
    old = environment(cache, "old", hours_ago=50)
    new = environment(cache, "new", hours_ago=1)
    keep_within_bound(cache)  # the first time only the day begins
    assert old.exists()
    stamp = cache.folder / "sizes" / "upkeep"
    keep_within_bound(cache)
    assert old.exists()
    yesterday = time.time() - 25 * HOUR
    os.utime(stamp, (yesterday, yesterday))
    with at_work(cache):
        note_use(cache.folder / "records" / "new.json")
        keep_within_bound(cache)
    assert (old.exists(), new.exists()) == (False, True)
    os.utime(stamp, (yesterday, yesterday))
    monkeypatch.setattr(cache_upkeep, "prune", lambda *_, **__: pytest.fail("there is no bound"))
    monkeypatch.setenv("BACKDATE_CACHE_LIMIT", "none")
    keep_within_bound(cache)


@given(st.integers(0, 4096), st.sampled_from(["", "k", "M", "G", "T"]), st.sampled_from(["", "B", "iB"]))
def test_sizes_are_powers_of_1024(number: int, unit: str, ending: str) -> None:
    if not unit and ending == "iB":
        ending = ""
    power = {"": 0, "k": 1, "M": 2, "G": 3, "T": 4}[unit]
    assert bytes_of_text(f" {number} {unit}{ending}") == number * 1024**power


@pytest.mark.parametrize("text", ["", "5 parsecs", "-1", "1e9", "GiB", "1" * 40])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no size"):
        bytes_of_text(text)


def test_the_bound_is_the_user_s() -> None:
    assert bound_of({}) == DEFAULT_BOUND_BYTES
    assert bound_of({"BACKDATE_CACHE_LIMIT": "5GiB"}) == 5 * 1024**3
    assert bound_of({"BACKDATE_CACHE_LIMIT": "none"}) is None
    with pytest.raises(UsageError, match="BACKDATE_CACHE_LIMIT"):
        bound_of({"BACKDATE_CACHE_LIMIT": "lots"})
