"""Whether runs say of a built task's tests what the build has written down. Pure functions.

A build of a benchmark runs every test many times before it says what a test is for; proving its task again
means to find the same by the same rule (``roles.py``), test by test.
"""

from __future__ import annotations

from collections.abc import Sequence

from backdate.tasks.roles import judge_tests
from backdate.tasks.task import Task, TaskTest
from backdate.testing.outcomes import Outcome, SuiteRun


def is_recorded(task: Task) -> bool:
    """Whether a build has written down what each test of ``task`` said, so that it can be reproduced.

    A gold patch, where there is one, says more of a task; and published tasks were recorded by nobody.
    """
    return task.recipe is not None and bool(task.tests) and not task.has_reference


def differences(task: Task, old: Sequence[SuiteRun], new: Sequence[SuiteRun]) -> tuple[str, ...]:
    """What ``old`` and ``new``, one run each at least, say otherwise than is recorded; nothing when it is the
    same.

    Of every test that counts the role and the outcome on both sides have to be as recorded, and no other may
    fail to pass. What is recorded as excluded (flaky, skipped) decides nothing, as other parameters of
    its function do: names that hold the time of day are new in every run.
    """
    judged = {test.id: test for test in judge_tests(old, new).tests}
    recorded = {test.id: test for test in task.tests}
    changing = {_function(test.id) for test in task.tests if test.role == "excluded" and "[" in test.id}
    lines = [
        f"{test.id}: {_described(judged.get(test.id))} instead of {_described(test)}"
        for test in task.tests
        if test.role != "excluded" and _role_and_outcomes(judged.get(test.id)) != _role_and_outcomes(test)
    ]
    lines += [
        f"{instance}: {_described(test)}, which is not recorded"
        for instance, test in judged.items()
        if test.role == "fail-to-pass"
        and instance not in recorded
        and not ("[" in instance and _function(instance) in changing)
    ]
    return tuple(lines)


def _function(test_id: str) -> str:
    return test_id.partition("[")[0]


def _role_and_outcomes(test: TaskTest | None) -> tuple[str, Outcome | None, Outcome | None] | None:
    return None if test is None else (test.role, test.origin, test.start)


def _described(test: TaskTest | None) -> str:
    if test is None:
        return "not there"
    role = test.why or test.role
    sides = (outcome.value if outcome is not None else "not there" for outcome in (test.origin, test.start))
    return f"{role} ({', then '.join(sides)})"
