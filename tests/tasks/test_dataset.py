"""Data sets on disk: whole, checked, and put right after an interruption."""

from __future__ import annotations

import json
import subprocess
import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from task_builders import task

from backdate.errors import StoredDataError, UsageError
from backdate.tasks.card import DatasetInfo
from backdate.tasks.dataset import SOURCE, TASKS, Dataset, require_instance_id
from backdate.tasks.dataset_folder import PENDING
from backdate.tasks.task import TASK_FORMAT, Task

INFO = DatasetInfo(name="a set", created=datetime(2025, 1, 2, tzinfo=UTC), made_by="backdate bench import x")


def with_bytes(one: Task, target: Path) -> Task:
    target.parent.mkdir(parents=True)
    target.write_bytes(b"tar")
    return one


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    return Dataset.create(
        tmp_path / "set",
        [task("owner/one"), task("owner/two")],
        INFO,
        add_source=with_bytes,
    )


def test_it_is_opened_as_it_was_written(dataset: Dataset) -> None:
    assert Dataset.open(dataset.folder) == dataset
    assert dataset.check() == ()
    one = dataset.tasks[0]
    assert dataset.source_of(one) == dataset.folder_of(one) / SOURCE
    assert (dataset.folder_of(one) / "gold.patch").read_text() == one.patches.reference
    assert not (dataset.folder_of(one) / "test.patch").exists()
    assert "markupsafe==3.0.2" in (dataset.folder_of(one) / "new.lock").read_text()


def test_the_checksums_are_those_of_the_usual_tool(dataset: Dataset) -> None:
    command = ["sha256sum", "--check", "--strict", "--quiet", "checksums.sha256"]
    assert subprocess.run(command, cwd=dataset.folder, check=False).returncode == 0


def test_the_same_tasks_make_the_same_bytes(dataset: Dataset, tmp_path: Path) -> None:
    Dataset.create(tmp_path / "again", dataset.tasks, INFO)
    for name in (TASKS, "README.md", "croissant.json"):
        assert (tmp_path / "again" / name).read_bytes() == (dataset.folder / name).read_bytes()


def test_updates_reach_every_file(dataset: Dataset) -> None:
    changed = replace(dataset.tasks[1].with_reference(""), difficulty="hard")
    after = dataset.updated([changed])
    assert Dataset.open(dataset.folder) == after
    assert after.tasks == (dataset.tasks[0], changed)
    assert not (after.folder_of(changed) / "gold.patch").exists()
    assert after.check() == ()
    with pytest.raises(UsageError, match="no task"):
        dataset.updated([task("owner/three")])


def test_an_interrupted_update_is_put_right(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_self: Dataset) -> None:
        raise KeyboardInterrupt

    changed = dataset.tasks[0].with_reference("")
    with monkeypatch.context() as patch:
        patch.setattr(Dataset, "render", interrupted)
        with pytest.raises(KeyboardInterrupt):
            dataset.updated([changed])
    assert (dataset.folder / PENDING).exists()
    opened = Dataset.open(dataset.folder)
    assert opened.tasks[0] == changed
    assert opened.check() == ()
    assert not (dataset.folder / PENDING).exists()


def test_nothing_is_left_when_it_cannot_be_written(tmp_path: Path) -> None:
    def broken(_task: object, _target: Path) -> Task:
        raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        Dataset.create(tmp_path / "set", [task()], INFO, add_source=broken)
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_not_overwritten(dataset: Dataset) -> None:
    with pytest.raises(UsageError, match="there already"):
        Dataset.create(dataset.folder, [task()], INFO)
    assert len(Dataset.open(dataset.folder).tasks) == 2


def test_no_data_set(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no data set"):
        Dataset.open(tmp_path)


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        (TASKS, lambda data: data.replace(b"owner/one", b"owner/six"), "is not what"),
        ("dataset.json", lambda _data: b"{", "dataset.json"),
        ("checksums.sha256", lambda _data: b"nonsense\n", "line 1"),
        (
            "checksums.sha256",
            lambda data: data.replace(b"README.md", b"../x"),
            "no checksum of a file in this folder",
        ),
    ],
)
def test_damage_is_named(dataset: Dataset, name: str, change, words: str) -> None:
    path = dataset.folder / name
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(StoredDataError, match=words):
        Dataset.open(dataset.folder)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda line: line.pop("source"), "source"),
        (lambda line: line.update(instance_id="../../etc"), "cannot be a task's name"),
        (lambda line: line.update(environment=3), "environment"),
        (lambda line: line["facts"].update(kind="riddle"), "kind"),
        (lambda line: line.update(format=1, tests=5, proof=[1]), "cannot be read"),
        (lambda line: line.update(format=TASK_FORMAT + 1), "newer version|update backdate"),
    ],
)
def test_lines_that_are_no_task_are_named(dataset: Dataset, change, words: str) -> None:
    import hashlib

    lines = (dataset.folder / TASKS).read_text().splitlines()
    value = json.loads(lines[1])
    change(value)
    data = (lines[0] + "\n" + json.dumps(value) + "\n").encode()
    (dataset.folder / TASKS).write_bytes(data)
    (dataset.folder / PENDING).write_text(hashlib.sha256(data).hexdigest())
    with pytest.raises(StoredDataError, match=words):
        Dataset.open(dataset.folder)


