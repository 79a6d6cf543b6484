"""What an environment says of the tests that are looked for."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.bisection.errors_of_run import Known
from backdate.bisection.probes import ProbePoint, ProbeResult, Target
from backdate.bisection.result import Failing
from backdate.bisection.search import ProbeStatus
from backdate.diagnosis.result import Cause, CauseKind
from backdate.environments.environment import Interpreter, InterpreterChoice

PYTHON = Interpreter(version="3.9.18", executable=Path("/p/bin/python"), prefix=Path("/p"), source="path")
SETUP = ProbePoint(
    choice=InterpreterChoice(interpreter=PYTHON, wanted="3.9.18", reason=""),
    instant=datetime(2021, 1, 1, tzinfo=UTC),
)


def known(key: str, *, reached: bool) -> Known:
    cause = Cause(kind=CauseKind.MISSING_NAME, type="Error", message="")
    return Known(failing=Failing(type="Error", message=""), key=key, cause=cause, reached=reached)


@pytest.mark.parametrize(
    ("error", "reached", "target_reached", "status"),
    [
        ("wanted", True, True, ProbeStatus.BAD),
        ("other", True, True, ProbeStatus.GOOD),
        ("wanted", False, True, ProbeStatus.BAD),
        (
            "other",
            False,
            True,
            ProbeStatus.SKIP,
        ),  # the runner died before it came to what the target fails at
        ("other", False, False, ProbeStatus.GOOD),  # it came past what stopped it then
        ("other", True, False, ProbeStatus.GOOD),
    ],
)
def test_failing_with_another_error(
    error: str, reached: bool, target_reached: bool, status: ProbeStatus
) -> None:
    seen = ProbeResult(
        point=SETUP,
        identity="i",
        statuses={"t": ProbeStatus.BAD},
        errors={"t": known(error, reached=reached)},
    )
    target = Target(
        tests=("t",), error=Failing(type="Error", message=""), key="wanted", reached=target_reached
    )
    assert seen.statuses_for(target) == {"t": status}


def test_any_error_is_bad_for_a_target_without_one() -> None:
    seen = ProbeResult(
        point=SETUP, identity="i", statuses={"t": ProbeStatus.BAD}, errors={"t": known("a", reached=False)}
    )
    target = Target(tests=("t", "gone"), error=Failing(type="Error", message=""))
    assert seen.statuses_for(target) == {"t": ProbeStatus.BAD, "gone": ProbeStatus.SKIP}
