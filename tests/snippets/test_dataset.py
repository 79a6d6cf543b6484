"""A folder of snippets is whole, and checks itself."""

import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.errors import StoredDataError, UsageError
from backdate.snippets.dataset import SNIPPETS, SnippetDataset, holds_snippets
from backdate.snippets.snippet import Collection, Snippet, SnippetAsk, SnippetSide
from backdate.tasks.card import DatasetInfo
from backdate.tasks.dataset_folder import PENDING, turn

INFO = DatasetInfo(name="Some", created=datetime(2024, 1, 1, tzinfo=UTC), made_by="a test")


def snippet(name: str) -> Snippet:
    side = SnippetSide(version="3.8", python="3.8")
    return Snippet(
        id=name,
        collection=Collection.BUILT,
        asks=(SnippetAsk.MIGRATE,),
        library="python",
        origin=side,
        target=side,
        code="def f(): pass\n",
        entry="f",
    )


def made(folder: Path) -> SnippetDataset:
    return SnippetDataset.create(folder, [snippet("a"), snippet("b")], INFO)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    dataset = made(tmp_path / "set")
    assert holds_snippets(dataset.folder)
    assert SnippetDataset.open(dataset.folder) == dataset
    assert dataset.snippet("b").id == "b"
    with pytest.raises(UsageError, match="no snippet"):
        dataset.snippet("c")
    with pytest.raises(UsageError, match="already"):
        made(tmp_path / "set")


@pytest.mark.parametrize("name", ["../a", "", "a/b", ".."])
def test_hostile_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        SnippetDataset.create(tmp_path / "set", [snippet(name)], INFO)
    assert not list(tmp_path.iterdir())


def test_names_that_come_twice_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="two snippets"):
        SnippetDataset.create(tmp_path / "set", [snippet("a"), snippet("A")], INFO)


def test_a_changed_file_is_noticed_and_a_folder_without_snippets_is_none(tmp_path: Path) -> None:
    dataset = made(tmp_path / "set")
    path = dataset.folder / SNIPPETS
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(StoredDataError, match="checksums"):
        SnippetDataset.open(dataset.folder)
    with pytest.raises(UsageError, match="no data set of snippets"):
        SnippetDataset.open(tmp_path)


def test_a_change_is_seen_by_the_next_and_one_left_in_its_middle_is_put_right(tmp_path: Path) -> None:
    dataset = made(tmp_path / "set")
    changed = dataset.changed(lambda one: replace(one, flags=("odd",)) if one.id == "a" else one)
    assert SnippetDataset.open(dataset.folder) == changed
    before = (dataset.folder / SNIPPETS).read_bytes()
    again = changed.changed(lambda one: replace(one, problem="later"))
    after = (dataset.folder / SNIPPETS).read_bytes()
    other = made(tmp_path / "other")  # as it was left: the new lines, the old checksums
    (other.folder / SNIPPETS).write_bytes(after)
    from backdate.tasks.checksums import sha256

    (other.folder / PENDING).write_text(sha256(after))
    assert SnippetDataset.open(other.folder).snippets == again.snippets
    assert not (other.folder / PENDING).exists()
    assert before != after


def test_who_opens_it_in_the_middle_of_a_change_waits_for_its_end(tmp_path: Path) -> None:
    """Rows of before and checksums of after are what a reader may see: that is no damage."""
    dataset = made(tmp_path / "set")
    before, held = (dataset.folder / SNIPPETS).read_bytes(), threading.Event()

    def change() -> None:
        with turn(dataset.folder):
            (dataset.folder / SNIPPETS).write_bytes(before + b"\n")
            held.set()
            time.sleep(0.3)
            (dataset.folder / SNIPPETS).write_bytes(before)

    other = threading.Thread(target=change)
    other.start()
    assert held.wait(timeout=300)
    try:
        assert SnippetDataset.open(dataset.folder) == dataset
    finally:
        other.join(timeout=300)