def test_a_changed_source_is_not_used(dataset: Dataset) -> None:
    (dataset.folder_of(dataset.tasks[0]) / SOURCE).write_bytes(b"another")
    with pytest.raises(StoredDataError, match=SOURCE):
        dataset.source_of(dataset.tasks[0])
    assert any("source.tar.gz is not what" in line for line in dataset.check())


def test_missing_and_foreign_files_are_found(dataset: Dataset) -> None:
    (dataset.folder_of(dataset.tasks[0]) / "gold.patch").unlink()
    (dataset.folder_of(dataset.tasks[0]) / "more").write_text("x")
    problems = dataset.check()
    assert any("gold.patch is missing" in line for line in problems)
    assert any("more is not in" in line for line in problems)


def test_a_task_by_name(dataset: Dataset) -> None:
    assert dataset.task(dataset.tasks[1].instance_id) == dataset.tasks[1]
    assert dataset.task(dataset.tasks[1].source.name) == dataset.tasks[1]
    with pytest.raises(UsageError, match="did you mean owner__"):
        dataset.task("owner__tow-0123456789ab")


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/b", "../a", "-a", ".hidden", "a..b", "a.", "a\n", "a\0", "ä", "x" * 201, "a b"]
)
def test_hostile_names_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be a task's name"):
        require_instance_id(name)
    with pytest.raises(UsageError):
        Dataset.create(tmp_path / "set", [replace(task(), instance_id=name)], INFO)
    assert list(tmp_path.iterdir()) == []


@given(st.text(max_size=30))
def test_a_name_is_one_folder_or_refused(text: str) -> None:
    try:
        require_instance_id(text)
    except UsageError:
        return
    assert Path(text).parts == (text,)
    assert text not in (".", "..")


def test_two_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="two tasks"):
        Dataset.create(
            tmp_path / "set", [task(), replace(task(), instance_id=task().instance_id.upper())], INFO
        )


def test_the_card_cannot_be_broken_out_of(tmp_path: Path) -> None:
    hostile = "x\n---\n# <script>alert(1)</script>\nlicense: evil"
    one = task()
    one = replace(one, source=replace(one.source, license=hostile))
    made = Dataset.create(tmp_path / "set", [one], replace(INFO, name=hostile, license=hostile))
    text = (made.folder / "README.md").read_text()
    assert text.count("\n---\n") == 1
    assert "<script>" not in text.split("\n---\n", 1)[1]
    json.loads((made.folder / "croissant.json").read_bytes())


def test_what_others_changed_meanwhile_stays(dataset: Dataset) -> None:
    first, second = Dataset.open(dataset.folder), Dataset.open(dataset.folder)
    first.updated([replace(dataset.tasks[0], difficulty="hard")])
    after = second.updated([replace(dataset.tasks[1], difficulty="easy")])
    assert [task.difficulty for task in after.tasks] == ["hard", "easy"]
    assert Dataset.open(dataset.folder) == after
    assert second.rendered() == after
    assert after.check() == ()
    assert not list(dataset.folder.rglob(".lock"))


def test_many_changes_at_once_are_all_made(tmp_path: Path) -> None:
    dataset = Dataset.create(tmp_path / "set", [task(f"owner/t{number}") for number in range(12)], INFO)
    opened: list[Dataset] = []

    def change(one: Task) -> None:
        dataset.updated([replace(one, difficulty="hard")])
        opened.append(Dataset.open(dataset.folder))  # also while others write

    threads = [threading.Thread(target=change, args=(one,)) for one in dataset.tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=300)
    assert len(opened) == 12
    after = Dataset.open(dataset.folder)
    assert {one.difficulty for one in after.tasks} == {"hard"}
    assert after.check() == ()


def test_it_can_be_read_where_it_cannot_be_written(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr("backdate.tasks.dataset_folder.held_file", refused)
    assert Dataset.open(dataset.folder) == dataset
