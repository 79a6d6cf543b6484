"""A task, a task runner and a scripted model, brought together as a user would."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fake_runner import FakeScriptRunner, make_task

from backdate.evaluation.run_folder import load_record
from backdate.evaluation.running import EvaluationPlan, evaluate
from backdate.solvers.records import RunRecord, RunSettings


@pytest.fixture
def task_runner() -> FakeScriptRunner:
    return FakeScriptRunner()


@pytest.fixture
def run_solver(tmp_path: Path, task_runner: FakeScriptRunner) -> Callable[..., RunRecord]:
    """Run a solver on the task; the record as it can be read again."""

    def run(solver, *, folder: str = "run", **settings: object) -> RunRecord:
        plan = EvaluationPlan(
            tasks=[make_task()],
            solver=solver,
            settings=RunSettings(solver=solver.name, **settings),
            task_runner=task_runner,
            folder=tmp_path / folder,
        )
        evaluate(plan)
        record = load_record(plan.folder, make_task().instance_id)
        assert record is not None
        return record

    return run
