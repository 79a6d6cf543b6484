"""A task runner over small real trees: the tests are a script that this interpreter runs."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import builders

from backdate.errors import SourceError
from backdate.tasks.runner import TaskRunResult
from backdate.tasks.task import MigrationFacts, Patches, ScriptSetup, Task, TaskEnvironment, TaskSource
from backdate.testing.outcomes import Outcome

FILES = {
    "pkg/__init__.py": "",
    "pkg/shapes.py": (
        "import math\n\n\ndef area(r):\n    return oldlib.pi * r * r\n\n\ndef twice(x):\n    return x * 2\n"
    ),
    "pkg/text.py": "def shout(word):\n    return word.upper()\n",
    "tests/test_shapes.py": (
        "import sys\nsys.path.insert(0, '.')\nsys.dont_write_bytecode = True\n"
        "from pkg.shapes import area, twice\n"
        "assert round(area(1), 2) == 3.14, 'area'\nassert twice(2) == 4, 'twice'\nprint('2 passed')\n"
    ),
    "setup.py": "from setuptools import setup\nsetup()\n",
    "setup_o__n.sh": "pip install .\n",
    "test_o__n.sh": "python tests/test_shapes.py\n",
}
GOLD = """\
--- pkg/shapes.py
+++ pkg/shapes.py
@@ -4,2 +4,2 @@
 def area(r):
-    return oldlib.pi * r * r
+    return math.pi * r * r
"""
FIX = {"path": "pkg/shapes.py", "old_text": "oldlib.pi", "new_text": "math.pi"}
"""Arguments of replace_all_in_file that solve the task."""


def make_task(instance: str = "o__n-0123456789ab") -> Task:
    return Task(
        instance_id=instance,
        source=TaskSource(kind="git", name="o/n", url="https://example.org/o/n", revision="0" * 40),
        facts=MigrationFacts(old=TaskEnvironment(instant=datetime(2020, 1, 1, tzinfo=UTC), python="3.7.6")),
        environment=TaskEnvironment(instant=datetime(2024, 1, 1, tzinfo=UTC), python="3.12.1"),
        setup=ScriptSetup(setup="setup_o__n.sh", test="test_o__n.sh"),
        patches=Patches(reference=GOLD),
        test_files=("tests/test_shapes.py",),
    )


class FakeScriptRunner:
    """Makes the tree above and runs its script."""

    def __init__(self, *, broken: bool = False, missing: bool = False) -> None:
        self.broken, self.missing = broken, missing
        self.trees = 0
        self.runs = 0

    def make_tree(self, task: Task, target: Path, stage: str | None = None) -> None:
        if self.missing:
            raise SourceError("there is no such commit")
        self.trees += 1
        for name, text in FILES.items():
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        if stage == "reference":
            path = target / "pkg/shapes.py"
            path.write_text(path.read_text().replace("oldlib", "math"))

    def run_tests(
        self, task: Task, tree: Path, environment: str, *, log_folder: Path, only: tuple[str, ...] = ()
    ) -> TaskRunResult:
        self.runs += 1
        if self.broken:
            return TaskRunResult(
                solved=False, run=None, reason="the environment did not build: no such wheel"
            )
        done = subprocess.run(
            [sys.executable, "-I", "tests/test_shapes.py"],
            cwd=tree,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        log = log_folder / "test.log"
        log.write_text(done.stdout)
        good = done.returncode == 0
        run = builders.run(
            builders.result("tests/test_shapes.py::all", Outcome.PASSED if good else Outcome.FAILED)
        )
        return TaskRunResult(
            solved=good, run=replace(run, log=log), reason="" if good else "1 of 1 tests failed"
        )
