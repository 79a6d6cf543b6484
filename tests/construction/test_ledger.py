"""The ledger: transactions, leases, resumption, and what it refuses."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest

from backdate.construction.candidate import BadRow, Candidate, Entry, Exclusion, SharedReason
from backdate.construction.ledger import Ledger
from backdate.construction.ledger_view import FORMAT, read_ledger
from backdate.errors import DiskFull, StoredDataError, UsageError

FORMAT_1 = Path(__file__).parent.parent / "data" / "format_1" / "dataset.build"


def candidate(number: int) -> Candidate:
    return Candidate(
        kind="git", name=f"a/{number}", location=f"https://example.org/a/{number}", revision="abcdef1"
    )


def fill(ledger: Ledger, count: int) -> None:
    ledger.add((candidate(number), None) for number in range(count))


def test_every_entry_has_a_row(tmp_path: Path) -> None:
    few_stars = Exclusion(stage="stars", kind=SharedReason.FEW_STARS, reason="fewer than 1 stars", detail="0")
    entries: list[tuple[Entry, Exclusion | None]] = [
        (BadRow(name="x:1", reason="not JSON"), None),
        (candidate(1), None),
        (candidate(2), few_stars),
        (candidate(1), None),
    ]
    with Ledger(tmp_path) as ledger:
        ledger.add(entries)
        assert ledger.total() == 4
        assert {(count.stage, count.kind, count.reason): count.count for count in ledger.reasons()} == {
            ("row", "not JSON", "not JSON"): 1,
            ("stars", "few-stars", "fewer than 1 stars"): 1,
            ("repeated", "listed-before", "listed more than once"): 1,
        }
        assert [(entry.name, entry.stage, entry.detail) for entry in ledger.left("stars")] == [
            ("a/2", "stars", "0")
        ]
        assert [row.candidate for row in ledger.rows("examine")] == [candidate(1)]


def test_adding_again_passes_over_what_is_there(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        fill(ledger, 7)
        fill(ledger, 12)
        assert ledger.total() == 12
        assert len({row.candidate.key for row in ledger.rows("examine")}) == 12


def test_repeats_are_found_across_batches(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        ledger.add((candidate(number % 6_000), None) for number in range(12_001))
        assert ledger.count("examine") == 6_000
        assert [(count.kind, count.count) for count in ledger.reasons()] == [("listed-before", 6_001)]


def test_a_lease_is_exclusive_until_it_expires(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        fill(ledger, 3)
        first = ledger.lease("examine", 2, owner="one", seconds=60)
        assert [row.id for row in first] == [1, 2]
        assert [row.id for row in ledger.lease("examine", 5, owner="two", seconds=-1)] == [3]
        assert [row.id for row in ledger.lease("examine", 5, owner="three", seconds=60)] == [3]
        assert ledger.attempts(3) == 2
        ledger.release([1])
        assert [row.id for row in ledger.lease("examine", 5, owner="four", seconds=60)] == [1]
        ledger.release(blame=False)
        assert [ledger.attempts(number) for number in (1, 2, 3)] == [1, 0, 1]


def test_what_was_settled_is_there_after_a_new_start(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        fill(ledger, 3)
        ledger.keep_examined(1, b"{}")
        ledger.keep_examined(2, b"{}")
        ledger.move_ready({2: Exclusion(stage="duplicate", kind="same-files", reason="r")})
        ledger.keep_task(1, "a__1-abc", b"{}")
        ledger.exclude(3, Exclusion(stage="trouble", kind="defect", reason="r"))
        ledger.spend(1, "run", {"build": 1.5, "test": 2.0})
        ledger.spend(3, "run", {"build": 0.5})
    with Ledger(tmp_path) as ledger:
        assert ledger.tasks() == ((1, b"{}"),)
        assert ledger.spent() == {"build": 2.0, "test": 2.0}
        assert ledger.retry(["trouble"]) == 1
        assert [row.id for row in ledger.rows("examine")] == [3]


def test_one_writer_and_any_number_of_readers(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no build"):
        read_ledger(tmp_path)
    with Ledger(tmp_path) as ledger:
        fill(ledger, 2)
        with pytest.raises(UsageError, match="another build"):
            Ledger(tmp_path)
        with read_ledger(tmp_path) as reader:
            assert reader.total() == 2
    with Ledger(tmp_path):
        pass


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ledger.sqlite").write_bytes(b"something else" * 100)
    with pytest.raises(StoredDataError, match="not a ledger"):
        Ledger(tmp_path)


def test_a_ledger_of_another_format_is_refused(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        ledger.note("format", "99")
    with pytest.raises(StoredDataError, match="format 99"):
        Ledger(tmp_path)


def test_a_ledger_of_format_1_is_read_and_brought_to_the_present_one(tmp_path: Path) -> None:
    shutil.copytree(FORMAT_1, tmp_path / "build")
    with read_ledger(tmp_path / "build") as ledger:
        before = [(count.stage, count.kind, count.reason, count.count) for count in ledger.reasons()]
        assert ledger.fact("format") == "1"
        assert ledger.task_kind == "migration"
    assert before
    assert all(not kind for _, kind, _, _ in before)
    with Ledger(tmp_path / "build") as ledger:
        assert ledger.fact("format") == str(FORMAT)
        assert [(count.stage, count.kind, count.reason, count.count) for count in ledger.reasons()] == before
        total = ledger.total()
        ledger.add((candidate(number), None) for number in range(total + 1))
        waiting = max(row.id for row in ledger.rows("examine"))
        ledger.exclude(waiting, Exclusion(stage="stars", kind="few-stars", reason="fewer than 9 stars"))
    with read_ledger(tmp_path / "build") as ledger:
        assert [entry.kind for entry in ledger.left("stars")][-1] == "few-stars"


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    with Ledger(tmp_path) as ledger:
        fill(ledger, 50)
        pages = ledger._database.execute("PRAGMA page_count").fetchone()[0]
        ledger._database.execute(f"PRAGMA max_page_count = {pages + 1}")
        with pytest.raises(DiskFull, match="resume"):
            fill(ledger, 5_000)
        assert ledger.total() == 50
        ledger._database.execute("PRAGMA max_page_count = 1000000")
        fill(ledger, 5_000)
        assert ledger.total() == 5_000
    assert sqlite3.connect(tmp_path / "ledger.sqlite").execute("PRAGMA integrity_check").fetchone() == ("ok",)
