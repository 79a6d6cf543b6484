"""Whether tests need the upper bound on interpreters."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_setups import choice
from small_world import commit

from backdate.checking.answers import CheckAnswers, NeededCap, UnneededCap
from backdate.checking.python_cap import allows, cap_by_runs
from backdate.checking.result import Verdict
from backdate.checking.settings import Settings
from backdate.cli.render_answers import answers_lines
from backdate.projects.python_constraint import PythonConstraint
from backdate.session import answer
from backdate.timeline.instants import parse_instant

BOUND = PythonConstraint(
    specifier=">=3.8,<3.12", kind="requires", rule="requires-python", file="pyproject.toml", line=4
)
WITHIN, BEYOND = choice("3.11.2"), choice("3.13.1")
GOOD = frozenset({"a", "b", "c"})


def found(
    beyond: set[str] | None, within: set[str] | None = None
) -> tuple[NeededCap | UnneededCap | None, list[str]]:
    """What is found where these tests pass, and the interpreters that were asked."""
    asked: list[str] = []

    def passing(chosen: object) -> frozenset[str] | None:
        asked.append("beyond" if chosen is BEYOND else "within")
        passed = beyond if chosen is BEYOND else within
        return None if passed is None else frozenset(passed)

    return cap_by_runs(BOUND, GOOD, WITHIN, BEYOND, passing), asked


def test_one_without_which_nothing_breaks_takes_one_run() -> None:
    cap, asked = found({"a", "b", "c", "d"})
    assert cap == UnneededCap(
        distribution="python",
        requirement="requires-python >=3.8,<3.12",
        file="pyproject.toml",
        line=4,
        without="3.13.1",
    )
    assert asked == ["beyond"]


def test_one_that_tests_need_is_shown_on_both_sides_of_it() -> None:
    cap, asked = found({"a"}, {"a", "b"})
    assert isinstance(cap, NeededCap)
    assert (cap.tests, cap.proven, cap.newest, cap.line) == (1, True, "3.13.1", 4)
    assert asked == ["beyond", "within"]


@pytest.mark.parametrize(("beyond", "within"), [(None, {"a"}), ({"a"}, {"a"}), ({"a"}, None), (set(), set())])
def test_nothing_is_said_of_what_no_run_shows(beyond: set[str] | None, within: set[str] | None) -> None:
    assert found(beyond, within)[0] is None


def test_which_interpreters_it_allows() -> None:
    assert allows(BOUND, WITHIN)
    assert not allows(BOUND, BEYOND)


def answers_for(code: str, folder: Path) -> CheckAnswers:
    metadata = '[project]\nname = "p"\nversion = "1"\nrequires-python = ">=3.10,<3.12"\n'
    build = '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
    tests = f"import unittest\n\n\nclass Case(unittest.TestCase):\n    def test_it(self):\n        {code}\n"
    files = {
        "pyproject.toml": f"{metadata}{build}[tool.setuptools]\npackages = []\n",
        "tests/__init__.py": "",
        "tests/test_it.py": tests + "\n    def test_other(self):\n        pass\n",
    }
    commit(folder / "project", files, "2024-01-05T00:00:00Z")
    settings = Settings(cache=folder / "cache")
    return answer(folder / "project", to_instant=parse_instant("2025-06-01"), settings=settings)


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.parametrize(("code", "needed"), [("import imp", True), ("import json", False)])
def test_a_bound_is_named_with_its_place_and_proven(tmp_path: Path, code: str, needed: bool) -> None:
    answers = answers_for(code, tmp_path)
    assert answers.verdict is Verdict.NOTHING_BROKE
    text = "\n".join(line for line, _ in answers_lines(answers))
    place = "requires-python <3.12,>=3.10 (pyproject.toml:4)"
    if needed:
        assert f"Without your cap {place}: 1 test breaks with Python 3.1" in text
    else:
        assert f"You can lift {place}: nothing breaks with Python 3.1" in text
