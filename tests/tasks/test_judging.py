"""What runs say of a task and of its tests."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from task_builders import BAD, GOOD, run_of, task

from backdate.tasks.judging import combine_tests, judge_run
from backdate.tasks.task import TaskTest
from backdate.testing.outcomes import Outcome

P, F, E, S, X = Outcome.PASSED, Outcome.FAILED, Outcome.ERROR, Outcome.SKIPPED, Outcome.XFAILED
N = Outcome.NOT_COLLECTED


def _role(old, new, gold) -> tuple[str, str]:
    runs = [[run_of({"t": one} if one else {}) for one in side] for side in (old, new, gold)]
    tests = combine_tests(*runs)
    return (tests[0].role, tests[0].why) if tests else ("", "")


@pytest.mark.parametrize(
    ("old", "new", "gold", "role", "why"),
    [
        ([P], [F], [P], "fail-to-pass", ""),
        ([P], [None], [P], "fail-to-pass", ""),
        ([None], [E], [P], "fail-to-pass", ""),
        ([P], [P], [P], "pass-to-pass", ""),
        ([X], [X], [X], "pass-to-pass", ""),
        ([P, P], [F, F], [P, F], "excluded", "flaky with the gold patch"),
        ([P, P], [F, P], [P, P], "excluded", "flaky on the new side"),
        ([P, F], [F, F], [P, P], "excluded", "flaky on the old side"),
        ([P], [F], [F], "excluded", "failed with the gold patch"),
        ([P], [F], [None], "excluded", "not there with the gold patch"),
        ([S], [S], [S], "excluded", "skipped with the gold patch"),
        ([P], [S], [P], "excluded", "skipped on the new side"),
        ([P], [F], [], "fail-to-pass", ""),
        ([F], [F], [], "excluded", "failed on the old side"),
        ([None], [P], [], "excluded", "not there on the old side"),
        ([None], [N], [None], "", ""),
        ([None], [N], [N], "excluded", "not-collected with the gold patch"),
    ],
)
def test_roles(old, new, gold, role: str, why: str) -> None:
    assert _role(old, new, gold) == (role, why)


@given(st.lists(st.lists(st.sampled_from([None, *Outcome]), max_size=3), min_size=3, max_size=3))
def test_what_counts_was_good_at_the_end_and_always(sides) -> None:
    role, why = _role(*sides)
    target = sides[2] or sides[0]
    if role in ("fail-to-pass", "pass-to-pass"):
        assert {one.good for one in target} == {True}
        assert all(len(set(side)) <= 1 for side in sides)
    assert bool(why) == (role == "excluded")


def test_a_task_that_was_not_run_counts_every_test() -> None:
    assert judge_run(task(), run_of(GOOD), "origin") == (True, "")
    solved, reason = judge_run(task(), run_of(BAD), "target")
    assert not solved
    assert reason.startswith("1 of 2 tests failed: tests.test_it")


def test_an_exit_status_speaks_against_good_outcomes() -> None:
    forged = replace(run_of(GOOD), exit_code=1)
    assert judge_run(task(), forged, "target") == (False, "every test was good, but the exit status is 1")


def test_a_suite_that_was_not_collected_whole_is_not_solved() -> None:
    run = run_of({**GOOD, "tests.other": N})
    assert "could not be collected" in judge_run(task(), run, "target")[1]


@pytest.mark.parametrize("status", ["timeout", "crashed", "broken", "no-tests", "oom", "disk-limit"])
def test_a_run_that_did_not_end_is_not_solved(status: str) -> None:
    assert not judge_run(task(), run_of(GOOD, status=status), "target")[0]


def _test(identity: str, role: str, old: Outcome | None = P) -> TaskTest:
    return TaskTest(id=identity, role=role, origin=old, start=F, reference=P)


def test_only_tests_that_count_are_asked() -> None:
    one = replace(
        task(), tests=(_test("a", "fail-to-pass"), _test("b", "pass-to-pass"), _test("c", "excluded"))
    )
    assert judge_run(one, run_of({"a": P, "b": P, "c": F}), "target") == (True, "")
    assert "1 of 2 tests failed: b" in judge_run(one, run_of({"a": P, "b": E, "c": P}), "target")[1]
    assert "did not run: a" in judge_run(one, run_of({"b": P, "c": P}), "target")[1]
    assert "1 of 2 tests failed: a" in judge_run(one, run_of({"a": S, "b": P}), "target")[1]
    assert judge_run(one, run_of({"a": P, "b": F}), "target", only=("a",)) == (True, "")


def test_the_old_side_is_asked_for_what_it_had() -> None:
    one = replace(task(), tests=(_test("a", "fail-to-pass", None), _test("b", "pass-to-pass")))
    assert judge_run(one, run_of({"b": P}), "origin") == (True, "")
    assert not judge_run(one, run_of({"b": P}), "target")[0]
