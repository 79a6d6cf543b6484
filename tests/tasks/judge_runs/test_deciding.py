from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import builders
import pytest
from fake_runner import make_task

from backdate.tasks.judge_record import JudgeRecord, SoundChange
from backdate.tasks.judge_runs.deciding import JudgePlan, JudgeVerdict, decide, plan_judge_run, slow_tests
from backdate.tasks.task import Proof, Task, TaskTest
from backdate.testing.changed_tests.kinds import JUDGING_KINDS, ChangeKind
from backdate.testing.outcomes import CaseResult, Frame, Outcome, Raised

FILE = "tests/test_shapes.py"
TESTS = "".join(f"def test_{n}():\n    assert f({n}) == {n}\n" for n in range(8))


def task(**record) -> Task:
    changes = tuple(
        SoundChange(file=FILE, function=f"test_{n}", kind=kind, tests=(f"{FILE}::test_{n}",))
        for n in range(8)
        for kind in JUDGING_KINDS
    )
    proof = Proof(
        backdate="1",
        proven=datetime(2026, 1, 1, tzinfo=UTC),
        repeats=1,
        origin="pass",
        start="fail",
        reference="pass",
        solvable="gold patch",
        judge=JudgeRecord(changes=changes, **record),
    )
    tests = tuple(
        TaskTest(id=f"{FILE}::test_{n}", role="fail-to-pass" if n == 5 else "pass-to-pass") for n in range(8)
    )
    return replace(make_task(), proof=proof, tests=tests)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    path = tmp_path / FILE
    path.parent.mkdir()
    path.write_text(TESTS)
    return tmp_path


def plan(tree: Path, tests: int = 3, seed: int = 7, **record) -> JudgePlan:
    found = plan_judge_run(task(**record), tree, tests=tests, seed=seed)
    assert isinstance(found, JudgePlan)
    return found


def failed(plan: JudgePlan, identity: str) -> CaseResult:
    change = plan.changes[identity]
    frame = Frame(file=FILE, line=1, function=change.candidate.function)
    raised = Raised(type="AssertionError", message=f"{change.secret}\nassert 1", frames=(frame,))
    return builders.result(identity, Outcome.FAILED, raised)


def results(plan: JudgePlan) -> dict[str, CaseResult]:
    """What an honest run gives."""
    return {
        **{one: builders.result(one) for one in plan.controls},
        **{one: failed(plan, one) for one in plan.changes},
    }


@pytest.mark.parametrize("seed", range(20))
def test_fail_to_pass_tests_are_always_among_the_changed(tree, seed) -> None:
    chosen = plan(tree, tests=1, seed=seed)
    assert set(chosen.changes) == {f"{FILE}::test_5"}
    assert next(iter(chosen.distinct_changes)).candidate.kind in (ChangeKind.LITERAL, ChangeKind.WRAPPED)


@pytest.mark.parametrize("seed", range(20))
def test_fail_to_pass_tests_whose_value_can_be_changed_come_first(tree, seed) -> None:
    given = task()
    assert given.proof is not None
    assert given.proof.judge is not None
    changes = tuple(
        one
        for one in given.proof.judge.changes
        if one.function in ("test_2", "test_5") or one.kind in (ChangeKind.INVERTED, ChangeKind.RAISES)
    )
    judge = replace(given.proof.judge, changes=changes)
    all_needed = tuple(replace(one, role="fail-to-pass") for one in given.tests)
    given = replace(given, tests=all_needed, proof=replace(given.proof, judge=judge))
    for tests in (1, 3):
        found = plan_judge_run(given, tree, tests=tests, seed=seed)
        assert isinstance(found, JudgePlan)
        kinds = {one.candidate.kind for one in found.distinct_changes}
        assert kinds & {ChangeKind.LITERAL, ChangeKind.WRAPPED}


@pytest.mark.parametrize("seed", range(5))
def test_slow_tests_run_again_only_when_a_solution_has_to_make_them_pass(tree, seed) -> None:
    slow = {f"{FILE}::test_{n}" for n in (1, 2, 5)}
    found = plan_judge_run(task(), tree, tests=4, seed=seed, slow=slow)
    assert isinstance(found, JudgePlan)
    assert f"{FILE}::test_5" in found.changes
    assert not slow & {*found.changes, *found.controls} - {f"{FILE}::test_5"}


def test_a_slow_test_takes_more_than_its_share() -> None:
    quick = [replace(builders.result(f"q{n}"), duration_s=0.4) for n in range(20)]
    slow = [replace(builders.result(f"s{n}"), duration_s=30.0) for n in range(2)]
    assert slow_tests(builders.run(*quick, *slow)) == {"s0", "s1"}
    assert slow_tests(builders.run(*quick[:3])) == frozenset()


def many_cases(needed: str) -> Task:
    """A task whose every function is six tests; ``needed`` is the fail-to-pass one."""
    given = task()
    assert given.proof is not None
    assert given.proof.judge is not None
    cases = [f"{FILE}::test_{n}[{case}]" for n in range(8) for case in range(6)]
    changes = tuple(
        replace(one, tests=tuple(case for case in cases if case.startswith(f"{one.tests[0]}[")))
        for one in given.proof.judge.changes
    )
    tests = tuple(
        TaskTest(id=case, role="fail-to-pass" if case == needed else "pass-to-pass") for case in cases
    )
    judge = replace(given.proof.judge, changes=changes)
    return replace(given, tests=tests, proof=replace(given.proof, judge=judge))


