"""Several test commands as one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from fake_setups import RULE, carried, ran, recipe

from backdate.recipes.recipe import MOST_PLANS, SuitePlan
from backdate.sandboxes.interface import Limits
from backdate.testing import several
from backdate.testing.outcomes import CaseResult, Outcome, SuiteRun
from backdate.testing.several import run_plans


def plan(name: str) -> SuitePlan:
    return SuitePlan(runner="pytest", targets=(name,), provenance=RULE)


def of(run: SuiteRun, *results: tuple[str, Outcome]) -> SuiteRun:
    return replace(
        run, results=tuple(CaseResult(id=name, outcome=end, duration_s=0.0) for name, end in results)
    )


class Suites:
    """Stands for ``run_suite``."""

    def __init__(self, **runs: SuiteRun) -> None:
        self.runs = runs
        self.asked: list[tuple[str, float, Path]] = []

    def __call__(self, *given: object, limits: Limits, log_folder: Path, **others: object) -> SuiteRun:
        one = given[3]
        assert isinstance(one, SuitePlan)
        self.asked.append((one.targets[0], limits.wall_s, log_folder))
        return self.runs[one.targets[0]]


def run(
    suites: Suites, names: Sequence[str], monkeypatch: pytest.MonkeyPatch, wall_s: float = 100.0
) -> SuiteRun:
    monkeypatch.setattr(several, "run_suite", suites)
    environment = carried(recipe("a"), ran(passed=1)).environment
    assert environment is not None
    return run_plans(
        None,  # type: ignore[arg-type]
        environment,
        Path("/tree"),
        [plan(name) for name in names],
        limits=Limits(wall_s=wall_s),
        log_folder=Path("/logs"),
    )


def test_one_plan_is_its_own_run(monkeypatch: pytest.MonkeyPatch) -> None:
    only = ran(passed=2)
    assert run(Suites(a=only), "a", monkeypatch) is only


def test_the_first_outcome_of_a_test_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    first = of(ran(), ("x", Outcome.PASSED), ("f.py", Outcome.NOT_COLLECTED))
    second = of(ran(), ("x", Outcome.FAILED), ("y", Outcome.FAILED), ("f.py", Outcome.PASSED))
    suites = Suites(a=first, b=second)
    together = run(suites, "ab", monkeypatch)
    assert {one.id: one.outcome for one in together.results} == {
        "x": Outcome.PASSED,
        "y": Outcome.FAILED,
        "f.py": Outcome.PASSED,
    }
    assert together.duration_s == 2.0
    assert suites.asked == [("a", 100.0, Path("/logs")), ("b", 99.0, Path("/logs/further-2"))]


def test_how_the_first_ended_is_how_the_run_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    together = run(Suites(a=ran(passed=1), b=ran(status="broken")), "ab", monkeypatch)
    assert together.status == "completed"
    assert "Test command 2 ended as broken" in together.trouble
    assert run(Suites(a=ran(status="broken"), b=ran(passed=1)), "ab", monkeypatch).status == "broken"


def test_a_first_plan_without_tests_gives_way(monkeypatch: pytest.MonkeyPatch) -> None:
    together = run(Suites(a=ran(status="no-tests"), b=ran(passed=1)), "ab", monkeypatch)
    assert together.status == "completed"
    assert len(together.results) == 1


def test_the_time_is_shared_and_what_was_not_run_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    suites = Suites(a=ran(passed=1), b=ran(passed=1), c=ran(passed=1))
    together = run(suites, "abc", monkeypatch, wall_s=2.5)
    assert [name for name, _, _ in suites.asked] == ["a", "b"]
    assert "1 of 3 test commands were not run" in together.trouble


def test_more_commands_than_people_write_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    suites = Suites(a=ran(passed=1))
    together = run(suites, "a" * 20, monkeypatch)
    assert len(suites.asked) == MOST_PLANS
    assert f"{20 - MOST_PLANS} of 20 test commands were not run" in together.trouble


def test_suspicions_are_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = replace(ran(passed=1), suspicions=("odd",))
    assert run(Suites(a=odd, b=odd), "ab", monkeypatch).suspicions == ("odd",)
