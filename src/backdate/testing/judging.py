"""From what the event file says to outcomes: pure functions, one rule each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backdate.testing.assembly import Capture, CaseRecord
from backdate.testing.outcomes import CaseResult, Outcome, Raised
from backdate.testing.told_tracebacks import told_exceptions
from backdate.testing.wire import GroupResult, Phase, Uncollected

_AGAIN = ("rerun", "retried")
"""Outcomes by which pytest-rerunfailures and pytest-retry say that a try did not count."""

_DEEPEST_NAME = 64
"""Dots of an id that are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnfinishedOutcome:
    """How the process ended, for the tests that had started and not ended."""

    outcome: Outcome
    """CRASHED or TIMED_OUT."""
    reason: str
    raised: tuple[Raised, ...] = ()


def judge(capture: Capture, ending: UnfinishedOutcome) -> tuple[CaseResult, ...]:
    """The result of every test and of everything that could not be collected, the latter first."""
    started = {record.id for record in capture.tests}
    results = [_of_uncollected(event) for event in capture.uncollected]
    if capture.collecting is not None and not capture.collected:
        results.append(_of_fatal_import(capture, ending))
    results += [result_of(record, ending) for record in capture.tests]
    results += _of_groups(capture, started)
    if capture.group is not None and capture.finish is None:
        results += _of_fatal_group(capture, ending, started)
    by_id: dict[str, CaseResult] = {}
    for result in results:
        by_id.setdefault(result.id, result)
    return tuple(by_id.values())


def result_of(record: CaseRecord, ending: UnfinishedOutcome) -> CaseResult:
    """The result of one test.

    A test's own failure outweighs that of its tear-down; a failed subtest is a failure of its test;
    tries that were repeated do not count, the last one does.
    """
    outcome, phase = _classify(record, ending)
    reason = "" if phase is None else _reason(phase)
    raised = () if phase is None else _told(phase.raised)
    if outcome is ending.outcome and not record.ended:
        reason = f"{ending.reason}{_where(record.phases)}"
        raised = raised or ending.raised
    elif outcome is Outcome.ERROR and phase is None:
        reason = "the runner ended it without saying what came of it"
    return CaseResult(
        id=record.id,
        outcome=outcome,
        duration_s=record.duration_s,
        raised=raised,
        reason=reason,
        file=record.file,
    )


def _classify(record: CaseRecord, ending: UnfinishedOutcome) -> tuple[Outcome, Phase | None]:
    """The outcome, and the phase that made it so."""
    phases = _last_try(record.phases)
    failed = [phase for phase in phases if phase.outcome == "failed"]
    failed_call = next((phase for phase in failed if phase.when == "call"), None)
    dead_worker = next((phase for phase in phases if phase.when == "???"), None)
    if dead_worker is not None:
        return Outcome.CRASHED, dead_worker
    if not record.ended:
        return ending.outcome, failed_call or next(iter(failed), None)
    if failed_call is not None:
        return Outcome.FAILED, failed_call
    if failed:
        return Outcome.ERROR, failed[0]
    return _classify_unfailed(phases)


def _classify_unfailed(phases: Sequence[Phase]) -> tuple[Outcome, Phase | None]:
    own = [phase for phase in phases if not phase.sub]
    for phase in own:
        if phase.outcome == "skipped":
            return (Outcome.SKIPPED if phase.xfail is None else Outcome.XFAILED), phase
    for phase in own:
        if phase.when == "call" and phase.outcome == "passed":
            return (Outcome.PASSED if phase.xfail is None else Outcome.XPASSED), phase
    for phase in phases:
        if phase.outcome == "skipped":
            return Outcome.SKIPPED, phase
    return Outcome.ERROR, None


