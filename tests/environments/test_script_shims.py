"""The stand-ins for pip, python, apt-get and sudo, run for real with a uv that only says what it was
asked.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from backdate.environments.cutoff_overrides import cutoff_overrides_at, editable_cutoff_override
from backdate.environments.environment import CutoffOverride
from backdate.environments.script_shims import shims, write_stand_ins
from backdate.timeline.instants import parse_instant


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "environment"
    (root / "bin").mkdir(parents=True)
    for path in (tmp_path / "uv", root / "bin" / "python"):
        path.write_text(f'#!/bin/sh\necho "{path.name}:" "$@"\n')
        path.chmod(0o755)
    uv = str(tmp_path / "uv")
    write_stand_ins(tmp_path / "bin", root=root, uv=uv, pip=((uv, "PLAIN INSTALL"), (uv, "EDITABLE")))
    return tmp_path


def _run(folder: Path, *words: str) -> str:
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(words, cwd=folder, env={"PATH": path}, capture_output=True, text=True, check=False)
    return f"{done.returncode} {done.stdout}{done.stderr}".strip()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["pip", "install", "a b", "-r", "x.txt"], "0 uv: PLAIN INSTALL a b -r x.txt"),
        (["pip3", "install", "--user", "--no-cache-dir", "six"], "0 uv: PLAIN INSTALL six"),
        (["pip", "install", "--progress-bar", "off", "--timeout=3", "six"], "0 uv: PLAIN INSTALL six"),
        (["pip", "install", "-e", "."], "0 uv: EDITABLE -e ."),
        (["pip", "install", "-e.[test]", "six"], "0 uv: EDITABLE -e.[test] six"),
        (["pip", "install", "-r", "editable.txt"], "0 uv: EDITABLE -r editable.txt"),
        (["python", "-m", "pip", "install", "six"], "0 uv: PLAIN INSTALL six"),
        (["python3", "-m", "pip", "freeze"], "0 uv: pip freeze --python"),
        (["pip", "uninstall", "-y", "six"], "0 uv: pip uninstall --python"),
        (["pip", "download", "six"], "0 python: -m pip download six"),
        (["python", "setup.py", "a b"], "0 python: setup.py a b"),
        (["python"], "0 python:"),
        (["apt-get", "update"], "0"),
        (["apt-get", "-y", "install", "no-such-package"], "100 backdate: system packages are missing"),
        (["apt", "source", "x"], "100 backdate:"),
        (["sudo", "-E", "X=1", "sh", "-c", "echo $X"], "0 1"),
    ],
)
def test_what_becomes_of_commands(folder: Path, command: list[str], said: str) -> None:
    (folder / "editable.txt").write_text("six\n -e git+https://x#egg=y\n")
    assert _run(folder, *command).startswith(said)


def test_an_uninstall_is_not_asked_back(folder: Path) -> None:
    assert _run(folder, "pip", "uninstall", "--yes", "six").endswith(" six")


@pytest.mark.skipif(not Path("/var/lib/dpkg/status").is_file(), reason="this system has no dpkg")
def test_an_installed_system_package_is_fine(folder: Path) -> None:
    assert _run(folder, "sudo", "apt-get", "install", "-y", "libc6") == "0"


def test_pip_of_the_time_is_left_alone(tmp_path: Path) -> None:
    assert set(shims(tmp_path, root=tmp_path, uv="uv", pip=None)) == {"apt-get", "apt", "sudo"}


def test_paths_with_spaces_are_quoted(tmp_path: Path) -> None:
    texts = shims(tmp_path / "a b", root=tmp_path / "c d", uv="/e f/uv", pip=(("/e f/uv", "x"), ("y",)))
    assert f"exec '{tmp_path}/a b/pip' \"$@\"" in texts["python"]
    assert "exec '/e f/uv' pip \"$command\" --python" in texts["pip"]


def test_editable_installs_need_a_later_setuptools() -> None:
    old = parse_instant("2018-01-01")
    moved = {
        one.name: one.until.year for one in editable_cutoff_override(cutoff_overrides_at(old), old, "3.7.16")
    }
    assert moved["setuptools"] == 2022
    assert list(moved) == sorted(moved)
    assert editable_cutoff_override(cutoff_overrides_at(old), old, "3.6.15") == cutoff_overrides_at(old)
    new = parse_instant("2023-01-01")
    assert editable_cutoff_override((), new, "3.11.7") == ()
    assert all(isinstance(one, CutoffOverride) for one in editable_cutoff_override((), old, "3.8.1"))
