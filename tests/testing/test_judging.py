"""From phases to outcomes."""

from __future__ import annotations

import pytest

from backdate.testing.assembly import Capture, CaseRecord
from backdate.testing.judging import UnfinishedOutcome, judge, result_of
from backdate.testing.outcomes import Outcome, Raised
from backdate.testing.wire import Collecting, GroupResult, GroupStarted, Phase

ENDING = UnfinishedOutcome(outcome=Outcome.CRASHED, reason="the process was killed by SIGSEGV")
ERROR = (Raised(type="E", message="m", frames=()),)


def phase(when: str, outcome: str, xfail: str | None = None, *, sub: bool = False, reason: str = "") -> Phase:
    raised = ERROR if outcome == "failed" and not reason else ()
    return Phase(
        pid=1, id="t", when=when, outcome=outcome, xfail=xfail, sub=sub, reason=reason, raised=raised
    )


SET_UP, PASSED, TORN_DOWN = phase("setup", "passed"), phase("call", "passed"), phase("teardown", "passed")
FAILED = phase("call", "failed")


@pytest.mark.parametrize(
    ("phases", "outcome"),
    [
        ([SET_UP, PASSED, TORN_DOWN], Outcome.PASSED),
        ([SET_UP, FAILED, TORN_DOWN], Outcome.FAILED),
        ([SET_UP, FAILED, phase("teardown", "failed")], Outcome.FAILED),
        ([SET_UP, PASSED, phase("teardown", "failed")], Outcome.ERROR),
        ([phase("setup", "failed"), TORN_DOWN], Outcome.ERROR),
        ([phase("setup", "skipped", reason="no"), TORN_DOWN], Outcome.SKIPPED),
        ([phase("setup", "skipped", "[NOTRUN]"), TORN_DOWN], Outcome.XFAILED),
        ([SET_UP, phase("call", "skipped", "reason: known"), TORN_DOWN], Outcome.XFAILED),
        ([SET_UP, phase("call", "passed", "known"), TORN_DOWN], Outcome.XPASSED),
        ([SET_UP, phase("call", "failed", reason="[XPASS(strict)] known"), TORN_DOWN], Outcome.FAILED),
        ([SET_UP, phase("call", "failed", sub=True), PASSED, TORN_DOWN], Outcome.FAILED),
        ([SET_UP, phase("call", "skipped", sub=True), PASSED, TORN_DOWN], Outcome.PASSED),
        ([phase("call", "skipped", sub=True)], Outcome.SKIPPED),
        ([SET_UP, phase("call", "rerun"), TORN_DOWN, SET_UP, PASSED, TORN_DOWN], Outcome.PASSED),
        ([SET_UP, phase("call", "rerun"), TORN_DOWN, SET_UP, FAILED, TORN_DOWN], Outcome.FAILED),
        ([SET_UP, phase("???", "failed", reason="worker crashed")], Outcome.CRASHED),
        ([], Outcome.ERROR),
        ([SET_UP, TORN_DOWN], Outcome.ERROR),
    ],
)
def test_outcomes(phases: list[Phase], outcome: Outcome) -> None:
    record = CaseRecord(id="t", file=None, phases=tuple(phases), ended=True, duration_s=1.0)
    assert result_of(record, ENDING).outcome is outcome


def test_reasons() -> None:
    skipped = CaseRecord(
        id="t", file=None, phases=(phase("call", "skipped", "reason: known"),), ended=True, duration_s=0
    )
    assert result_of(skipped, ENDING).reason == "known"
    crashed = CaseRecord(id="t", file=None, phases=(SET_UP, FAILED), ended=False, duration_s=0)
    result = result_of(crashed, ENDING)
    assert result.reason == (
        "the process was killed by SIGSEGV (its own code had ended: during its tear-down)"
    )
    assert result.raised == ERROR


def group_result(where: str, name: str, outcome: str = "failed") -> GroupResult:
    return GroupResult(pid=1, id=name, where=where, outcome=outcome, reason="", raised=ERROR)


def test_a_set_up_that_raised_is_an_error_of_the_tests_it_kept_from_running() -> None:
    ids = ("m.A.a", "m.A.b", "m.AA.a", "m.A.B.a", "mm.A.a")
    done = CaseRecord(id="m.A.b", file=None, phases=(PASSED,), ended=True, duration_s=0)

    def errors(result: GroupResult) -> list[str]:
        capture = Capture(collected=ids, tests=(done,), group_results=(result,))
        return [one.id for one in judge(capture, ENDING) if one.outcome is Outcome.ERROR]

    assert errors(group_result("setUpClass", "m.A")) == ["m.A.a"]
    assert errors(group_result("setUpModule", "m")) == ["m.A.a", "m.AA.a", "m.A.B.a"]
    assert errors(group_result("setUpClass", "m.C")) == ["setUpClass (m.C)"]
    assert errors(group_result("tearDownClass", "m.A")) == ["tearDownClass (m.A)"]


def test_where_a_process_died_outside_of_tests() -> None:
    group = GroupStarted(pid=1, id="m.A", where="setUpClass")
    [result] = judge(Capture(collected=("m.A.a", "m.B.a"), group=group), ENDING)
    assert (result.id, result.outcome) == ("m.A.a", Outcome.CRASHED)
    importing = Collecting(pid=1, id="m", module="m.py")
    [result] = judge(Capture(collecting=importing), ENDING)
    assert (result.id, result.outcome) == ("m", Outcome.NOT_COLLECTED)
    assert "while it was imported" in result.reason
