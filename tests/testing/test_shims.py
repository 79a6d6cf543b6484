"""The stand-ins for python and pytest in test scripts, run for real with programs that only say what they
were.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from backdate.testing.managed_runs import declared_commands
from backdate.testing.shims import write_stand_ins

PIPFILE = """
[scripts]
checks = "pytest -v checks"
called = {call = "a.b:main()"}
"""
PYPROJECT = """
[tool.pdm.scripts]
checks = "pytest -q {args:tests}"
both.composite = ["one", "two A"]
one = {cmd = ["python", "first"]}
two = {shell = "python second", env = {X = "1"}}
[tool.hatch.envs.default.scripts]
checks = ["- before", "pytest {args:tests}"]
before = ["python before", "false"]
[tool.hatch.envs.style.scripts]
all = "lint"
lint = "python style"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "environment" / "bin").mkdir(parents=True)
    (tmp_path / "Pipfile").write_text(PIPFILE)
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    for name in ("python", "python3", "pytest", "hatch"):
        path = tmp_path / "environment" / "bin" / name
        path.write_text('#!/bin/sh\necho "${0##*/}:" "$@"\n')
        path.chmod(0o755)
    write_stand_ins(
        tmp_path / "bin",
        tmp_path / "environment",
        seen_at=tmp_path / "bin",
        commands=declared_commands(tmp_path),
    )
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
        (
            ["coverage", "run", "--source=a", "-m", "pytest", "-m", "slow"],
            f"python: -m coverage run --source=a -m pytest {_WHOLE} -m slow",
        ),
        (
            ["python", "-m", "coverage", "run", "-m", "unittest", "a"],
            "python: -m coverage run -m backdate_capture_unittest a",
        ),
        (
            ["coverage", "run", "manage.py", "test", "a"],
            "python: -m coverage run -m backdate_capture_django test a",
        ),
        (["coverage", "report", "-m", "pytest"], "python: -m coverage report -m pytest"),
        (["poetry", "run", "pytest", "-k", "a b"], f"pytest: {_WHOLE} -k a b"),
        (["poetry", "-C", "run", "run", "python", "-m", "pytest"], f"python: -m pytest {_WHOLE}"),
        (["python", "-m", "poetry", "run", "pytest"], f"pytest: {_WHOLE}"),
        (["pipenv", "run", "python", "-m", "unittest", "x"], "python: -m backdate_capture_unittest x"),
        (["pipenv", "run", "checks", "x y"], f"pytest: {_WHOLE} -v checks x y"),
        (["pipenv", "run", "called"], "python: -c import sys, a.b; sys.exit(a.b.main())"),
        (["pdm", "run", "-p", ".", "checks"], f"pytest: {_WHOLE} -q tests"),
        (["pdm", "checks", "a b"], f"pytest: {_WHOLE} -q a b"),
        (["pdm", "run", "both"], "python: first\npython: second A"),
        (["hatch", "run", "checks"], f"python: before\npytest: {_WHOLE} tests"),
        (["hatch", "run", "default:checks", "x"], f"python: before\npytest: {_WHOLE} x"),
        (["hatch", "-e", "style", "run", "style:all"], "python: style"),
        (["hatch", "run", "other:pytest", "x"], f"pytest: {_WHOLE} x"),
        (["uv", "run", "--with", "x", "--", "pytest"], f"pytest: {_WHOLE}"),
        (["uv", "run", "--all-extras", "-m", "pytest", "x"], f"python: -m pytest {_WHOLE} x"),
        (["uv", "run", "run.py", "x"], "python: run.py x"),
        (["hatch", "env", "show"], "hatch: env show"),
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
