"""Which distributions of a lock have to be built, and the lock with the wheels that came of it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from backdate.environments.lock_wheels import WheelFile, sdists_to_build, with_wheels

HEAD = 'lock-version = "1.0"\ncreated-by = "uv"\nrequires-python = ">=3.8"\n\n'


def package(name: str, *wheels: str, sdist: bool = True, version: str = "1") -> str:
    lines = ["[[packages]]", f'name = "{name}"', f'version = "{version}"']
    if sdist:
        url, digest = f"https://files/{name}-1.tar.gz", "a" * 64
        lines.append(f'sdist = {{ url = "{url}", size = 1, hashes = {{ sha256 = "{digest}" }} }}')
    files = [
        f'    {{ url = "https://files/{one}", hashes = {{ sha256 = "{"b" * 64}" }} }},' for one in wheels
    ]
    return "\n".join((*lines, *(("wheels = [", *files, "]") if files else ()), "", ""))


@pytest.mark.parametrize(
    ("wheel", "python", "does"),
    [
        ("x-1-py3-none-any.whl", "3.8.18", True),
        ("x-1-py2.py3-none-any.whl", "3.12.1", True),
        ("x-1-py2-none-any.whl", "3.8.18", False),
        ("x-1-py39-none-any.whl", "3.8.18", False),
        ("x-1-py37-none-any.whl", "3.8.18", True),
        ("x-1-cp38-cp38-manylinux_2_99_x86_64.whl", "3.8.18", True),
        ("x-1-cp37-cp37m-manylinux1_x86_64.whl", "3.7.17", True),
        ("x-1-cp37-cp37m-manylinux1_x86_64.whl", "3.8.18", False),
        ("x-1-cp36-abi3-manylinux1_x86_64.whl", "3.11.7", True),
        ("x-1-cp312-abi3-manylinux1_x86_64.whl", "3.11.7", False),
        ("x-1-cp38-cp38-manylinux1_aarch64.whl", "3.8.18", False),
        ("x-1-cp38-cp38-musllinux_1_1_x86_64.whl", "3.8.18", False),
        ("x-1-cp38-cp38-win_amd64.whl", "3.8.18", False),
        ("x-1-cp38-cp38-macosx_10_9_x86_64.whl", "3.8.18", False),
        ("x-1-pp38-pypy38_pp73-manylinux1_x86_64.whl", "3.8.18", False),
        ("x-1-cp38-none-any.whl", "3.8.18", True),
        ("x-1-py3²-none-any.whl", "3.8.18", True),  # a digit to Python, and no number
        ("no-wheel.whl", "3.8.18", True),
    ],
)
def test_a_wheel_that_may_do_is_not_built(wheel: str, python: str, does: bool) -> None:
    found = sdists_to_build(HEAD + package("x", wheel), python=python, machine="x86_64")
    assert [one.name for one in found] == ([] if does else ["x"])


def test_what_has_to_be_built_is_a_lock_of_its_own() -> None:
    others = package("a", "a-1-py3-none-any.whl") + package("c", sdist=False)
    text = HEAD + others + package("b", version="1.0.dev1")
    (found,) = sdists_to_build(text, python="3.8.18", machine="x86_64")
    assert (found.name, found.version, found.sha256) == ("b", "1.0.dev1", "a" * 64)
    assert [one["name"] for one in tomllib.loads(found.lock)["packages"]] == ["b"]
    assert tomllib.loads(found.lock)["requires-python"] == ">=3.8"


def test_the_wheels_stand_where_the_sdists_stood() -> None:
    text = HEAD + package("a", "a-1-py3-none-any.whl") + package("b")
    wheel = WheelFile(path=Path('/cache/wi"th/b-1-py3-none-any.whl'), sha256="c" * 64)
    first, second = tomllib.loads(with_wheels(text, {"b": wheel}))["packages"]
    assert first == tomllib.loads(text)["packages"][0]
    assert second == {
        "name": "b",
        "version": "1",
        "wheels": [{"path": str(wheel.path), "hashes": {"sha256": "c" * 64}}],
    }
    assert with_wheels(text, {}) == text
