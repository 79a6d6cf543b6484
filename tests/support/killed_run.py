"""A process that evaluates a solver and is killed within a write to its journal.

FOLDER ENDPOINT WRITES [COMMAND]: half of the bytes of the write number WRITES are written; with 0 somebody
else kills it. The solver is the model at ENDPOINT, or COMMAND, which has that model.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from fake_runner import make_task
from marking_runner import MarkingRunner

from backdate.evaluation.running import EvaluationPlan, evaluate
from backdate.models.model_name import parse_endpoint
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.solvers import journal
from backdate.solvers.choose import SolverOptions, open_solver
from backdate.solvers.command import CommandOptions
from backdate.solvers.records import RunSettings


class KillingOs:
    """The module ``os`` as the journal sees it."""

    def __init__(self, writes: int) -> None:
        self._left = writes

    def __getattr__(self, name: str) -> object:
        return getattr(os, name)

    def write(self, descriptor: int, data: bytes) -> int:
        self._left -= 1
        if self._left == 0:
            os.write(descriptor, data[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return os.write(descriptor, data)


def main() -> None:
    """Run."""
    folder, endpoint, writes = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    journal.os = KillingOs(writes)  # type: ignore[assignment, attr-defined]
    agent = sys.argv[4] if len(sys.argv) > 4 else ""
    reach = CommandOptions(model=parse_endpoint(f"steps@{endpoint}")) if agent else CommandOptions()
    options = SolverOptions(sandbox=Bubblewrap(), answers=folder / "answers.sqlite", command=reach)
    with open_solver(f"command:{agent}" if agent else f"model:steps@{endpoint}", options) as solver:
        plan = EvaluationPlan(
            tasks=[make_task()],
            solver=solver,
            settings=RunSettings(solver="command:agent" if agent else "model:steps"),
            task_runner=MarkingRunner(),
            folder=folder,
        )
        evaluate(plan)


if __name__ == "__main__":
    main()
