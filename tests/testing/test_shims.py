"""The stand-ins for python and pytest in test scripts, run for real with programs that only say what they
were.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from backdate.testing.shims import write_stand_ins


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "environment" / "bin").mkdir(parents=True)
    for name in ("python", "python3", "pytest"):
        path = tmp_path / "environment" / "bin" / name
        path.write_text('#!/bin/sh\necho "${0##*/}:" "$@"\n')
        path.chmod(0o755)
    write_stand_ins(tmp_path / "bin", tmp_path / "environment")
    (tmp_path / "events").touch()
    (tmp_path / "manage.py").touch()
    return tmp_path


def _run(folder: Path, *words: str, events: bool = True) -> str:
    environment = {"PATH": f"{folder / 'bin'}:/usr/bin:/bin"}
    if events:
        environment["BACKDATE_CAPTURE_EVENTS"] = str(folder / "events")
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


_WHOLE = "-p backdate_capture_pytest --continue-on-collection-errors --maxfail=0 --color=no"


@pytest.mark.parametrize(
    ("command", "captured"),
    [
        (["python", "-m", "pytest", "."], f"python: -m pytest {_WHOLE} ."),
        (["pytest", "-k", "a b"], f"pytest: {_WHOLE} -k a b"),
        (["python3", "-m", "unittest", "a.b"], "python3: -m backdate_capture_unittest a.b"),
        (["python", "manage.py", "test", "app"], "python: -m backdate_capture_django test app"),
        (["python", "manage.py", "migrate"], "python: manage.py migrate"),
        (["python", "-c", "pass"], "python: -c pass"),
        (["python"], "python:"),
    ],
)
def test_suites_report(folder: Path, command: list[str], captured: str) -> None:
    assert _run(folder, *command) == captured


@pytest.mark.parametrize(
    "command", [["python", "-m", "pytest", "."], ["pytest", "x"], ["python", "-m", "unittest"]]
)
def test_only_the_first_suite_reports(folder: Path, command: list[str]) -> None:
    plain = f"{command[0]}: {' '.join(command[1:])}"
    assert _run(folder, *command, events=False) == plain
    (folder / "events").write_text("{}\n")
    assert _run(folder, *command) == plain
