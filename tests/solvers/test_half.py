"""The solver that hands in half of the known solution."""

from __future__ import annotations

from dataclasses import replace

from fake_runner import GOLD, FakeScriptRunner, make_task

from backdate.editing.diff import diff_files
from backdate.editing.patch import read_patch
from backdate.sandboxes.choose import choose_sandbox
from backdate.solvers.choose import SolverOptions, open_solver
from backdate.solvers.half import HalfSolver
from backdate.solvers.interface import Assignment
from backdate.solvers.records import RunSettings, StopReason
from backdate.tasks.task import Patches


def test_the_solver_hands_in_half_or_says_why_not(tmp_path) -> None:
    runner, sandbox = FakeScriptRunner(), choose_sandbox("unsafe-local")
    base = tmp_path / "base"
    runner.make_tree(make_task(), base)
    names = ("pkg/shapes.py", "pkg/text.py")
    old = {name: (base / name).read_bytes() for name in names}
    new = {
        "pkg/shapes.py": old["pkg/shapes.py"].replace(b"oldlib", b"math"),
        "pkg/text.py": old["pkg/text.py"].replace(b"upper", b"title"),
    }
    tasks = {
        "two": replace(make_task(), patches=Patches(reference=diff_files(old, new))),
        "folder": replace(
            make_task(),
            patches=Patches(
                reference=diff_files(
                    {**old, "pkg/more/new.py": None}, {**new, "pkg/more/new.py": b"A = 1\nB = 2\n"}
                )
            ),
        ),
        "one": replace(make_task(), patches=Patches(reference=GOLD)),
        "none": replace(make_task(), patches=Patches()),
    }
    results = {}
    for name, task in tasks.items():
        scratch = tmp_path / name
        scratch.mkdir()
        with open_solver("half", SolverOptions(sandbox=sandbox)) as solver:
            assignment = Assignment(
                task=task,
                settings=RunSettings(solver=solver.name),
                task_runner=runner,
                scratch=scratch,
                logs=tmp_path,
            )
            results[name] = solver.attempt(assignment)
    assert [results[name].ending for name in tasks] == [
        StopReason.SUBMITTED,
        StopReason.SUBMITTED,
        StopReason.GAVE_UP,
        StopReason.GAVE_UP,
    ]
    assert [file.path for file in read_patch(results["two"].patch)] == ["pkg/shapes.py"]
    assert "no gold patch" in results["none"].detail
    assert HalfSolver("second").name == "half:second"
