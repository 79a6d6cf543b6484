"""What repeated runs of both sides prove of every test of a built task. Pure functions.

Per test, where TimeMachine-bench has the suite's exit status: a test fails-to-pass when it was good in
every run of the old side and bad in every run of the new one; what differs between runs is flaky.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from backdate.checking.compare import blocker_of, compare_runs
from backdate.tasks.task import Role, TaskTest
from backdate.testing.outcomes import CaseResult, Outcome, SuiteRun

_State = Literal["good", "bad", "skipped", "absent"]
_FLAKY: tuple[Role, str] = ("excluded", "flaky")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenRoles:
    """The tests of a candidate."""

    tests: tuple[TaskTest, ...]
    """In the order in which the old side ran them."""
    flaky: tuple[str, ...] = ()
    """The ids of those that runs of one side disagree about."""

    def of(self, role: Role) -> tuple[str, ...]:
        """The ids of the tests with that role."""
        return tuple(test.id for test in self.tests if test.role == role)


def judge_tests(old: Sequence[SuiteRun], new: Sequence[SuiteRun]) -> ProvenRoles:
    """The role of every test of the first old run, by all runs of both sides."""
    reference = old[0]
    later = [_by_id(run) for run in old[1:]]
    sides = [states_in(reference, run) for run in new]
    after = {result.id: result for result in new[0].results}
    blocked = {blocker.id: blocker for blocker in new[0].results if blocker.outcome is Outcome.NOT_COLLECTED}
    tests, flaky = [], []
    for result in reference.results:
        then = [_state(result), *(_state(run.get(result.id)) for run in later)]
        now = [side.get(result.id, "absent") for side in sides]
        steady = _is_steady(then, now)
        role, why = _role(then[0], now[0]) if steady else _FLAKY
        flaky += [] if steady else [result.id]
        seen = after.get(result.id) or blocker_of(result, blocked)
        outcome = seen.outcome if seen is not None else _unreached(new[0])
        tests.append(TaskTest(id=result.id, role=role, why=why, origin=result.outcome, start=outcome))
    return ProvenRoles(tests=tuple(tests), flaky=tuple(flaky))


def states_in(reference: SuiteRun, run: SuiteRun) -> dict[str, _State]:
    """The state in ``run`` of every test that was good in ``reference``."""
    comparison = compare_runs(reference, run)
    states: dict[str, _State] = {result.id: "good" for result in reference.results if result.outcome.good}
    states |= dict.fromkeys(comparison.broke, "bad")
    states |= dict.fromkeys(comparison.skipped_now, "skipped")
    return states | dict.fromkeys(comparison.vanished, "absent")


def without_flaky(
    proven: ProvenRoles, reference: SuiteRun, old: Sequence[SuiteRun], new: Sequence[SuiteRun]
) -> ProvenRoles:
    """``proven``, with fail-to-pass tests that one of the further runs contradicts set aside as flaky."""
    changed = proven.of("fail-to-pass")
    contradicted = unsteady(changed, reference, old, "good") | unsteady(changed, reference, new, "bad")
    role, why = _FLAKY
    tests = tuple(
        replace(test, role=role, why=why) if test.id in contradicted else test for test in proven.tests
    )
    flaky = {*proven.flaky, *contradicted}
    return ProvenRoles(tests=tests, flaky=tuple(test.id for test in tests if test.id in flaky))


def unsteady(
    tests: Collection[str], reference: SuiteRun, runs: Sequence[SuiteRun], state: _State
) -> set[str]:
    """Those of ``tests`` that are not ``state`` in each of ``runs``."""
    seen = [states_in(reference, run) for run in runs]
    return {test for states in seen for test in tests if states.get(test, "absent") != state}


def _is_steady(then: Sequence[_State], now: Sequence[_State]) -> bool:
    """Whether the runs agree; those of the new side count for what was good on the old one."""
    return len(set(then)) == 1 and (then[0] != "good" or len(set(now)) == 1)


def _role(then: _State, now: _State) -> tuple[Role, str]:
    """The role of a test that is steady on both sides, and why it does not count."""
    if then == "bad":
        return "excluded", "failed before"
    if then != "good":
        return "excluded", "skipped before"
    match now:
        case "bad":
            return "fail-to-pass", ""
        case "good":
            return "pass-to-pass", ""
        case "skipped":
            return "excluded", "skipped in the new environment"
        case _:
            return "excluded", "not there in the new environment"


def _by_id(run: SuiteRun) -> Mapping[str, CaseResult]:
    return {result.id: result for result in run.results}


def _state(result: CaseResult | None) -> _State:
    if result is None:
        return "absent"
    if result.outcome.good:
        return "good"
    return "bad" if result.outcome.bad else "skipped"


def _unreached(run: SuiteRun) -> Outcome | None:
    """What a test counts as that the run never came to."""
    if run.status == "completed":
        return None
    return Outcome.TIMED_OUT if run.status == "timeout" else Outcome.NOT_COLLECTED
