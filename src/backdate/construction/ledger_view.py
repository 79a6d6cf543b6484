"""The ledger of a build, read: while it is written, or afterwards. What it holds is told in ``ledger.py``."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from backdate.construction.candidate import Candidate
from backdate.errors import DiskFull, StoredDataError, UsageError
from backdate.serial import from_json

FORMAT = 1
State = Literal["examine", "ready", "run", "out", "task"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRow:
    """One candidate of the ledger."""

    id: int
    candidate: Candidate
    examined: bytes | None
    """What examining found, as JSON."""
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """An entry that is no task, and why."""

    name: str
    revision: str
    stage: str
    reason: str
    detail: str


class LedgerView:
    """The ledger in a folder. A context manager; what the disk or SQLite refuses is one of our errors."""

    def __init__(self, folder: Path) -> None:
        """Raises StoredDataError for one of another version, or that is none."""
        self.folder = folder
        self.path = folder / "ledger.sqlite"
        self._database = sqlite3.connect(self.path, timeout=60, isolation_level=None)
        try:
            self._prepare()
        except BaseException:
            self._database.close()
            raise

    def _prepare(self) -> None:
        with self._explained():
            found = self.fact("format")
        if found != str(FORMAT):
            raise StoredDataError(f"{self.path} has format {found}, this version reads {FORMAT}")

    def _close(self) -> None:
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def fact(self, name: str) -> str | None:
        """What is noted about the whole build under ``name``."""
        row = self._database.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def count(self, state: State) -> int:
        """How many candidates are in that state."""
        return self._one("SELECT count(*) FROM candidates WHERE state = ?", state)

    def total(self) -> int:
        """How many entries there are."""
        return self._one("SELECT count(*) FROM candidates")

    def reasons(self) -> dict[tuple[str, str], int]:
        """How many left at each stage for each reason."""
        found = self._database.execute(
            "SELECT stage, reason, count(*) FROM candidates WHERE state = 'out' GROUP BY stage, reason"
        )
        return {(stage, reason): count for stage, reason, count in found}

    def attempts(self, number: int) -> int:
        """How often a candidate was leased since something was last found out about it."""
        return self._one("SELECT attempts FROM candidates WHERE id = ?", number)

    def rows(self, state: State) -> Iterator[LedgerRow]:
        """The candidates in that state, in order."""
        query = "SELECT id, body, examined, attempts FROM candidates WHERE state = ? ORDER BY id"
        for one in self._database.execute(query, (state,)):
            yield row_of(one)

    def tasks(self) -> tuple[tuple[int, bytes], ...]:
        """The number and the answer of every task, by instance id."""
        query = "SELECT id, answer FROM candidates WHERE state = 'task' ORDER BY task, id"
        return tuple(self._database.execute(query))

    def left(self, stage: str | None = None) -> Iterator[Left]:
        """Every entry that is no task (of one stage), in the order of the sources."""
        query = "SELECT name, body, stage, reason, detail FROM candidates WHERE state = 'out'"
        more, values = (" AND stage = ?", (stage,)) if stage else ("", ())
        for name, body, gone, reason, detail in self._database.execute(f"{query}{more} ORDER BY id", values):
            revision = from_json(Candidate, body).revision if body else ""
            yield Left(name=name, revision=revision, stage=gone, reason=reason, detail=detail or "")

    def spent(self) -> dict[str, float]:
        """Seconds by what they were spent on, over all jobs."""
        found = self._database.execute("SELECT what, sum(seconds) FROM spent GROUP BY what ORDER BY what")
        return dict(found.fetchall())

    def sittings(self) -> tuple[tuple[float, int, int], ...]:
        """Of every sitting: its seconds, its workers, and the jobs that it finished."""
        found = self._database.execute(
            "SELECT ended - started, workers, finished FROM sittings ORDER BY started"
        )
        return tuple(found.fetchall())

    def _one(self, query: str, *values: object) -> int:
        return int(self._database.execute(query, values).fetchone()[0])

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError as error:
            if "full" in str(error) or "disk I/O" in str(error):
                raise DiskFull(
                    f"no space left to write {self.path}; free some and resume the build: nothing is lost"
                ) from error
            raise
        except sqlite3.DatabaseError as error:
            raise StoredDataError(f"{self.path} is not a ledger of a build: {error}") from error


def read_ledger(folder: Path) -> LedgerView:
    """The ledger in ``folder``. Raises UsageError when there is none."""
    if not (folder / "ledger.sqlite").is_file():
        raise UsageError(f"{folder} is no build's folder; one is made by: backdate bench build -o DATASET")
    return LedgerView(folder)


def row_of(found: tuple[int, bytes, bytes | None, int]) -> LedgerRow:
    """The row of ``id, body, examined, attempts``."""
    number, body, examined, attempts = found
    return LedgerRow(id=number, candidate=from_json(Candidate, body), examined=examined, attempts=attempts)
