"""Reading the ledger of a build, during the build or afterwards; ``ledger.py`` describes its content."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from backdate.construction.candidate import Candidate
from backdate.construction.funnel import ReasonCount
from backdate.errors import DiskFull, StoredDataError, UsageError
from backdate.serial import from_json
from backdate.tasks.task import KindName

FORMAT = 3
"""2: reasons have a kind. 3: changes have a repository and a recipe. The writer brings an older ledger to it;
a reader reads all."""
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
class ExcludedEntry:
    """An entry that is no task, and why."""

    name: str
    revision: str
    stage: str
    kind: str
    """As in ``Exclusion``."""
    reason: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _PlannedKind:
    """The one parameter of a plan that reading a ledger needs."""

    kind: KindName = "migration"


class LedgerView:
    """The ledger in a folder. A context manager; what the disk or SQLite refuses is one of our errors."""

    def __init__(self, folder: Path) -> None:
        """Raises StoredDataError for another file, or for a ledger of a newer version."""
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
            written_as = self.fact("format")
        if written_as not in [str(number) for number in range(1, FORMAT + 1)]:
            raise StoredDataError(f"{self.path} has format {written_as}, this version reads up to {FORMAT}")
        self._entries = "coalesce(sum(entries), 0)" if written_as == str(FORMAT) else "count(*)"
        self._kind_column = "'' AS kind" if written_as == "1" else "coalesce(kind, '') AS kind"

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
        return self._one(f"SELECT {self._entries} FROM candidates")  # noqa: S608 - our own words

    def reasons(self) -> tuple[ReasonCount, ...]:
        """How many entries are excluded at each stage for each reason."""
        query = (
            f"SELECT stage, {self._kind_column}, reason, {self._entries} "  # noqa: S608 - our own words
            "FROM candidates WHERE state = 'out' GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
        )
        return tuple(
            ReasonCount(stage=stage, kind=kind, reason=reason, count=count)
            for stage, kind, reason, count in self._database.execute(query)
        )

    @property
    def task_kind(self) -> KindName:
        """The kind of the tasks that the build makes; older builds make "migration" tasks."""
        plan = self.fact("plan")
        return "migration" if plan is None else from_json(_PlannedKind, plan.encode(), what="the plan").kind

    def attempts(self, number: int) -> int:
        """How often a candidate was leased since something was last found out about it."""
        return self._one("SELECT attempts FROM candidates WHERE id = ?", number)

    def rows(self, state: State) -> Iterator[LedgerRow]:
        """The candidates in that state, in order."""
        query = "SELECT id, body, examined, attempts FROM candidates WHERE state = ? ORDER BY id"
        for row in self._database.execute(query, (state,)):
            yield row_of(row)

    def tasks(self) -> tuple[tuple[int, bytes], ...]:
        """The number and the answer of every task, by instance id."""
        query = "SELECT id, answer FROM candidates WHERE state = 'task' ORDER BY task, id"
        return tuple(self._database.execute(query))

    def left(self, stage: str | None = None) -> Iterator[ExcludedEntry]:
        """Every excluded entry (of one stage), in the order of the sources."""
        query = (
            f"SELECT name, body, stage, {self._kind_column}, reason, detail "  # noqa: S608 - our own words
            "FROM candidates WHERE state = 'out'"
        )
        more, values = (" AND stage = ?", (stage,)) if stage else ("", ())
        rows = self._database.execute(f"{query}{more} ORDER BY id", values)
        for name, body, excluded_at, kind, reason, detail in rows:
            yield ExcludedEntry(
                name=name,
                revision=from_json(Candidate, body).revision if body else "",
                stage=excluded_at,
                kind=kind,
                reason=reason,
                detail=detail or "",
            )

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """All that is read meanwhile is of one moment, whatever the build writes."""
        self._database.execute("BEGIN")
        try:
            yield
        finally:
            self._database.execute("ROLLBACK")

    def select(self, query: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """The rows of a query of our own over the candidates."""
        return list(self._database.execute(query, tuple(values)))

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
            if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
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


def row_of(values: tuple[int, bytes, bytes | None, int]) -> LedgerRow:
    """The row of ``id, body, examined, attempts``."""
    number, body, examined, attempts = values
    return LedgerRow(id=number, candidate=from_json(Candidate, body), examined=examined, attempts=attempts)