def _last_try(phases: Sequence[Phase]) -> Sequence[Phase]:
    for number in range(len(phases) - 1, -1, -1):
        if phases[number].outcome in _AGAIN:
            # what follows in the same try is the tear-down of the try that did not count
            after = [phase.when for phase in phases[number + 1 :]]
            skip = after.index("setup") if "setup" in after else 0
            return phases[number + 1 + skip :]
    return phases


def _told(raised: tuple[Raised, ...]) -> tuple[Raised, ...]:
    chain = told_exceptions(raised)
    if not chain or not chain[-1].type.endswith("SystemCheckError"):
        return chain
    from backdate.testing.check_reports import errors_first  # few tests fail by Django's checks

    return errors_first(chain)


def _reason(phase: Phase) -> str:
    if phase.outcome == "failed" and phase.raised:
        return ""
    text = phase.xfail or phase.reason
    return text.removeprefix("reason: ")


def _where(phases: Sequence[Phase]) -> str:
    done = {phase.when for phase in phases}
    if "call" in done:
        return " (its own code had ended: during its tear-down)"
    return ""


def _of_uncollected(event: Uncollected) -> CaseResult:
    outcome = Outcome.SKIPPED if event.outcome == "skipped" else Outcome.NOT_COLLECTED
    reason = "" if event.raised else event.reason
    return CaseResult(id=event.id, outcome=outcome, duration_s=0.0, raised=event.raised, reason=reason)


def _of_fatal_import(capture: Capture, ending: UnfinishedOutcome) -> CaseResult:
    assert capture.collecting is not None
    return CaseResult(
        id=capture.collecting.id,
        outcome=Outcome.NOT_COLLECTED,
        duration_s=0.0,
        raised=ending.raised,
        reason=f"{ending.reason} (while it was imported)",
    )


def _in_group(identity: str, group: str, where: str) -> bool:
    """Whether a unittest id belongs to the class or module that ``group`` names."""
    rest = identity.removeprefix(group + ".")
    return rest != identity and (where.endswith("Module") or "." not in rest)


def _groups_of(identity: str) -> list[str]:
    """The class and the modules that a unittest id may belong to, innermost first."""
    groups = []
    for _ in range(_DEEPEST_NAME):
        identity, dot, _rest = identity.rpartition(".")
        if not dot:
            break
        groups.append(identity)
    return groups


def _of_groups(capture: Capture, started: set[str]) -> list[CaseResult]:
    """A set-up that raised is an error of each test that it kept from starting; a tear-down is its own."""
    set_ups = {
        (event.where, event.id): event for event in capture.group_results if event.where.startswith("setUp")
    }
    used = set()
    results = []
    for test in capture.collected if set_ups else ():
        if test in started:
            continue
        groups = _groups_of(test)
        keys = [("setUpClass", group) for group in groups[:1]] + [("setUpModule", group) for group in groups]
        key = next((key for key in keys if key in set_ups), None)
        if key is not None:
            used.add(key)
            results.append(_of_group(test, set_ups[key]))
    results += [
        _of_group(f"{event.where} ({event.id})", event)
        for event in capture.group_results
        if (event.where, event.id) not in used and event.outcome != "skipped"
    ]
    return results


def _of_group(identity: str, event: GroupResult) -> CaseResult:
    return CaseResult(
        id=identity,
        outcome=Outcome.SKIPPED if event.outcome == "skipped" else Outcome.ERROR,
        duration_s=0.0,
        raised=event.raised,
        reason=event.reason or ("" if event.raised else event.where),
    )


def _of_fatal_group(capture: Capture, ending: UnfinishedOutcome, started: set[str]) -> list[CaseResult]:
    group = capture.group
    assert group is not None
    if not group.where.startswith("setUp"):
        return []
    return [
        CaseResult(
            id=test,
            outcome=ending.outcome,
            duration_s=0.0,
            raised=ending.raised,
            reason=f"{ending.reason} (during {group.where} of {group.id})",
        )
        for test in capture.collected
        if test not in started and _in_group(test, group.id, group.where)
    ]
