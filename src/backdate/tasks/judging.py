"""What a run of a task's tests says of the task: solved or not, and which tests count."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from backdate.tasks.task import EnvironmentName, Role, Task, TaskTest
from backdate.testing.outcomes import Outcome, SuiteRun
from backdate.text import counted

_NEAR_NAMES = 3


def judge_run(
    task: Task, run: SuiteRun, environment: EnvironmentName, *, only: tuple[str, ...] = ()
) -> tuple[bool, str]:
    """Whether ``run`` shows the task solved, and in one line why not.

    The tests that count are those of the task (fail-to-pass and pass-to-pass; of ``only`` when it names
    some). A task that was not run yet counts them all. Nothing is solved when the run was forged or did not
    end by itself, when the suite was not collected whole, or when its exit status speaks against outcomes
    that are all good.
    """
    if run.integrity.forgery:
        return False, f"the test run was forged: {run.integrity.forgery}"
    if run.status != "completed":
        return False, run.trouble.split("\n")[0] or f"the run ended as {run.status}"
    outcomes = {result.id: result.outcome for result in run.results}
    excluded = {test.id for test in task.tests if test.role == "excluded"}
    uncollected = [test for test, outcome in outcomes.items() if outcome is Outcome.NOT_COLLECTED]
    if uncollected and not set(uncollected) <= excluded:
        return (
            False,
            f"{counted(len(uncollected), 'file or class', 'files or classes')} could not be collected: "
            + _some(uncollected),
        )
    counting = _counting(task, environment, only) if task.tests else tuple(only) or tuple(outcomes)
    missing = [test for test in counting if test not in outcomes]
    if missing:
        return False, f"{len(missing)} of {counted(len(counting), 'test')} did not run: {_some(missing)}"
    bad = [test for test in counting if outcomes[test].bad or (task.tests and not outcomes[test].good)]
    if bad:
        return False, f"{len(bad)} of {counted(len(counting), 'test')} failed: {_some(bad)}"
    if run.exit_code != 0 and not only and not any(outcome.bad for outcome in outcomes.values()):
        return False, f"every test was good, but the exit status is {run.exit_code}"
    return True, ""


def too_few_good(task: Task, run: SuiteRun) -> str:
    """Of a task whose tests nobody has verified: in one line why ``run`` has too few good tests; else empty.

    As many are wanted as the task's row counts, and at least one. A skipped test is none of them, even where
    the row counted it: an answer can skip any test.
    """
    good = sum(result.outcome.good for result in run.results)
    least = max(1, task.statistics.tests if task.statistics is not None else 1)
    if good >= least:
        return ""
    return f"{counted(good, 'test was', 'tests were')} good, and the row counts {least}"


def is_verified(task: Task) -> bool:
    """Whether runs have shown that ``task`` is unsolved at first, and which of its tests count."""
    proof = task.proof
    return (
        proof is not None
        and any(test.role != "excluded" for test in task.tests)
        and proof.start == "fail"
        and proof.origin in ("pass", "none")
        and proof.reference != "fail"
    )


def _counting(task: Task, environment: EnvironmentName, only: tuple[str, ...]) -> tuple[str, ...]:
    chosen = set(only)
    return tuple(
        test.id
        for test in task.tests
        if test.role != "excluded"
        and (not chosen or test.id in chosen)
        and (environment == "target" or (test.origin is not None and test.origin.good))
    )


def combine_tests(
    old: Iterable[SuiteRun], new: Iterable[SuiteRun], gold: Iterable[SuiteRun]
) -> tuple[TaskTest, ...]:
    """Every test of the runs with its role, in the order in which it was seen first.

    Fail-to-pass: good in every gold run, and in every new run bad or not there. Pass-to-pass: good in all. A
    test whose outcomes differ between repeats is flaky and does not count, nor does one that is never good.
    Without a gold run the old side stands for it: the same tests are wanted back.
    """
    sides = tuple([_by_id(run) for run in runs] for runs in (old, new, gold))
    order: dict[str, None] = {}
    for runs in (sides[0], sides[2], sides[1]):
        for outcomes in runs:
            order.update(dict.fromkeys(outcomes))
    by_test = {test: [_outcomes_of(test, runs) for runs in sides] for test in order}
    return tuple(_combine(test, *sides) for test, sides in by_test.items() if not _only_blocked(*sides))


_Outcomes = tuple[Outcome | None, ...]
"""The different outcomes of one test in the repeats of one side; None where it did not run."""


def _by_id(run: SuiteRun) -> dict[str, Outcome]:
    return {result.id: result.outcome for result in run.results}


def _outcomes_of(identity: str, runs: Sequence[dict[str, Outcome]]) -> _Outcomes:
    return tuple(dict.fromkeys(outcomes.get(identity) for outcomes in runs))


def _only_blocked(old: _Outcomes, new: _Outcomes, gold: _Outcomes) -> bool:
    """Whether this is no test but what kept tests from being collected, and is so on the new side alone."""
    return set(new) <= {None, Outcome.NOT_COLLECTED} and {*old, *gold} <= {None}


def _combine(identity: str, origin: _Outcomes, start: _Outcomes, reference: _Outcomes) -> TaskTest:
    role, why = _role(origin, start, reference)
    return TaskTest(
        id=identity,
        role=role,
        why=why,
        origin=_first(origin),
        start=_first(start),
        reference=_first(reference),
    )


def _role(old: _Outcomes, new: _Outcomes, gold: _Outcomes) -> tuple[Role, str]:
    for name, seen in (("with the gold patch", gold), ("on the new side", new), ("on the old side", old)):
        if len(seen) > 1:
            return "excluded", f"flaky {name}"
    target, where = (_first(gold), "with the gold patch") if gold else (_first(old), "on the old side")
    if target is None:
        return "excluded", f"not there {where}"
    if not target.good:
        return "excluded", f"{target.value} {where}"
    now = _first(new)
    if now is None or now.bad:
        return "fail-to-pass", ""
    return ("pass-to-pass", "") if now.good else ("excluded", f"{now.value} on the new side")


def _first(outcomes: _Outcomes) -> Outcome | None:
    return outcomes[0] if outcomes else None


def _some(names: list[str]) -> str:
    rest = f" and {len(names) - _NEAR_NAMES} more" if len(names) > _NEAR_NAMES else ""
    return ", ".join(names[:_NEAR_NAMES]) + rest
