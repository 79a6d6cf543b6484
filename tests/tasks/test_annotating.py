"""A person's solution: refused, unproven, or taken and made small."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from task_builders import FIXED, MODULE, FakeTaskRunner, task

from backdate.editing.diff import diff_files
from backdate.errors import SourceError, UsageError
from backdate.tasks.annotating import annotate, record_annotation, unsolvable
from backdate.tasks.annotation_folder import (
    AnnotationFolder,
    difficulty_of,
    edit_of,
    open_workspace,
    spending_time,
)
from backdate.tasks.card import DatasetInfo
from backdate.tasks.dataset import Dataset


@pytest.fixture
def workspace(tmp_path: Path) -> AnnotationFolder:
    return open_workspace(tmp_path / "work", task().with_reference(""), FakeTaskRunner())


def _annotate(workspace: AnnotationFolder, **more: object):
    return annotate(task().with_reference(""), workspace, FakeTaskRunner(), repeats=2, **more)


def test_the_edit_is_taken_proven_and_made_small(workspace: AnnotationFolder, tmp_path: Path) -> None:
    (workspace.work / "shouting.py").write_bytes(FIXED)
    (workspace.work / "notes.py").write_text("# not needed\n")
    (workspace.work / "__pycache__").mkdir()
    (workspace.work / "__pycache__" / "x.pyc").write_bytes(b"\0")
    found = _annotate(workspace)
    assert (found.state, found.difficulty, found.removed_hunks, found.minimal) == ("solved", "easy", 1, True)
    assert found.patch == diff_files({"shouting.py": MODULE}, {"shouting.py": FIXED})
    assert "notes.py" in found.written_patch
    assert "__pycache__" not in found.written_patch

    info = DatasetInfo(name="a", created=datetime(2025, 1, 1, tzinfo=UTC), made_by="test")
    dataset = Dataset.create(tmp_path / "set", [task().with_reference("")], info)
    after = record_annotation(dataset, dataset.tasks[0], found, 2)
    assert Dataset.open(dataset.folder).tasks == after.tasks
    assert (after.tasks[0].patches.reference, after.tasks[0].difficulty) == (found.patch, "easy")
    assert after.check() == ()
    assert (after.folder_of(after.tasks[0]) / "annotation.json").is_file()


@pytest.mark.parametrize(
    "name",
    [
        "tests/test_it.py",
        "requirements.txt",
        "setup.py",
        "test_owner__shouting.sh",
        "conftest.py",
        "pyproject.toml",
    ],
)
def test_edits_of_tests_and_environment_are_refused(workspace: AnnotationFolder, name: str) -> None:
    (workspace.work / "shouting.py").write_bytes(FIXED)
    (workspace.work / name).write_text("changed\n")
    found = _annotate(workspace)
    assert found.state == "refused"
    assert name in found.reason


def test_what_does_not_pass_is_not_taken(workspace: AnnotationFolder) -> None:
    assert _annotate(workspace).state == "empty"
    (workspace.work / "shouting.py").write_bytes(MODULE + b"# still broken\n")
    found = _annotate(workspace)
    assert (found.state, found.runs) == ("unsolved", 1)
    assert "tests failed" in found.reason


def test_time_is_kept_between_sessions(workspace: AnnotationFolder) -> None:
    with spending_time(workspace), (workspace.work / "shouting.py").open("a") as file:
        file.write("# x\n")
    second = open_workspace(workspace.folder, task(), FakeTaskRunner())
    assert second.state.spent_s > 0
    assert "+# x" in edit_of(second)
    with pytest.raises(KeyboardInterrupt), spending_time(second):
        raise KeyboardInterrupt
    assert open_workspace(workspace.folder, task(), FakeTaskRunner()).state.spent_s > second.state.spent_s


def test_links_in_the_work_are_no_part_of_an_edit(workspace: AnnotationFolder, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("SECRET = 1\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "more.py").write_text("SECRET = 2\n")
    (workspace.work / "one.py").symlink_to(tmp_path / "secret.py")
    (workspace.work / "two").symlink_to(tmp_path / "folder")
    os.mkfifo(workspace.work / "three.py")
    (workspace.work / "four.py").write_text("# new\n")
    edit = edit_of(workspace)
    assert "SECRET" not in edit
    assert "four.py" in edit


@pytest.mark.parametrize(
    ("seconds", "difficulty"),
    [
        (0, "easy"),
        (899, "easy"),
        (900, "medium"),
        (3599, "medium"),
        (3600, "hard"),
        (7199, "hard"),
        (7200, None),
    ],
)
def test_difficulties(seconds: float, difficulty: str | None) -> None:
    assert difficulty_of(seconds) == difficulty


def test_more_than_two_hours_is_not_solved(workspace: AnnotationFolder) -> None:
    (workspace.work / "shouting.py").write_bytes(FIXED)
    late = replace(workspace, state=replace(workspace.state, spent_s=7200.0))
    found = _annotate(late)
    assert (found.state, found.reason) == ("unsolved", "it took longer than 120 minutes")


def test_a_reason_why_it_cannot_be_solved(workspace: AnnotationFolder) -> None:
    found = unsolvable(task(), workspace, "the library was given up")
    assert (found.state, found.reason, found.patch) == ("unsolvable", "the library was given up", "")


def test_a_workspace_is_one_tasks(workspace: AnnotationFolder, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is the workspace of"):
        open_workspace(workspace.folder, task("owner/other"), FakeTaskRunner())
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(UsageError, match="not empty"):
        open_workspace(tmp_path / "full", task(), FakeTaskRunner())


def test_a_workspace_that_could_not_be_made_can_be_tried_again(tmp_path: Path) -> None:
    task_runner = FakeTaskRunner()
    task_runner.without_source = {task().instance_id}
    with pytest.raises(SourceError):
        open_workspace(tmp_path / "work", task(), task_runner)
    task_runner.without_source = set()
    assert open_workspace(tmp_path / "work", task(), task_runner).work.is_dir()
