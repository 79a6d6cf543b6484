"""One data set of several."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_runner import make_task
from issue_project import issue_task

from backdate.errors import UsageError
from backdate.tasks.card import DatasetInfo
from backdate.tasks.dataset import Dataset
from backdate.tasks.merging import merge_datasets
from backdate.tasks.quality.measure import with_quality
from backdate.tasks.quality.record import (
    HalfTrial,
    HunkTrial,
    QualityEvidence,
    QualityFlag,
    TaskQuality,
    TrialOutcome,
    TrialSettings,
    Weakness,
    finding_of,
)
from backdate.tasks.task import Task
from backdate.timeline.instants import parse_instant


def part(folder: Path, *tasks: Task, source: bytes = b"") -> Dataset:
    def add_source(task: Task, target: Path) -> Task:
        if source:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source)
        return task

    info = DatasetInfo(name=folder.name, created=parse_instant("2025-07-31"), made_by=folder.name)
    return Dataset.create(folder, tasks, info, add_source=add_source)


def named(name: str, code: str = "x = 1\n") -> Task:
    return replace(issue_task({"a.py": code}, {}), instance_id=name)


def test_a_task_that_several_have_stands_once_with_the_first_ones_source(tmp_path: Path) -> None:
    parts = (
        part(tmp_path / "one", named("o__b-2"), named("o__a-1"), source=b"of one"),
        part(tmp_path / "two", named("o__c-3"), named("o__b-2"), source=b"of two"),
        part(tmp_path / "three", named("o__d-4")),
    )
    merged = merge_datasets(parts, tmp_path / "all").dataset
    assert [task.instance_id for task in merged.tasks] == ["o__a-1", "o__b-2", "o__c-3", "o__d-4"]
    again = Dataset.open(tmp_path / "all")
    assert again.tasks == merged.tasks
    assert again.check() == ()
    sources = [again.source_of(task) for task in again.tasks]
    assert [source and source.read_bytes() for source in sources] == [b"of one", b"of one", b"of two", None]
    assert again.info.name == "all"
    assert "one; two; three" in again.info.made_by


def test_different_tasks_of_one_name_and_different_kinds_are_refused(tmp_path: Path) -> None:
    one = part(tmp_path / "one", named("o__a-1"))
    other = part(tmp_path / "other", named("O__a-1", "x = 2\n"))
    with pytest.raises(UsageError, match="different tasks called O__a-1"):
        merge_datasets((one, other), tmp_path / "all")
    migration = part(tmp_path / "migration", make_task())
    with pytest.raises(UsageError, match="of the kinds issue and migration"):
        merge_datasets((one, migration), tmp_path / "all")
    assert not (tmp_path / "all").exists()


HUNK = HunkTrial(file="a.py", line=1, words="x = 1", outcome=TrialOutcome.NOTICED, by="fail-to-pass")


def measured(task: Task, *flags: QualityFlag, weakness: Weakness | None = None) -> Task:
    evidence = (QualityEvidence(words="seen"),)
    findings = tuple(finding for flag in flags for finding in finding_of(flag, evidence))
    return with_quality(task, TaskQuality(backdate="1", flags=findings, weakness=weakness))


def test_tasks_with_a_flag_that_is_not_wanted_are_left_out_and_named(tmp_path: Path) -> None:
    tried = Weakness(asked=TrialSettings())
    late = (HalfTrial(half="first", outcome=TrialOutcome.NOT_RUN),)
    one = part(
        tmp_path / "one",
        measured(named("o__a-1"), weakness=tried),
        measured(named("o__b-2"), QualityFlag.WEAK_HUNK, QualityFlag.STRICT, weakness=tried),
        measured(named("o__c-3"), QualityFlag.STRICT, weakness=tried),
        measured(named("o__d-4"), weakness=Weakness(asked=TrialSettings(), problem="no code is changed")),
        measured(
            named("o__e-5"),
            weakness=Weakness(asked=TrialSettings(), hunks=(HUNK,), possible_hunks=3, halves=late),
        ),
    )
    strong = merge_datasets([one], tmp_path / "strong", without=[QualityFlag.WEAK_HUNK])
    assert [task.instance_id for task in strong.dataset.tasks] == ["o__a-1", "o__c-3"]
    assert strong.left_out == (
        ("o__b-2", "weak-hunk"),
        ("o__d-4", "not tried: no code is changed"),
        ("o__e-5", "not tried: 2 of 3 hunks"),
    )
    whole = merge_datasets([one], tmp_path / "whole", without=[QualityFlag.WEAK_HALF])
    assert whole.left_out[-1] == ("o__e-5", "not tried: 1 of its halves")
    assert "without weak-hunk" in Dataset.open(tmp_path / "strong").info.made_by
    fair = merge_datasets([one], tmp_path / "fair", without=[QualityFlag.STRICT])
    assert [task.instance_id for task in fair.dataset.tasks] == ["o__a-1", "o__d-4", "o__e-5"]


@pytest.mark.parametrize(
    ("task", "flag", "said"),
    [
        (named("o__a-1"), QualityFlag.STRICT, "run 'backdate bench quality --read' on its data set first"),
        (
            measured(named("o__a-1")),
            QualityFlag.WEAK_MUTANT,
            "run 'backdate bench quality' on its data set first",
        ),
        (make_task(), QualityFlag.STRICT, "is no issue task"),
        (
            measured(named("o__a-1"), weakness=Weakness(asked=TrialSettings(), possible_mutants=4)),
            QualityFlag.WEAK_MUTANT,
            "no mutant of o__a-1 was tried",
        ),
        (
            measured(named("o__a-1"), weakness=Weakness(asked=TrialSettings(), possible_hunks=1)),
            QualityFlag.WEAK_HUNK,
            "no hunk of o__a-1 was tried; run 'backdate bench quality' with --hunks",
        ),
        (
            measured(named("o__a-1"), weakness=Weakness()),
            QualityFlag.WEAK_HALF,
            "the quality of o__a-1 is not known",
        ),
        (measured(named("o__a-1"), QualityFlag.IMAGE), QualityFlag.IMAGE, "none is left"),
    ],
)
def test_flags_that_nobody_looked_for_are_not_taken_for_none(
    tmp_path: Path, task: Task, flag: QualityFlag, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        merge_datasets([part(tmp_path / "one", task)], tmp_path / "all", without=[flag])
    assert not (tmp_path / "all").exists()
