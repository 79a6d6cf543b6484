"""Results of checks, without building or running anything."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fake_setups import recipe

from backdate.checking.result import CheckResult, Side, Verdict
from backdate.environments.environment import Interpreter, InterpreterChoice
from backdate.projects.project import Origin

DAY = datetime(2021, 3, 1, tzinfo=UTC)
CHOICE = InterpreterChoice(
    wanted="3.8",
    reason="for a test",
    interpreter=Interpreter(version="3.8.18", executable=Path("/p/python"), prefix=Path("/p"), source="path"),
)


def small_check_result(**changes: Any) -> CheckResult:
    """One that cannot tell, with two equal sides, changed as ``changes`` say."""
    side = Side(instant=DAY, choice=CHOICE, recipe=recipe("x"))
    result = CheckResult(
        backdate="0",
        uv="0",
        project="p",
        origin=Origin(kind="folder", location="/p"),
        verdict=Verdict.CANNOT_TELL,
        reason="for a test",
        old=side,
        new=side,
        changes=(),
        comparison=None,
        unpinning="",
        started=DAY,
        duration_s=1.0,
        folder=Path("/f"),
    )
    return replace(result, **changes)
