"""Records, guards and removal."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from backdate.environments.cache import Cache
from backdate.environments.cutoff_overrides import cutoff_overrides_at
from backdate.errors import MachineError
from backdate.sandboxes.interruption import obeying
from backdate.timeline.instants import parse_instant


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def test_a_record_comes_back(cache: Cache) -> None:
    assert cache.read(tuple, "records", "key") is None
    cache.write("records", "key", ("a", 1))
    assert cache.read(tuple, "records", "key") == ("a", 1)


def test_a_damaged_record_is_none(cache: Cache) -> None:
    cache.write("locks", "key", {"a": 1})
    path = cache.folder / "locks" / "key.json"
    path.write_bytes(path.read_bytes()[:-1])
    assert cache.read(dict, "locks", "key") is None
    assert not path.exists()


def test_a_file_is_no_cache(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(MachineError, match="name another folder with --cache"):
            Cache(folder)


def test_a_guard_holds_across_processes(cache: Cache) -> None:
    script = (
        "import sys\nfrom pathlib import Path\nfrom backdate.environments.cache import Cache\n"
        "with Cache(Path(sys.argv[1])).guard('key'):\n    print('inside', flush=True)\n"
    )
    command = [sys.executable, "-c", script, str(cache.folder)]
    with cache.guard("key"), pytest.raises(subprocess.TimeoutExpired):
        subprocess.run(command, timeout=2, capture_output=True, check=False)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "inside\n"


def test_a_guard_of_another_key_is_free(cache: Cache) -> None:
    with cache.guard("one"), cache.guard("other"):
        pass


def test_who_waits_for_a_guard_can_be_stopped(cache: Cache) -> None:
    stop = threading.Event()
    stop.set()
    with cache.guard("key"), obeying(stop), pytest.raises(KeyboardInterrupt), cache.guard("key"):
        pytest.fail("two held one guard")


def test_discarding_what_resists(cache: Cache, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    folder = cache.environments / "key"
    locked = folder / "a" / "b"
    locked.mkdir(parents=True)
    (locked / "file").touch()
    (folder / "link").symlink_to(outside)
    locked.chmod(0o000)
    cache.discard(folder)
    assert not folder.exists()
    assert (outside / "kept").exists()
    cache.discard(folder)


@pytest.mark.parametrize(
    ("day", "names"),
    [
        ("2018-01-01", ["atomicwrites", "setuptools", "wheel"]),
        ("2021-03-01", ["atomicwrites"]),
        ("2024-01-01", []),
    ],
)
def test_exemptions(day: str, names: list[str]) -> None:
    assert [one.name for one in cutoff_overrides_at(parse_instant(day))] == names


def test_a_cache_has_a_secret_that_stays(tmp_path: Path) -> None:
    one, other = Cache(tmp_path / "one"), Cache(tmp_path / "other")
    assert one.secret() == Cache(tmp_path / "one").secret() != other.secret()
    assert (tmp_path / "one" / "secrets").stat().st_mode & 0o077 == 0
