"""Whether a candidate's old side is green and its new one red, and else the reason for which it leaves."""

from __future__ import annotations

from backdate.checking.compare import compare_runs
from backdate.checking.result import Side
from backdate.construction.candidate import Exclusion
from backdate.testing.outcomes import SuiteRun


def old_is_not_green(old: Side | None) -> Exclusion | None:
    """Why an old side is no task's, or None.

    Our unit is the test: one that passes is enough, whatever the suite's exit status says.
    """
    if old is None:
        return Exclusion(stage="tests", reason="no recipe: nothing says how its tests are run")
    if old.failure is not None:
        failure = old.failure
        return Exclusion(
            stage="old-environment", reason=_phase(failure.phase), detail=failure.message[-4000:]
        )
    assert old.run is not None
    if old.run.status == "timeout":
        return Exclusion(stage="old-tests", reason="did not end within the time limit")
    if not any(result.outcome.good for result in old.run.results):
        return Exclusion(stage="old-tests", reason=_no_good(old.run), detail=_why(old.run))
    if old.run.status != "completed":
        reason = f"the run did not end well: {old.run.status}"
        return Exclusion(stage="old-tests", reason=reason, detail=_why(old.run))
    return None


def new_is_not_red(old: Side, new: Side) -> Exclusion | None:
    """Why a new side is no task's, or None: it cannot be run, or nothing that passed fails in it."""
    if new.failure is not None:
        failure = new.failure
        return Exclusion(
            stage="new-environment", reason=_phase(failure.phase), detail=failure.message[-4000:]
        )
    assert old.run is not None
    assert new.run is not None
    if compare_runs(old.run, new.run).broke:
        return None
    if new.run.status not in ("completed", "no-tests"):
        reason = f"the run did not end well: {new.run.status}"
        return Exclusion(stage="new-tests", reason=reason, detail=_why(new.run))
    return Exclusion(stage="new-tests", reason="nothing that passed fails")


def _phase(phase: str) -> str:
    return {
        "resolve": "does not resolve",
        "install": "does not install",
        "timeout": "did not build within the time limit",
        "oom": "building needs more memory than allowed",
        "disk": "building needs more disk than allowed",
    }[phase]


def _no_good(run: SuiteRun) -> str:
    if run.status == "no-tests" or not run.results:
        return (
            "no test was collected"
            if run.status in ("no-tests", "completed")
            else f"no test ran: {run.status}"
        )
    return "no test passes"


def _why(run: SuiteRun) -> str:
    bad = [
        f"{one.id}: {one.raised[-1].type}: {one.raised[-1].message[:300]}"
        for one in run.results
        if one.raised
    ]
    return "\n".join(part for part in (run.trouble[:2000], *bad[:3]) if part)