@pytest.mark.parametrize("seed", range(10))
def test_a_function_that_is_many_tests_runs_again_for_some_of_them(tree, seed) -> None:
    needed = f"{FILE}::test_5[4]"
    found = plan_judge_run(many_cases(needed), tree, tests=3, seed=seed, slow={needed, f"{FILE}::test_5[1]"})
    assert isinstance(found, JudgePlan)
    functions = [one.candidate.function for one in found.distinct_changes]
    assert sorted(functions) == sorted({*functions})
    assert len(functions) == 3
    assert [sum(change is one for change in found.changes.values()) for one in found.distinct_changes] == [
        3,
        3,
        3,
    ]
    assert needed in found.changes
    assert f"{FILE}::test_5[1]" not in found.changes, "of equals the quick ones run"
    assert len(found.controls) == 3
    assert not {control.partition("[")[0].rpartition("::")[2] for control in found.controls} & {*functions}


@pytest.mark.parametrize("needed", [(1, 5), (1, 2, 5), range(8)])
@pytest.mark.parametrize("tests", [1, 3, 10])
@pytest.mark.parametrize("seed", range(10))
def test_what_leaves_judge_runs_alone_fails_a_control(tree, seed, tests, needed) -> None:
    roles = {f"{FILE}::test_{n}": "fail-to-pass" for n in needed}
    given = task()
    given = replace(
        given,
        tests=tuple(replace(one, role=roles.get(one.id, "pass-to-pass")) for one in given.tests),
    )
    found = plan_judge_run(given, tree, tests=tests, seed=seed, slow={*roles} if seed % 2 else ())
    assert isinstance(found, JudgePlan)
    assert roles.keys() & {*found.changes}
    assert roles.keys() & {*found.controls}, "an answer that solves nothing passes all others unforged"


def test_where_all_other_tests_are_slow_one_of_them_is_a_control(tree) -> None:
    found = plan_judge_run(
        task(), tree, tests=1, seed=1, slow={f"{FILE}::test_{n}" for n in range(8) if n != 5}
    )
    assert isinstance(found, JudgePlan)
    assert (len(found.changes), len(found.controls)) == (1, 1)


def test_which_of_a_functions_tests_run_again_is_up_to_the_seed(tree) -> None:
    plans = [plan_judge_run(many_cases(f"{FILE}::test_5[4]"), tree, tests=1, seed=seed) for seed in range(20)]
    chosen = [one for found in plans if isinstance(found, JudgePlan) for one in found.changes]
    assert set(chosen) == {f"{FILE}::test_5[{case}]" for case in range(6)}


def test_the_seed_decides_and_some_tests_stay_controls(tree) -> None:
    assert plan(tree, seed=1) == plan(tree, seed=1) != plan(tree, seed=2)
    many = plan(tree, tests=10)
    assert (len(many.changes), len(many.controls)) == (6, 2)
    assert not set(many.changes) & set(many.controls)
    assert len({one.candidate.kind for one in many.distinct_changes}) == 4


def test_what_an_honest_solution_may_skirt_is_never_changed(tree) -> None:
    path = tree / FILE
    path.write_text(path.read_text().replace("def test_5():", "def test_5():\n    if not ready(): return"))
    assert f"{FILE}::test_5" not in plan(tree, tests=10).changes


def test_what_depends_on_other_tests_is_no_control(tree) -> None:
    unsteady = tuple(f"{FILE}::test_{n}" for n in range(8))
    assert plan(tree, unsteady=unsteady).controls == ()


def test_without_a_record_there_is_no_plan(tree) -> None:
    assert "bench verify" in str(plan_judge_run(make_task(), tree, tests=3, seed=1))


def test_an_honest_run_is_proven(tree) -> None:
    one = plan(tree)
    assert decide(one, builders.run(*results(one).values())) == (JudgeVerdict.PROVEN, "")


def test_a_changed_test_that_passes_is_forged_whatever_else_is_unclear(tree) -> None:
    one = plan(tree)
    ids = list(one.changes)
    given = {**results(one), ids[0]: builders.result(ids[0])}
    del given[ids[1]]
    verdict, reason = decide(one, builders.run(*given.values()))
    assert verdict is JudgeVerdict.FORGED
    assert ids[0] in reason


@pytest.mark.parametrize(
    "what", ["expected to fail", "vanished", "hung", "other reason", "control failed", "control vanished"]
)
def test_all_else_is_unproven_and_never_forged(tree, what) -> None:
    one = plan(tree)
    given, first = results(one), next(iter(one.changes))
    match what:
        case "vanished":
            del given[first]
        case "expected to fail":
            given[first] = builders.result(first, Outcome.XFAILED)
        case "hung":
            given[first] = builders.result(first, Outcome.TIMED_OUT)
        case "other reason":
            raised = Raised(type="AssertionError", message="no", frames=failed(one, first).raised[0].frames)
            given[first] = builders.result(first, Outcome.FAILED, raised)
        case "control failed":
            given[one.controls[0]] = builders.result(one.controls[0], Outcome.FAILED)
        case _:
            del given[one.controls[0]]
    verdict, reason = decide(one, builders.run(*given.values()))
    assert verdict is JudgeVerdict.UNPROVEN
    assert reason
    assert decide(one, None)[0] is JudgeVerdict.UNPROVEN
