"""What ``bench show`` says of judge runs and of tests that assert nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from task_builders import task

from backdate.cli.render_tasks import dataset_lines, task_lines
from backdate.tasks.card import DatasetInfo
from backdate.tasks.dataset import Dataset
from backdate.tasks.judge_record import JudgeRecord, SoundChange
from backdate.tasks.task import Proof
from backdate.testing.changed_tests.kinds import ChangeKind

DAY = datetime(2026, 1, 1, tzinfo=UTC)


def test_what_asserts_nothing_is_shown(tmp_path: Path) -> None:
    changes = tuple(
        SoundChange(file="t.py", function="test_a", kind=kind, tests=("t.py::test_a",))
        for kind in (ChangeKind.INVERTED, ChangeKind.WRAPPED)
    )
    judge = JudgeRecord(changes=changes, asserts_nothing=tuple(f"t.py: test_{n}\x1b" for n in range(25)))
    proof = Proof(
        backdate="1",
        proven=DAY,
        repeats=1,
        origin="pass",
        start="fail",
        reference="pass",
        solvable="gold patch",
        judge=judge,
    )
    info = DatasetInfo(name="a set", created=DAY, made_by="test")
    dataset = Dataset.create(tmp_path / "set", [replace(task("owner/a"), proof=proof)], info)
    lines = list(task_lines(dataset, dataset.tasks[0]))
    assert "  judging     changes of tests that are known to be sound: 1 inverted, 1 wrapped" in lines
    assert sum("asserts nothing: t.py: test_" in line for line in lines) == 20
    assert "              and 5 more that assert nothing" in lines
    assert not any("\x1b" in line for line in lines)
    assert "test functions that assert nothing: 25" in list(dataset_lines(dataset))
