"""A result that nobody had to compute, and running the command line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "checking"))
from builders import frame, lock, raised, result, run

from backdate.checking.compare import compare_locks, compare_runs
from backdate.checking.result import CheckResult, Side
from backdate.checking.verdict import decide
from backdate.environments.environment import Environment, Interpreter, InterpreterChoice
from backdate.projects.project import Origin
from backdate.recipes.recipe import Provenance, Recipe, SuitePlan
from backdate.testing.outcomes import Outcome

MakeResult = Callable[..., CheckResult]


def side(instant: datetime, version: str, this_lock: object, this_run: object) -> Side:
    interpreter = Interpreter(version=version, executable=Path("/p/python"), prefix=Path("/p"), source="path")
    choice = InterpreterChoice(wanted=version, reason="for a test", interpreter=interpreter)
    plan = SuitePlan(runner="pytest", provenance=Provenance(rule="a test"))
    return Side(
        instant=instant,
        choice=choice,
        recipe=Recipe(install=(), test=plan),
        environment=Environment(
            key="0" * 64,
            root=Path("/e"),
            choice=choice,
            lock=this_lock,  # type: ignore[arg-type]
            build_s=3.0,
            reused=False,
            log=Path("/log"),
        ),
        run=this_run,  # type: ignore[arg-type]
    )


@pytest.fixture
def make_result() -> MakeResult:
    """A result in which ``t.py::b`` broke with ``message``; other fields as told."""

    def make(message: str = "no attribute 'float'", test: str = "t.py::b", **changes: object) -> CheckResult:
        error = raised("AttributeError", message, frame("pkg/a.py", 12))
        old = side(
            datetime(2021, 3, 1, tzinfo=UTC),
            "3.8.18",
            lock(numpy="1.20.0", gone="1"),
            run(result("t.py::a"), result(test)),
        )
        new = side(
            datetime(2024, 3, 1, tzinfo=UTC),
            "3.11.7",
            lock(numpy="1.26.0"),
            run(result("t.py::a"), result(test, Outcome.FAILED, error)),
        )
        assert old.run is not None
        assert new.run is not None
        assert old.environment is not None
        assert new.environment is not None
        comparison = compare_runs(old.run, new.run)
        verdict, reason = decide(old, new, comparison)
        made = CheckResult(
            backdate="0.1.0",
            uv="0.9.0",
            project="thing",
            origin=Origin(kind="sdist", location="thing==1"),
            verdict=verdict,
            reason=reason,
            old=old,
            new=new,
            changes=compare_locks(old.environment.lock, new.environment.lock),
            comparison=comparison,
            unpinning="--- requirements.txt\n+++ requirements.txt\n@@ -1 +1 @@\n-numpy==1.20\n+numpy\n",
            started=datetime(2024, 3, 1, tzinfo=UTC),
            duration_s=4.0,
            folder=Path("/runs/1"),
        )
        return replace(made, **changes)  # type: ignore[arg-type]

    return make
