"""The ledger, written: one row for every entry, what became of it, who is working on it (SQLite, WAL).

Written by the one process that drives a build; anybody may read it meanwhile. Every change is one
transaction, so that a kill at any moment loses at most the jobs that were running. A candidate is
``examine`` or ``run`` (what is to be done next), ``ready`` (examined, waits until all are), ``out`` or
``task``.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, TypeVar

from backdate.construction.candidate import BadRow, Entry, Exclusion
from backdate.construction.ledger_view import FORMAT, LedgerRow, LedgerView, State, row_of
from backdate.errors import UsageError
from backdate.serial import to_json

T = TypeVar("T")

_BATCH = 5_000
_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS candidates (
    id INTEGER PRIMARY KEY, key TEXT UNIQUE, name TEXT NOT NULL, body BLOB, state TEXT NOT NULL,
    stage TEXT, reason TEXT, detail TEXT, examined BLOB, task TEXT, answer BLOB,
    attempts INTEGER NOT NULL DEFAULT 0, owner TEXT, until REAL);
CREATE INDEX IF NOT EXISTS by_state ON candidates (state, id)
    WHERE state IN ('examine', 'ready', 'run', 'task');
CREATE TABLE IF NOT EXISTS spent (
    id INTEGER NOT NULL, job TEXT NOT NULL, what TEXT NOT NULL, seconds REAL NOT NULL);
CREATE TABLE IF NOT EXISTS sittings (
    started REAL PRIMARY KEY, ended REAL NOT NULL, workers INTEGER NOT NULL, finished INTEGER NOT NULL);
"""


