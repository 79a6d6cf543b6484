"""What was resolved, held to the files that were locked."""

from __future__ import annotations

import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from backdate.environments.allowed_files import held_to_files
from backdate.environments.environment import BuildFailure
from backdate.environments.lock import read_pylock
from backdate.environments.steps import Resolution
from backdate.index.closed import AllowedFiles
from backdate.timeline.instants import parse_instant

WHEELS = {f"six-1.16.0-{number}-py3-none-any.whl": f"{number:064x}" for number in range(3)}
SDIST = "f" * 64
LOG = Path("resolve.log")


def file(name: str, sha256: str) -> str:
    return (
        f'{{ url = "https://x.example/{name}", upload-time = 2021-05-05T14:18:18Z, size = 11053, '
        f'hashes = {{ sha256 = "{sha256}" }} }}'
    )


PYLOCK = f"""lock-version = "1.0"
created-by = "uv"

[[packages]]
name = "idna"
version = "3.1"
wheels = [{file("idna-3.1-py3-none-any.whl", "a" * 64)}]

[[packages]]
name = "six"
version = "1.16.0"
marker = "python_version > '3'"
sdist = {file("six-1.16.0.tar.gz", SDIST)}
wheels = [
    {", ".join(file(name, sha256) for name, sha256 in WHEELS.items())},
]

[[packages]]
name = "tree"
directory = {{ path = "@PROJECT@" }}
"""


def held(*allowed: AllowedFiles) -> Resolution | BuildFailure:
    lock = read_pylock(PYLOCK, instant=parse_instant("2022-01-01"), python="3.11.0", cutoff_overrides=())
    request: Any = SimpleNamespace(allowed_files=allowed, choice=None)
    return held_to_files(Resolution(lock=lock, pylock=PYLOCK, checked=True), request, LOG)


def six(*hashes: str, version: str = "1.16") -> AllowedFiles:
    return AllowedFiles(name="six", version=version, hashes=frozenset(f"sha256:{one}" for one in hashes))


@given(st.sets(st.sampled_from([SDIST, *WHEELS.values(), "e" * 64]), min_size=1))
def test_exactly_the_allowed_files_of_a_version_are_left(hashes: set[str]) -> None:
    found = held(six(*hashes))
    known = hashes & {SDIST, *WHEELS.values()}
    if not known:
        assert isinstance(found, BuildFailure)
        assert "none of the locked files of six 1.16.0" in found.message
        assert found.certain
        return
    assert isinstance(found, Resolution)
    before, after = (
        {package["name"]: package for package in tomllib.loads(text)["packages"]}
        for text in (PYLOCK, found.pylock)
    )
    left = after["six"]
    files = [*left.pop("wheels", []), *([left.pop("sdist")] if "sdist" in left else [])]
    assert {one["hashes"]["sha256"] for one in files} == known
    whole = before["six"]
    assert all(one in [*whole["wheels"], whole["sdist"]] for one in files)
    assert left == {"name": "six", "version": "1.16.0", "marker": "python_version > '3'"}
    assert [after[name] for name in ("idna", "tree")] == [before[name] for name in ("idna", "tree")]
    assert (
        read_pylock(found.pylock, instant=found.lock.instant, python=found.lock.python, cutoff_overrides=())
        == found.lock
    )


def test_hashes_of_another_version_do_not_matter() -> None:
    found = held(six("e" * 64, version="1.15"))
    assert isinstance(found, Resolution)
    assert found.pylock == PYLOCK


def test_files_of_one_version_in_several_entries_are_all_allowed() -> None:
    found = held(six(SDIST), six(WHEELS["six-1.16.0-0-py3-none-any.whl"]))
    assert isinstance(found, Resolution)
    locked = next(one for one in found.lock.distributions if one.name == "six")
    assert set(locked.hashes) == {f"sha256:{SDIST}", f"sha256:{0:064x}"}
