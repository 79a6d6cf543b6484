"""Suites that project managers run in test scripts, and the commands that projects declare for them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from patience import PATIENCE_S
from slow_tests import others_slow
from small_runner import MIB, bare_environment, bubblewrap, write_files

from backdate.recipes.recipe import Provenance, SuitePlan
from backdate.sandboxes.interface import Limits
from backdate.testing.managed_runs import declared_commands, managed_stand_ins
from backdate.testing.outcomes import Outcome
from backdate.testing.run import run_suite

SUITE = """
import unittest

class All(unittest.TestCase):
    def test_good(self):
        pass
    def test_bad(self):
        self.assertEqual(1, 2)
"""
PIPFILE = '[scripts]\nchecks = "python -m unittest checks.test_all"\n'
LINES = [
    "poetry run python -m unittest checks.test_all",
    "pdm run python -m unittest checks.test_all",
    "hatch run python -m unittest checks.test_all",
    "uv run --frozen -m unittest checks.test_all",
    "pipenv run checks",
]


@pytest.mark.parametrize("line", others_slow(LINES, kept={LINES[0], LINES[-1]}))
def test_what_a_manager_runs_is_told_by_test(tmp_path: Path, line: str) -> None:
    files = {"checks/__init__.py": "", "checks/test_all.py": SUITE, "Pipfile": PIPFILE, "run.sh": f"{line}\n"}
    done = run_suite(
        bubblewrap(),
        bare_environment("3.12"),
        write_files(tmp_path / "tree", files),
        SuitePlan(runner="script", targets=("run.sh",), provenance=Provenance(rule="a test")),
        limits=Limits(wall_s=PATIENCE_S, memory_bytes=512 * MIB, disk_bytes=256 * MIB),
        log_folder=tmp_path / "logs",
    )
    outcomes = {one.id.rpartition(".")[2]: one.outcome for one in done.results}
    assert outcomes == {"test_good": Outcome.PASSED, "test_bad": Outcome.FAILED}, done.log.read_text()
    assert (done.status, done.exit_code) == ("completed", 1)


@pytest.mark.parametrize(
    "text",
    ["a = [", 'scripts = "x"', "[scripts]\na = 1\nb = {call = 'no function'}", '[scripts]\na = "x\\u0000"'],
)
def test_what_cannot_be_read_declares_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "Pipfile").write_text(text)
    assert declared_commands(tmp_path)["pipenv"] == {}


def test_of_a_flood_of_commands_few_are_taken(tmp_path: Path) -> None:
    many = "".join(f"a{number} = 'x'\n" for number in range(5000))
    (tmp_path / "Pipfile").write_text(f"[scripts]\nlong = '{'x' * 10_000}'\n{many}")
    assert len(declared_commands(tmp_path)["pipenv"]) < 1000


def test_a_name_that_is_a_command_of_the_shell_is_only_a_name(tmp_path: Path) -> None:
    name = "$(touch x)') ;; esac; touch y; case '"
    (tmp_path / "Pipfile").write_text(f'[scripts]\n"{name}" = "echo ran"\n')
    text = managed_stand_ins(tmp_path, declared_commands(tmp_path))["pipenv"]
    words = ["sh", "-c", text, "pipenv", "run", name]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "ran\n"
    assert [path.name for path in tmp_path.iterdir()] == ["Pipfile"]