class Ledger(LedgerView):
    """The ledger in a folder, to be written. What the disk or SQLite refuses is one of our errors."""

    def __init__(self, folder: Path) -> None:
        """Raises UsageError when another build writes this ledger."""
        folder.mkdir(parents=True, exist_ok=True)
        self._guard = _sole_writer(folder)
        try:
            super().__init__(folder)
        except BaseException:
            self._guard.close()
            raise

    def _prepare(self) -> None:
        with self._explained():
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
            self._database.executescript(_SCHEMA)
            self._database.execute("INSERT OR IGNORE INTO facts VALUES ('format', ?)", (str(FORMAT),))
        super()._prepare()

    def _close(self) -> None:
        super()._close()
        self._guard.close()

    def note(self, name: str, value: str) -> None:
        """Note something about the whole build."""
        with self._transaction():
            self._database.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def add(self, entries: Iterable[tuple[Entry, Exclusion | None]]) -> None:
        """Add the entries of the sources with what their rows alone decide, in order.

        Those that are there already (an interrupted build's) are passed over, by their number. Every batch
        is a transaction; the memory needed does not depend on how many there are.
        """
        known = self._one("SELECT coalesce(max(id), 0) FROM candidates")
        numbered = enumerate(entries, start=1)
        for batch in _batched((pair for pair in numbered if pair[0] > known), _BATCH):
            rows = [_new_row(number, entry, gone) for number, (entry, gone) in batch]
            with self._transaction():
                self._mark_repeated(rows)
                self._database.executemany(
                    "INSERT INTO candidates (id, key, name, body, state, stage, reason, detail) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    rows,
                )

    def _mark_repeated(self, rows: list[tuple[object, ...]]) -> None:
        """Rows whose key was seen before lose it, and are out."""
        seen: set[object] = set()
        for part in _batched([row[1] for row in rows if row[1] is not None], 500):
            marks = ",".join("?" * len(part))
            query = f"SELECT key FROM candidates WHERE key IN ({marks})"  # noqa: S608 - question marks only
            seen.update(row[0] for row in self._database.execute(query, part))
        for position, row in enumerate(rows):
            if row[1] is None:
                continue
            if row[1] in seen:
                why = ("out", "repeated", "listed more than once", "")
                rows[position] = (row[0], None, *row[2:4], *why)
            seen.add(row[1])

    def lease(self, state: State, count: int, *, owner: str, seconds: float) -> tuple[LedgerRow, ...]:
        """Up to ``count`` candidates to work on, the first first; nobody else gets them for ``seconds``."""
        now = time.time()
        with self._transaction():
            found = self._database.execute(
                "SELECT id, body, examined, attempts FROM candidates "
                "WHERE state = ? AND (until IS NULL OR until < ?) ORDER BY id LIMIT ?",
                (state, now, count),
            ).fetchall()
            self._database.executemany(
                "UPDATE candidates SET owner = ?, until = ?, attempts = attempts + 1 WHERE id = ?",
                [(owner, now + seconds, row[0]) for row in found],
            )
        return tuple(row_of(one) for one in found)

    def renew(self, ids: Iterable[int], *, seconds: float) -> None:
        """Keep leases for ``seconds`` more."""
        with self._transaction():
            self._database.executemany(
                "UPDATE candidates SET until = ? WHERE id = ?", [(time.time() + seconds, one) for one in ids]
            )

    def release(self, ids: Iterable[int] | None = None, *, blame: bool = True) -> None:
        """Give leases back, all of them for None: who held them is known to be gone.

        Without ``blame`` the attempt does not count: it was not the candidate's fault.
        """
        less = "" if blame else ", attempts = max(attempts - 1, 0)"
        order = f"UPDATE candidates SET owner = NULL, until = NULL{less} WHERE "  # noqa: S608 - our own words
        with self._transaction():
            if ids is None:
                self._database.execute(order + "until IS NOT NULL")
            else:
                self._database.executemany(order + "id = ?", [(one,) for one in ids])

    def exclude(self, number: int, exclusion: Exclusion, answer: bytes | None = None) -> None:
        """The candidate is no task."""
        words = (exclusion.stage, exclusion.reason[:500], exclusion.detail[:20_000])
        self._settle(number, "out", *words, None, None, answer)

    def keep_examined(self, number: int, examined: bytes) -> None:
        """The candidate was examined and is ready."""
        self._settle(number, "ready", None, None, None, examined, None, None)

    def keep_task(self, number: int, task: str, answer: bytes) -> None:
        """The candidate became the task ``task``."""
        self._settle(number, "task", None, None, None, None, task, answer)

    def _settle(self, number: int, state: State, *values: object) -> None:
        with self._transaction():
            self._database.execute(
                "UPDATE candidates SET state = ?, stage = ?, reason = ?, detail = ?, "
                "examined = coalesce(?, examined), task = ?, answer = ?, owner = NULL, until = NULL, "
                "attempts = 0 WHERE id = ?",
                (state, *values, number),
            )

    def spend(self, number: int, job: str, seconds: Mapping[str, float]) -> None:
        """Note what a job's steps took."""
        with self._transaction():
            self._database.executemany(
                "INSERT INTO spent VALUES (?, ?, ?, ?)",
                [(number, job, what, one) for what, one in seconds.items()],
            )

    def sit(self, started: float, ended: float, workers: int, finished: int) -> None:
        """Note how long the driver has been at work in this sitting; called again and again."""
        with self._transaction():
            self._database.execute(
                "INSERT OR REPLACE INTO sittings VALUES (?, ?, ?, ?)", (started, ended, workers, finished)
            )

    def move_ready(self, duplicates: Mapping[int, Exclusion]) -> None:
        """All that are ready are to be run, but for ``duplicates``: in one transaction."""
        with self._transaction():
            self._database.executemany(
                "UPDATE candidates SET state = 'out', stage = ?, reason = ?, detail = ? WHERE id = ?",
                [(one.stage, one.reason, one.detail, number) for number, one in duplicates.items()],
            )
            self._database.execute("UPDATE candidates SET state = 'run' WHERE state = 'ready'")

    def retry(self, stages: Sequence[str]) -> int:
        """Have candidates that left at one of ``stages`` looked at again; how many there are."""
        marks = ",".join("?" * len(stages))
        with self._transaction():
            order = (
                "UPDATE candidates SET state = iif(examined IS NULL, 'examine', 'run'), stage = NULL, "
                "reason = NULL, detail = NULL, attempts = 0 WHERE state = 'out' AND key IS NOT NULL AND stage"
            )
            return self._database.execute(f"{order} IN ({marks})", tuple(stages)).rowcount

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._explained():
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:  # a full disk may have rolled it back already
                    self._database.execute("ROLLBACK")
                raise


def _sole_writer(folder: Path) -> IO[str]:
    """A file that this process alone holds. Raises UsageError when another build does."""
    file = (folder / "writer").open("a+", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.seek(0)
        who = file.read(200).strip()
        file.close()
        raise UsageError(f"another build ({who}) is writing {folder}; wait for it or stop it") from error
    file.truncate(0)
    file.write(f"process {os.getpid()} on {os.uname().nodename}")
    file.flush()
    return file


def _batched(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of up to ``size`` values (itertools.batched is not in Python 3.11)."""
    walking = iter(values)
    while batch := list(islice(walking, size)):
        yield batch


def _new_row(number: int, entry: Entry, gone: Exclusion | None) -> tuple[object, ...]:
    if isinstance(entry, BadRow):
        return (number, None, entry.name, None, "out", "row", entry.reason, "")
    state, words = (
        ("examine", (None, None, None)) if gone is None else ("out", (gone.stage, gone.reason, gone.detail))
    )
    return (number, entry.key, entry.name, to_json(entry), state, *words)
