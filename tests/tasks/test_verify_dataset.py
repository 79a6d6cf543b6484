"""Verifying a data set: resumable, several at a time."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from slow_tests import others_slow
from task_builders import FakeTaskRunner, run_of, task

from backdate.errors import MachineError, UsageError
from backdate.progress import Event
from backdate.tasks import verify_dataset as module
from backdate.tasks.card import DatasetInfo
from backdate.tasks.dataset import Dataset
from backdate.tasks.notes import NoteKind, RunNote
from backdate.tasks.progress import TaskVerified
from backdate.tasks.verification_record import FILE
from backdate.tasks.verify_dataset import read_record, verify_dataset

INFO = DatasetInfo(name="a set", created=datetime(2025, 1, 2, tzinfo=UTC), made_by="test")


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    return Dataset.create(tmp_path / "set", [task(f"owner/{name}") for name in ("a", "b", "c")], INFO)


class _Heard:
    def __init__(self) -> None:
        self.kept: list[bool] = []

    def report(self, event: Event) -> None:
        if isinstance(event, TaskVerified):
            self.kept.append(event.kept)


@pytest.mark.parametrize("jobs", others_slow([1, 3], kept=[1]))
def test_what_is_done_is_not_done_again(dataset: Dataset, jobs: int) -> None:
    task_runner = FakeTaskRunner()
    after, records = verify_dataset(dataset, task_runner, repeats=1, jobs=jobs)
    assert [record.verification.verified for record in records] == [True] * 3
    assert Dataset.open(dataset.folder) == after
    assert all(one.proof is not None and one.tests for one in after.tasks)
    assert after.check() == ()
    assert (after.folder_of(after.tasks[0]) / "logs" / "origin" / "1" / "tests.log").is_file()
    runs, heard = task_runner.runs, _Heard()
    again, same = verify_dataset(Dataset.open(dataset.folder), task_runner, repeats=1, progress=heard)
    assert (task_runner.runs, heard.kept, same, again) == (runs, [True] * 3, records, after)
    verify_dataset(again, task_runner, repeats=2)
    assert task_runner.runs == runs + 3 * 6


class _JudgingRunner(FakeTaskRunner):
    def run_changed(self, task, changed, *, environment, built_for, log_folder, limits, only=()):
        return self.run_tests(task, changed, environment, log_folder=log_folder, only=only)


def test_what_was_verified_without_looking_for_sound_changes_is_done_again(dataset: Dataset) -> None:
    after, before = verify_dataset(dataset, FakeTaskRunner(), repeats=1)
    assert all(record.proof is not None and record.proof.judge is None for record in before)
    heard = _Heard()
    after, records = verify_dataset(after, _JudgingRunner(), repeats=1, progress=heard)
    assert heard.kept == [False] * 3
    assert all(record.proof is not None and record.proof.judge is not None for record in records)
    heard = _Heard()
    verify_dataset(after, _JudgingRunner(), repeats=1, progress=heard)
    assert heard.kept == [True] * 3


def test_scripts_that_are_carried_out_in_another_way_are_verified_again(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    after, _ = verify_dataset(dataset, FakeTaskRunner(), repeats=1)
    (first, *_) = after.tasks
    assert first.scripts is not None
    assert read_record(after, first) is not None
    monkeypatch.setattr(module, "SCRIPT_FORMAT", module.SCRIPT_FORMAT + 1)
    assert read_record(after, first) is None


def test_a_changed_task_is_done_again(dataset: Dataset) -> None:

    after, _ = verify_dataset(dataset, FakeTaskRunner(), repeats=1)
    changed = after.updated([after.tasks[0].with_reference("")])
    task_runner = FakeTaskRunner()
    _, records = verify_dataset(changed, task_runner, repeats=1)
    assert task_runner.runs == 2
    assert records[0].verification.reason == "there is no gold patch"


def test_what_was_not_verified_is_looked_at_again_when_asked(dataset: Dataset) -> None:

    broken = dataset.updated([dataset.tasks[0].with_reference("")])
    after, _ = verify_dataset(broken, FakeTaskRunner(), repeats=1)
    task_runner, heard = FakeTaskRunner(), _Heard()
    verify_dataset(after, task_runner, repeats=1, progress=heard)
    assert (task_runner.runs, heard.kept) == (0, [True] * 3)
    _, records = verify_dataset(after, task_runner, repeats=1, retry=True)
    assert task_runner.runs == 2
    assert [record.verification.verified for record in records] == [False, True, True]


class _LacksPackages(FakeTaskRunner):
    """Nothing builds for want of system packages."""

    def run_tests(self, task, tree, environment, *, log_folder, only=()):
        built = super().run_tests(task, tree, environment, log_folder=log_folder, only=only)
        notes = (
            RunNote(
                kind=NoteKind.INTERPRETER, text="3.8.18 stands in for 3.8.1, which is not on this machine"
            ),
            RunNote(kind=NoteKind.UNTRIED_PACKAGES, text="not tried without --apt: the task asks for libfoo"),
        )
        return replace(built, solved=False, run=None, reason="no header", notes=notes)


def test_what_lacked_packages_is_verified_again_where_they_are_applied(dataset: Dataset) -> None:
    after, _ = verify_dataset(dataset, _LacksPackages(), repeats=1)
    task_runner = FakeTaskRunner()
    verify_dataset(after, task_runner, repeats=1)
    assert task_runner.runs == 0
    _, records = verify_dataset(after, task_runner, repeats=1, apt=True)
    assert task_runner.runs
    assert all(record.verification.verified for record in records)


def test_a_record_of_the_format_before_has_its_notes_with_kinds(dataset: Dataset) -> None:
    after, (current, *_) = verify_dataset(dataset, _LacksPackages(), repeats=1)
    file = after.folder_of(after.tasks[0]) / FILE
    document = json.loads(file.read_bytes())
    del document["format"]
    for stage in document["verification"]["stages"]:
        stage["notes"] = [note["text"] for note in stage["notes"]]
    file.write_text(json.dumps(document), encoding="utf-8")
    assert read_record(after, after.tasks[0]) == current


def test_only_some(dataset: Dataset) -> None:
    name = dataset.tasks[1].instance_id
    after, records = verify_dataset(dataset, FakeTaskRunner(), only=[name, name], repeats=1)
    assert [record.verification.instance_id for record in records] == [name]
    assert [one.proof is not None for one in after.tasks] == [False, True, False]
    with pytest.raises(UsageError, match="no task"):
        verify_dataset(dataset, FakeTaskRunner(), only=["nobody"])


@pytest.mark.parametrize("error", [KeyboardInterrupt, MachineError("no disk")])
def test_what_was_found_before_an_interruption_is_kept(dataset: Dataset, error) -> None:
    class Interrupted(FakeTaskRunner):
        def make_tree(self, task, target, stage=None) -> None:
            if task.source.name == "owner/b":
                raise error
            super().make_tree(task, target, stage)

    with pytest.raises((KeyboardInterrupt, MachineError)):
        verify_dataset(dataset, Interrupted(), repeats=1)
    opened = Dataset.open(dataset.folder)
    assert [one.proof is not None for one in opened.tasks] == [True, False, False]
    assert opened.check() == ()
    task_runner = FakeTaskRunner()
    after, _ = verify_dataset(opened, task_runner, repeats=1)
    assert task_runner.runs == 6
    assert all(one.proof is not None for one in after.tasks)


def test_a_task_that_could_not_be_run_stays_as_it_was(dataset: Dataset) -> None:
    task_runner = FakeTaskRunner(lambda _tree, _side, _number: run_of({}))
    task_runner.without_source = {one.instance_id for one in dataset.tasks}
    after, records = verify_dataset(dataset, task_runner, repeats=1)
    assert after.tasks == dataset.tasks
    assert not any(record.verification.verified for record in records)


def test_two_runs_on_parts_of_a_data_set_keep_each_others_records(dataset: Dataset) -> None:
    first, second = Dataset.open(dataset.folder), Dataset.open(dataset.folder)
    ids = [one.instance_id for one in dataset.tasks]
    verify_dataset(first, FakeTaskRunner(), only=ids[:1], repeats=1)
    after, _ = verify_dataset(second, FakeTaskRunner(), only=ids[1:], repeats=1)
    assert all(one.proof is not None and one.tests for one in after.tasks)
    assert Dataset.open(dataset.folder) == after
    assert after.check() == ()


class _MeetingRunner(FakeTaskRunner):
    """Its first run starts when a second command has looked for records and found none."""

    def __init__(self, both: threading.Barrier) -> None:
        super().__init__()
        self._both = both
        self._met = False

    def run_tests(self, *arguments, **named):
        if not self._met:
            self._met = True
            self._both.wait(timeout=300)
        return super().run_tests(*arguments, **named)


class _Meets:
    """A second command's reporter: it has looked for records once it reports the first of them."""

    def __init__(self, both: threading.Barrier) -> None:
        self._both = both
        self.kept: list[bool] = []

    def report(self, event: Event) -> None:
        if isinstance(event, TaskVerified):
            if not self.kept:
                self._both.wait(timeout=300)
            self.kept.append(event.kept)


def test_two_runs_at_once_share_the_work(dataset: Dataset) -> None:
    verify_dataset(dataset, FakeTaskRunner(), only=[dataset.tasks[0].instance_id], repeats=1)
    both = threading.Barrier(2)
    runner, other = _MeetingRunner(both), FakeTaskRunner()
    first = threading.Thread(target=verify_dataset, args=(dataset, runner), kwargs={"repeats": 1})
    first.start()
    heard = _Meets(both)  # the first task has a record, the others are being made
    after, records = verify_dataset(Dataset.open(dataset.folder), other, repeats=1, progress=heard)
    first.join(timeout=300)
    assert heard.kept[0] is True
    assert all(record.verification.verified for record in records)
    assert runner.runs + other.runs == 2 * 3  # each of the two others was verified by one of them
    assert Dataset.open(dataset.folder) == Dataset.open(after.folder)
