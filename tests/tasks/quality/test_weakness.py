"""What tests notice of a reference patch that is broken in one place."""

from __future__ import annotations

from pathlib import Path

import pytest
from issue_project import BASE, InProcessProject, IssueProject, issue_task
from task_builders import FakeTaskRunner

from backdate.tasks.quality.record import HalfTrial, HunkTrial, TrialOutcome, TrialSettings
from backdate.tasks.quality.weakness import weakness_of

TEST = "tests/test_prices.py"
SPACE = "\n\n" + "\n".join(f"LINE_{number} = {number}" for number in range(10)) + "\n\n\n"
SHOP = {
    **BASE,
    "shop/prices.py": "def total(prices):\n    return sum(prices)\n"
    + SPACE
    + "def count(prices):\n    return 0\n",
}
CHANGED = (
    SHOP["shop/prices.py"]
    .replace(
        "    return sum(prices)\n",
        '    """The sum."""\n    return sum(price for price in prices if price > 0)\n',
    )
    .replace("return 0", "if not prices:\n        return -1\n    return len(prices)")
)
REFUNDS = "\n\ndef test_refunds():\n    assert total([1, -1]) == 1\n"
TESTS = BASE[TEST] + REFUNDS + "\n\ndef test_free():\n    assert total([0]) == 0\n"
OLD, NEW, FREE = (f"{TEST}::{name}" for name in ("test_total", "test_refunds", "test_free"))


@pytest.fixture
def project() -> InProcessProject:
    return InProcessProject(SHOP)


def test_a_hunk_and_mutants_that_no_test_notices(project: InProcessProject, tmp_path: Path) -> None:
    task = project.task(
        {"shop/prices.py": CHANGED, "README.md": "A shop.\n"},
        {TEST: TESTS},
        fail_to_pass=(NEW,),
        pass_to_pass=(OLD, FREE),
    )
    found = weakness_of(
        task, project, TrialSettings(most_mutants=50), logs=tmp_path / "logs", scratch=tmp_path
    )
    assert found.problem == ""
    assert found.hunks == (
        HunkTrial(
            file="shop/prices.py",
            line=1,
            words='"""The sum."""',
            outcome=TrialOutcome.NOTICED,
            by="fail-to-pass",
        ),
        HunkTrial(file="shop/prices.py", line=15, words="if not prices:", outcome=TrialOutcome.MISSED),
    )
    assert (found.hunks_noticed.part, found.hunks_noticed.whole) == (1, 2)
    assert found.possible_hunks == 2
    assert found.hunks_untried == 0
    assert found.halves == (
        HalfTrial(half="first", outcome=TrialOutcome.MISSED),
        HalfTrial(half="second", outcome=TrialOutcome.NOTICED, by="fail-to-pass"),
    )
    outcomes = {(trial.kind, trial.after): (trial.outcome, trial.by) for trial in found.mutants}
    assert outcomes["comparison", "price <= 0"] == (TrialOutcome.NOTICED, "fail-to-pass")
    assert outcomes["constant", "1"] == (TrialOutcome.NOTICED, "fail-to-pass")
    assert outcomes["return", "return None"][0] in (TrialOutcome.NOTICED, TrialOutcome.MISSED)
    assert {trial.outcome for trial in found.mutants if trial.line > 10} == {TrialOutcome.MISSED}
    assert found.possible_mutants == len(found.mutants)
    assert not list(tmp_path.glob("trial"))


def test_no_trial_begins_after_the_time(project: InProcessProject, tmp_path: Path) -> None:
    task = project.task({"shop/prices.py": CHANGED}, {TEST: TESTS}, fail_to_pass=(NEW,))
    found = weakness_of(
        task, project, TrialSettings(seconds=0, most_mutants=2), logs=tmp_path / "logs", scratch=tmp_path
    )
    trials = (*found.hunks, *found.halves, *found.mutants)
    assert {trial.outcome for trial in trials} == {TrialOutcome.NOT_RUN}
    assert found.hunks_untried == found.possible_hunks == 2
    assert len(found.mutants) == 2 < found.possible_mutants
    assert found.hunks_noticed.ratio is None


def test_hunks_beyond_the_limit_are_counted(project: InProcessProject, tmp_path: Path) -> None:
    task = project.task({"shop/prices.py": CHANGED}, {TEST: TESTS}, fail_to_pass=(NEW,))
    settings = TrialSettings(most_hunks=1, most_mutants=0)
    found = weakness_of(task, project, settings, logs=tmp_path / "logs", scratch=tmp_path)
    assert (len(found.hunks), found.possible_hunks, found.hunks_untried) == (1, 2, 1)
    assert found.asked == settings


def test_tests_that_do_not_pass_alone_say_nothing(project: InProcessProject, tmp_path: Path) -> None:
    task = project.task({"shop/prices.py": CHANGED}, {TEST: TESTS}, fail_to_pass=(NEW, f"{TEST}::test_gone"))
    found = weakness_of(task, project, TrialSettings(), logs=tmp_path / "logs", scratch=tmp_path)
    assert (found.hunks, found.mutants) == ((), ())
    assert found.problem.startswith("fail-to-pass tests alone do not pass with the reference patch: 1 of 2")


def test_what_cannot_be_tried_has_its_reason(tmp_path: Path) -> None:
    task = issue_task({"shop/prices.py": CHANGED}, {TEST: TESTS})
    assert (
        "no fail-to-pass test"
        in weakness_of(task, FakeTaskRunner(), TrialSettings(), logs=tmp_path, scratch=tmp_path).problem
    )
    task = issue_task({"shop/prices.py": CHANGED}, {TEST: TESTS}, fail_to_pass=(NEW,))
    assert (
        "runs no changed trees"
        in weakness_of(task, FakeTaskRunner(), TrialSettings(), logs=tmp_path, scratch=tmp_path).problem
    )


@pytest.mark.slow
def test_in_the_sandbox(tmp_path: Path) -> None:
    project = IssueProject(SHOP)
    task = project.task({"shop/prices.py": CHANGED}, {TEST: TESTS}, fail_to_pass=(NEW,), pass_to_pass=(OLD,))
    found = weakness_of(
        task, project, TrialSettings(most_mutants=2), logs=tmp_path / "logs", scratch=tmp_path
    )
    assert [trial.outcome for trial in found.hunks] == [TrialOutcome.NOTICED, TrialOutcome.MISSED]
    assert [trial.outcome for trial in found.halves] == [TrialOutcome.MISSED, TrialOutcome.NOTICED]
    assert found.mutants_noticed.whole == 2
