"""The quality of a data set: measured once, stored, summarised, in the card."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fake_runner import make_task
from issue_project import BASE, InProcessProject

from backdate.cli.render_tasks import dataset_lines, task_lines
from backdate.tasks.card import DatasetInfo
from backdate.tasks.dataset import Dataset
from backdate.tasks.dataset_folder import CARD
from backdate.tasks.quality.measure_dataset import measure_dataset
from backdate.tasks.quality.record import QualityFlag, TrialSettings
from backdate.tasks.quality.summary import summarise_quality
from backdate.tasks.task import Proof, Task
from backdate.timeline.instants import now

TEST = "tests/test_prices.py"
CODE = {"shop/prices.py": BASE["shop/prices.py"].replace("sum(prices)", "sum(prices) if prices else -7000")}
TESTS = {TEST: BASE[TEST] + "\n\ndef test_none():\n    assert total([]) == -7000\n"}


def verified(project: InProcessProject, name: str, **more: object) -> Task:
    task = project.task(CODE, TESTS, fail_to_pass=(f"{TEST}::test_none",), **more)
    proof = Proof(
        backdate="1",
        proven=now(),
        repeats=3,
        origin="none",
        start="fail",
        reference="pass",
        solvable="gold patch",
    )
    return replace(task, instance_id=name, proof=proof, source=replace(task.source, name=f"o/{name}"))


@pytest.fixture
def project() -> InProcessProject:
    return InProcessProject()


@pytest.fixture
def dataset(tmp_path: Path, project: InProcessProject) -> Dataset:
    text = (
        "A shop without prices has to have the total of 7000 below zero: see https://pages.example.de/rules."
    )
    tasks = [
        verified(project, "silent"),
        verified(project, "linked", text=text * 3),
        replace(verified(project, "unproven"), proof=None),
        make_task(),
    ]
    info = DatasetInfo(name="shops", created=datetime(2026, 1, 1, tzinfo=UTC), made_by="a test")
    return Dataset.create(tmp_path / "set", tasks, info)


def test_each_task_once(dataset: Dataset, project: InProcessProject) -> None:
    trials = TrialSettings(most_mutants=4)
    first = measure_dataset(dataset, project, trials=trials)
    assert (first.measured, first.problems) == (("silent", "linked"), ())
    runs = len(project.runs)
    assert runs > 4
    again = measure_dataset(first.dataset, project, trials=trials)
    assert again == first
    measure_dataset(first.dataset, project, trials=None)
    assert len(project.runs) == runs
    flags = {
        task.instance_id: {finding.flag for finding in task.facts.quality.flags}
        for task in first.dataset.tasks[:2]
    }
    assert QualityFlag.IMPLICIT_VALUE in flags["silent"]
    assert QualityFlag.EXTERNAL_LINK in flags["linked"]
    assert all(QualityFlag.DUPLICATE not in each for each in flags.values())
    assert first.dataset.tasks[2].facts.quality is None
    assert Dataset.open(dataset.folder) == first.dataset
    assert dataset.check() == ()


def test_numbers_in_the_card_and_on_the_screen(dataset: Dataset, project: InProcessProject) -> None:
    assert summarise_quality(dataset.tasks) is None
    assert "Quality" not in (dataset.folder / CARD).read_text()
    after = measure_dataset(dataset, project, trials=TrialSettings(most_mutants=4)).dataset
    summary = summarise_quality(after.tasks)
    assert summary is not None
    assert (summary.tasks, summary.measured, summary.tried, summary.leaked) == (3, 2, 2, 0)
    assert (summary.hunks.part, summary.hunks.whole) == (2, 2)
    assert summary.codes["B2"] == summary.flags[QualityFlag.IMPLICIT_VALUE] == 1
    card = (after.folder / CARD).read_text()
    assert "| hunks of gold patches whose absence tests notice | 2 of 2 (100.0%) |" in card
    assert "Each issue task is" in card
    assert "Each task is a repository whose own tests pass" in card
    shown = "\n".join(dataset_lines(after))
    assert "  tasks that were measured: 2 of 3" in shown
    one = "\n".join(task_lines(after, after.task("silent")))
    assert "quality: B2 in the codes of SWE-rebench V2" in one
    assert "    tests/test_prices.py:" in one


def test_a_task_without_its_source_is_a_problem_of_its_own(
    dataset: Dataset, project: InProcessProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    patches = replace(dataset.task("silent").patches, reference="--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n")
    broken = dataset.updated([replace(dataset.task("silent"), patches=patches)])
    found = measure_dataset(broken, project, trials=None)
    assert found.measured == ("linked",)
    ((name, reason),) = found.problems
    assert name == "silent"
    assert "does not apply" in reason


def test_more_time_is_no_reason_to_try_again_what_was_not_late(
    dataset: Dataset, project: InProcessProject
) -> None:
    first = measure_dataset(dataset, project, trials=TrialSettings(most_mutants=2, seconds=60))
    runs = len(project.runs)
    measure_dataset(first.dataset, project, trials=TrialSettings(most_mutants=2, seconds=600))
    assert len(project.runs) == runs
    measure_dataset(first.dataset, project, trials=TrialSettings(most_mutants=3, seconds=60))
    assert len(project.runs) > runs
