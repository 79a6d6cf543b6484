"""The stand-ins for pip, python, apt-get and sudo, run for real with a uv that only says what it was
asked.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from backdate.environments.cutoff_overrides import cutoff_overrides_at, editable_cutoff_override
from backdate.environments.environment import CutoffOverride
from backdate.environments.script_shims import InstallCommands, ShimPaths, shims, write_stand_ins
from backdate.timeline.instants import parse_instant


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "environment"
    (root / "bin").mkdir(parents=True)
    for path in (tmp_path / "uv", root / "bin" / "python"):
        path.write_text(f'#!/bin/sh\necho "{path.name}:" "$@"\n')
        path.chmod(0o755)
    write_stand_ins(paths(tmp_path), commands(tmp_path), apart=("poetry", "uv"))
    return tmp_path


def paths(folder: Path) -> ShimPaths:
    return ShimPaths(
        folder=folder / "bin",
        root=folder / "environment",
        interpreter=folder / "base python",
        uv=folder / "uv",
        managers=folder / "managers",
        starter=folder / "starter",
    )


def commands(folder: Path, *, by_pip: bool = False) -> InstallCommands:
    uv, python = str(folder / "uv"), str(folder / "environment" / "bin" / "python")
    return InstallCommands(plain=(uv, "PLAIN INSTALL", python), editable=(uv, "EDITABLE"), by_pip=by_pip)


def _run(folder: Path, *words: str) -> str:
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(words, cwd=folder, env={"PATH": path}, capture_output=True, text=True, check=False)
    return f"{done.returncode} {done.stdout}{done.stderr}".strip()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["pip", "install", "a b", "-r", "x.txt"], "0 uv: PLAIN INSTALL PYTHON a b -r x.txt"),
        (["pip3", "install", "--user", "--no-cache-dir", "six"], "0 uv: PLAIN INSTALL PYTHON six"),
        (["pip", "install", "--progress-bar", "off", "--timeout=3", "six"], "0 uv: PLAIN INSTALL PYTHON six"),
        (["pip", "install", "-e", "."], "0 uv: EDITABLE -e ."),
        (["pip", "install", "-e.[test]", "six"], "0 uv: EDITABLE -e.[test] six"),
        (["pip", "install", "-r", "editable.txt"], "0 uv: EDITABLE -r editable.txt"),
        (["python", "-m", "pip", "install", "six"], "0 uv: PLAIN INSTALL PYTHON six"),
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
    python = str(folder / "environment" / "bin" / "python")
    assert _run(folder, *command).startswith(said.replace("PYTHON", python))


def test_an_uninstall_is_not_asked_back(folder: Path) -> None:
    assert _run(folder, "pip", "uninstall", "--yes", "six").endswith(" six")


@pytest.mark.skipif(not Path("/var/lib/dpkg/status").is_file(), reason="this system has no dpkg")
def test_an_installed_system_package_is_fine(folder: Path) -> None:
    assert _run(folder, "sudo", "apt-get", "install", "-y", "libc6") == "0"


def test_pip_of_the_time_installs_everything_else_itself(folder: Path) -> None:
    write_stand_ins(paths(folder), commands(folder, by_pip=True), apart=("poetry",))
    assert _run(folder, "pip", "install", "-e", ".", "--user") == "0 python: -m pip install -e . --user"
    assert _run(folder, "python", "-m", "pip", "freeze") == "0 python: -m pip freeze"


def managers_folder(folder: Path) -> Path:
    """A uv that makes environments whose python says what it was asked."""
    (folder / "uv").write_text(
        '#!/bin/sh\nif [ "$1" = venv ]; then\n'
        'for own; do :; done; mkdir -p "$own/bin"\n'
        f'cp {folder}/environment/bin/python "$own/bin/python"\n'
        'else echo "uv:" "$@"; fi\n'
    )
    return folder / "managers"


def test_a_manager_goes_into_an_environment_of_its_own(folder: Path) -> None:
    own = managers_folder(folder) / "poetry" / "bin"
    into, python = f"uv: PLAIN INSTALL {own}/python", f"{folder}/environment/bin/python"
    alone = _run(folder, "pip", "install", "-q", "--retries", "3", "poetry>=1,<2")
    assert alone == f"0 {into} pip setuptools wheel\n{into} poetry>=1,<2"
    mixed = _run(folder, "pip", "install", "-U", "poetry", "six", "-c", "poetry", "poetry-core")
    assert mixed == f"0 {into} poetry\nuv: PLAIN INSTALL {python} -U six -c poetry poetry-core"
    assert _run(folder, "pip", "install", "-rpoetry").endswith(f"{python} -rpoetry")
    assert (own.parent.parent / "bin" / "poetry").readlink() == own / "poetry"


def test_a_manager_that_is_to_share_the_environment_does(folder: Path) -> None:
    write_stand_ins(paths(folder), commands(folder), apart=())
    said = _run(folder, "pip", "install", "poetry", "uv")
    assert said == f"0 uv: PLAIN INSTALL {folder}/environment/bin/python poetry uv"


def test_a_manager_goes_apart_by_pip_too(folder: Path) -> None:
    own = managers_folder(folder) / "poetry" / "bin"
    write_stand_ins(paths(folder), commands(folder, by_pip=True), apart=("poetry",))
    said = _run(folder, "python", "-m", "pip", "install", "poetry", "six")
    assert said.splitlines() == [
        f"0 uv: PLAIN INSTALL {own}/python pip setuptools wheel",
        "python: -m pip install poetry",
        "python: -m pip install six",
    ]


def test_managers_that_python_runs_are_those_that_the_script_installed(folder: Path) -> None:
    (folder / "starter").write_text('#!/bin/sh\necho "starter:" "$@"\n')
    (folder / "starter").chmod(0o755)
    assert _run(folder, "python", "-m", "poetry", "install") == "0 starter: install"
    assert _run(folder, "python", "-m", "pdm", "install") == "0 python: -m pdm install"
    assert _run(folder, "uv", "sync") == "127 uv: not found"
    programs = folder / "managers" / "bin"
    programs.mkdir(parents=True)
    for name in ("pdm", "uv"):
        (programs / name).write_text('#!/bin/sh\necho "own ${0##*/}:" "$@" "$UV_SYSTEM_PYTHON"\n')
        (programs / name).chmod(0o755)
    assert _run(folder, "python", "-m", "pdm", "install") == "0 own pdm: install"
    assert (
        _run(folder, "python", "-m", "uv", "pip", "install", "--system", "six") == "0 own uv: pip install six"
    )


def test_paths_with_spaces_are_quoted(tmp_path: Path) -> None:
    own = tmp_path / "c d"
    texts = shims(
        replace(paths(tmp_path), folder=tmp_path / "a b", root=own, uv=Path("/e f/uv")),
        replace(commands(tmp_path), plain=("/e f/uv", str(own / "bin" / "python"), "x")),
        apart=("poetry",),
    )
    assert f"exec '{tmp_path}/a b/pip' \"$@\"" in texts["python"]
    assert "'/e f/uv' \"$own/bin/python\" x pip setuptools wheel || exit" in texts["pip"]
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
