"""Items of a suite that run a linter."""

from __future__ import annotations

import pytest
from builders import raised, result, run
from fake_setups import INSTANT, choice, recipe

from backdate.checking.compare import compare_runs
from backdate.checking.result import Side, Verdict
from backdate.checking.verdict import decide
from backdate.diagnosis.diagnose import diagnose
from backdate.testing.lint_items import lint_tool
from backdate.testing.outcomes import CaseResult, Outcome


@pytest.mark.parametrize(
    ("test", "kind", "tool"),
    [
        ("pkg/a.py::FLAKE8", "", "flake8"),
        ("pkg/a.py::flake-8::FLAKE8", "", "flake8"),
        ("pkg/a.py::mypy", "", "mypy"),
        ("::mypy-status", "", "mypy"),
        ("pkg/a.py::PYLINT", "", "pylint"),
        ("pkg/a.py::ruff::format", "", "ruff"),
        ("pkg/a.py::pyflakes-check", "", "pyflakes"),
        ("pkg/a.py", "pytest_flake8.Flake8Error", "flake8"),
        ("pkg/a.py", "pytest_mypy.MypyError", "mypy"),
        ("tests/test_mypy.py::test_mypy", "AssertionError", ""),
        ("tests/test_black.py::test_a[black]", "", ""),
        ("tests/test_a.py::test_a", "mypy.errors.CompileError", ""),
    ],
)
def test_what_an_item_runs(test: str, kind: str, tool: str) -> None:
    assert lint_tool(test, kind) == tool


def flaked(name: str, message: str) -> CaseResult:
    return result(f"{name}::FLAKE8", Outcome.FAILED, raised("pytest_flake8.Flake8Error", message))


def decided(old: tuple[CaseResult, ...], new: tuple[CaseResult, ...]) -> tuple[Verdict, str]:
    runs = run(*old), run(*new)
    sides = [Side(instant=INSTANT, choice=choice(), recipe=recipe("a"), run=one) for one in runs]
    return decide(sides[0], sides[1], compare_runs(*runs))


def test_they_stand_apart() -> None:
    passed = tuple(result(name) for name in ("a.py::FLAKE8", "b.py::FLAKE8", "t.py::a", "t.py::b"))
    broke = result("t.py::a", Outcome.FAILED, raised("KeyError", "1"))
    bad = (flaked("a.py", "a.py:1: E1"), flaked("b.py", "b.py:7: E2"))
    lint, test = compare_runs(run(*passed), run(*bad, broke, passed[3])).breakages[::-1]
    assert (lint.lint, lint.tests, lint.message) == (
        *("flake8", ("a.py::FLAKE8", "b.py::FLAKE8")),
        "flake8 finds more than before",
    )
    assert (test.lint, test.tests) == ("", ("t.py::a",))
    assert decided(passed, (*bad, broke, passed[3])) == (
        Verdict.BROKE,
        "1 test that passed fails now; so do 2 of flake8",
    )
    assert decided(passed, (*bad, *passed[2:])) == (
        Verdict.BROKE,
        "2 items of flake8 that passed fail now; no test does",
    )
    assert [len(cluster.tests) for cluster in diagnose(run(*bad, broke), None).clusters] == [2, 1]


def test_what_a_linter_finds_on_both_sides_hides_nothing() -> None:
    old, new = flaked("a.py", "a.py:1: E1"), flaked("a.py", "a.py:1: E1, a.py:2: W5")
    assert decided((old, result("t.py::a")), (new, result("t.py::a")))[0] is Verdict.NOTHING_BROKE
