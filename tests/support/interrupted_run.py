"""A process that evaluates a model on a small project, to be interrupted: FOLDER ENDPOINT SECONDS.

The project's test fails after SECONDS. Prints "working" when it begins.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

from fake_runner import make_task
from small_runner import SmallProjectRunner

from backdate.environments.environment import Environment
from backdate.evaluation.progress import SolverStarted
from backdate.evaluation.running import EvaluationPlan, evaluate
from backdate.progress import Event
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.solvers.choose import SolverOptions, open_solver
from backdate.solvers.records import RunSettings

FILES = {
    "pkg.py": "VALUE = 1\n",
    "tests/__init__.py": "",
    "tests/test_all.py": (
        "import time\nimport unittest\n\n\nclass All(unittest.TestCase):\n    def test_it(self):\n"
        "        time.sleep({seconds})\n        self.assertEqual(1, 2)\n"
    ),
}


class Told:
    """Says when a task begins."""

    def report(self, event: Event) -> None:
        if isinstance(event, SolverStarted):
            sys.stdout.write("working\n")
            sys.stdout.flush()


def own(version: str) -> Environment:
    """The environment that this process runs in."""
    from diagnosis_environments import environment_of

    return environment_of(Path(sys.prefix), Path(sys.executable))


def main() -> int:
    """Run; status 130 after Ctrl-C."""
    folder, endpoint, seconds = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started us may ignore it
    files = {name: text.replace("{seconds}", seconds) for name, text in FILES.items()}
    solver = f"model:scripted@{endpoint}"
    try:
        with open_solver(
            solver, SolverOptions(sandbox=Bubblewrap(), answers=folder / "answers.sqlite")
        ) as opened:
            plan = EvaluationPlan(
                tasks=[make_task("o__n-1"), make_task("o__n-2")],
                solver=opened,
                settings=RunSettings(solver="model:scripted", calls=2),
                task_runner=SmallProjectRunner(files, {"target": "own"}, environment=own),  # type: ignore[arg-type]
                folder=folder,
                jobs=2,
            )
            evaluate(plan, Told())
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
