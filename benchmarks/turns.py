"""What a turn of the evaluation loop costs besides the model and the tests (wanted: at most 20 ms).

Run: ``python benchmarks/turns.py [TURNS]``. The model is a function that answers at once, the tree a copy of
this interpreter's standard library (about 700 modules; the files edited have 3,400 lines), the tests a
function that returns. Printed for each dialect: milliseconds of processor and of wall time a turn, and the
processor time by tool. Processor time is what can be compared on a machine that does other things too.
"""

from __future__ import annotations

import itertools
import json
import shutil
import statistics
import sys
import sysconfig
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from backdate.evaluation.running import EvaluationPlan, work_on
from backdate.models.interface import Reply, TokenUsage, ToolCall
from backdate.solvers.conversation import ToolRequest
from backdate.solvers.dialects.marked import write_call
from backdate.solvers.model import ModelSolver
from backdate.solvers.records import RunSettings
from backdate.tasks.runner import TaskRunResult

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/support"))

LOG = "".join(f"line {number} of a long log of tests\n" for number in range(20_000))
TOOLS = (
    ("view_file", {"path": "typing.py", "line": 500}),
    ("search_file", {"path": "typing.py", "query": r"def _\w+"}),
    ("edit_file", {"path": "typing.py", "first_line": 30, "last_line": 30, "new_text": "# {turn}\n"}),
    ("search_last_log", {"query": "line 1999"}),
    ("view_last_log", {"line": 10000}),
    ("list_dir", {"path": "."}),
    ("replace_all_in_file", {"path": "inspect.py", "old_text": "{last}", "new_text": "{turn}"}),
    ("search_dir", {"path": "json", "query": "JSONDecoder"}),
)


class Bench:
    """A tree and tests that cost nothing."""

    def make_tree(self, task, target, stage=None):  # noqa: ARG002 - the interface
        skipped = shutil.ignore_patterns("site-packages", "test", "tests", "__pycache__", "*.so")
        shutil.copytree(sysconfig.get_path("stdlib"), target, ignore=skipped)
        path = target / "inspect.py"
        path.write_text(f"# turn -1\n{path.read_text()}")

    def run_tests(self, task, tree, environment, *, log_folder, only=()):  # noqa: ARG002 - the interface
        log = log_folder / "test.log"
        log.write_text(LOG)
        import builders

        return TaskRunResult(solved=False, run=replace(builders.run(), log=log), reason="1 of 2 tests failed")


class Scripted:
    """A model that calls one tool after the other, and keeps the time that it was away."""

    name = "scripted"

    def __init__(self, dialect: str) -> None:
        self.dialect, self.turn, self.marks = dialect, 0, []

    def ask(self, conversation, *, tools=(), tool_choice="auto", stop=()):  # noqa: ARG002 - the interface
        self.marks.append((time.thread_time(), time.perf_counter()))
        usage = TokenUsage(prompt_tokens=10, completion_tokens=5)
        if self.dialect == "two-step" and tool_choice == "none":
            return Reply(text="I think so. " * 20, usage=usage)
        name, arguments = TOOLS[self.turn % len(TOOLS)]
        words = {"{turn}": f"# turn {self.turn}", "{last}": f"# turn {self.turn - len(TOOLS)}"}
        if self.turn < len(TOOLS):
            words["{last}"] = "# turn -1"
        filled = {
            key: value.replace("{turn}", words["{turn}"]).replace("{last}", words["{last}"])
            if isinstance(value, str)
            else value
            for key, value in arguments.items()
        }
        self.turn += 1
        if self.dialect == "marked":
            return Reply(
                text=f"I think so.\n{write_call(ToolRequest(name=name, arguments=filled))}", usage=usage
            )
        call = ToolCall(id=f"c{self.turn}", name=name, arguments=json.dumps(filled))
        return Reply(text="I think so. " * 20, tool_calls=(call,), usage=usage)


def main() -> None:
    """Print the table."""
    from fake_runner import make_task

    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    print(f"{turns} turns a dialect; milliseconds of our own a turn")
    print(f"{'dialect':<10} {'median':>8} {'mean':>8} {'worst':>8} {'wall, median':>13}")
    for dialect in ("native", "two-step", "marked"):
        with tempfile.TemporaryDirectory() as folder:
            model = Scripted(dialect)
            plan = EvaluationPlan(
                tasks=[make_task()],
                solver=ModelSolver(model),
                settings=RunSettings(solver="model:scripted", calls=turns, dialect=dialect),
                task_runner=Bench(),
                folder=Path(folder, "run"),
            )
            record = work_on(plan, make_task())
            assert record.refused == 0, record
            marks = model.marks[:: 2 if dialect == "two-step" else 1]
            own = [1000 * (after[0] - before[0]) for before, after in itertools.pairwise(marks)]
            wall = [1000 * (after[1] - before[1]) for before, after in itertools.pairwise(marks)]
            median, mean = statistics.median(own), statistics.mean(own)
            print(f"{dialect:<10} {median:8.2f} {mean:8.2f} {max(own):8.2f} {statistics.median(wall):13.2f}")
    names = [name for name, _ in TOOLS]
    told = (f"{name} {statistics.median(own[number :: len(TOOLS)]):.2f}" for number, name in enumerate(names))
    print("by tool:", ", ".join(told))


if __name__ == "__main__":
    main()
