"""A built task without a gold patch is verified by finding again what its build has written down."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_setups import recipe
from task_builders import BAD, GOOD, FakeTaskRunner, run_of, task

from backdate.tasks.recorded_outcomes import differences, is_recorded
from backdate.tasks.roles import judge_tests
from backdate.tasks.task import RecipeSetup, Task
from backdate.tasks.verification_report import markdown_table, report_of, summary_lines
from backdate.tasks.verify_task import Verification, verify_task
from backdate.testing.outcomes import Outcome

FIRST, SECOND = GOOD


@pytest.fixture
def built() -> Task:
    tests = judge_tests([run_of(GOOD)], [run_of(BAD)]).tests
    return replace(task(gold_patch=""), setup=RecipeSetup(recipe=recipe("markupsafe")), tests=tests)


def _verify(one: Task, tmp_path: Path, old: dict, new: dict) -> tuple[Verification, Task]:
    def judge(_tree: Path, side: str, _number: int):
        return run_of(old if side == "origin" else new)

    return verify_task(one, FakeTaskRunner(judge), log_folder=tmp_path, repeats=2)


def test_the_same_again_is_verified(built: Task, tmp_path: Path) -> None:
    found, after = _verify(built, tmp_path, GOOD, BAD)
    assert (found.verified, found.reason, found.gold_unproven) == (True, "", True)
    assert after.tests == built.tests
    assert after.proof is not None
    assert (after.proof.origin, after.proof.start, after.proof.reference) == ("pass", "fail", "none")
    report = report_of("a set", 2, [found], {})
    assert (report.verified, report.gold_unproven) == (1, 1)
    assert summary_lines(report)[1].startswith("gold unproven: 1 of them")
    assert "| yes, gold unproven |" in markdown_table(report)


def test_its_old_side_shows_which_changes_of_tests_are_sound(built: Task, tmp_path: Path) -> None:
    asked: list[tuple[str, bytes]] = []

    class Judging(FakeTaskRunner):
        def run_changed(self, task, changed, *, environment, built_for, log_folder, limits, only=()):
            asked.append((environment, (changed / "test_it.py").read_bytes()))
            return self.run_tests(task, changed, environment, log_folder=log_folder)

        def make_tree(self, task, target, stage=None):
            super().make_tree(task, target, stage)
            (target / "test_it.py").write_text("def test_a():\n    assert f(1) == 2\n")

    def judge(_tree: Path, side: str, _number: int):
        run = run_of(GOOD if side == "origin" else BAD)
        return replace(run, results=tuple(replace(one, file="test_it.py") for one in run.results))

    found, after = verify_task(built, Judging(judge), log_folder=tmp_path, repeats=1)
    assert found.verified, found.reason
    assert after.proof is not None
    assert after.proof.judge is not None
    assert {environment for environment, _ in asked} == {"origin"}
    assert len({text for _, text in asked}) == 4  # one for each kind of change


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (GOOD, GOOD, "pass-to-pass (passed, then passed) instead of fail-to-pass (passed, then error)"),
        (GOOD, {**BAD, FIRST: Outcome.FAILED}, "fail-to-pass (passed, then failed) instead of"),
        (
            {**GOOD, SECOND: Outcome.FAILED},
            BAD,
            "failed before (failed, then passed) instead of pass-to-pass",
        ),
        ({FIRST: Outcome.PASSED}, BAD, "not there instead of pass-to-pass"),
        ({**GOOD, "t.new": Outcome.PASSED}, {**BAD, "t.new": Outcome.FAILED}, "which is not recorded"),
    ],
)
def test_anything_else_is_not(built: Task, tmp_path: Path, old: dict, new: dict, words: str) -> None:
    found, after = _verify(built, tmp_path, old, new)
    assert not found.verified
    assert words in found.reason
    assert not found.gold_unproven
    assert after.tests == built.tests


def test_what_was_excluded_decides_nothing(built: Task) -> None:
    first, second = built.tests
    flaky = replace(built, tests=(first, replace(second, role="excluded", why="flaky")))
    assert differences(flaky, [run_of({**GOOD, SECOND: Outcome.FAILED})], [run_of(BAD)]) == ()
    other = run_of({**GOOD, "t.random-0x7f": Outcome.PASSED})
    assert differences(built, [other], [run_of({**BAD, "t.random-0x8f": Outcome.PASSED})]) == ()


def test_a_side_that_does_not_build_is_said(built: Task, tmp_path: Path) -> None:
    task_runner = FakeTaskRunner(
        lambda _tree, side, _number: run_of(GOOD) if side == "origin" else "no solution"
    )
    found, _ = verify_task(built, task_runner, log_folder=tmp_path, repeats=1)
    assert (found.verified, found.reason) == (False, "the new side: unbuilt: no solution")


def test_whose_outcomes_are_recorded(built: Task) -> None:
    assert is_recorded(built)
    assert not is_recorded(replace(built, setup=task().setup))
    assert not is_recorded(replace(built, tests=()))
    assert not is_recorded(task())


def test_names_that_hold_the_time_of_day_decide_nothing(built: Task) -> None:
    def at(time: str) -> tuple[dict[str, Outcome], dict[str, Outcome]]:
        name = f"t.at[{time}]"
        return {**GOOD, name: Outcome.PASSED}, {**BAD, name: Outcome.FAILED}

    early, late, noon = at("06:33"), at("06:34"), at("12:00")
    old, new = [run_of(early[0]), run_of(late[0])], [run_of(early[1]), run_of(late[1])]
    one = replace(built, tests=judge_tests(old, new).tests)
    assert {test.role for test in one.tests if "[" in test.id} == {"excluded"}
    assert differences(one, [run_of(noon[0])], [run_of(noon[1])]) == ()
    other = {**GOOD, "t.other[1]": Outcome.PASSED}, {**BAD, "t.other[1]": Outcome.FAILED}
    assert "which is not recorded" in differences(one, [run_of(other[0])], [run_of(other[1])])[0]
