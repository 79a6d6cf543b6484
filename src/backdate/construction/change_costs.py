"""What changes cost beyond their test runs, by the times in the ledger of a build of changes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from backdate.construction.funnel_reader import require_ledger
from backdate.construction.job_context import cpu_of
from backdate.construction.kinds.choose import is_of_changes
from backdate.construction.ledger_view import LedgerView, read_ledger
from backdate.construction.publish import REPOSITORIES
from backdate.errors import UsageError

WANTED_S = 10.0
"""What a change after the first of its repository may take beyond its test runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeCost:
    """The seconds of one change that was run, in all its attempts."""

    name: str
    set_up: bool
    tests_s: float
    """In which tests ran: of the set-up, before the change and after it."""
    beyond_s: float
    """All the rest: reading, resolving, building."""
    beyond_cpu_s: float | None
    """The processor time of the rest; None where an older version ran the change, which kept none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryCost:
    """The changes of one repository that were run, newest first."""

    name: str
    first: ChangeCost | None
    """The first that was set up; None where none was."""
    further: tuple[ChangeCost, ...]
    """Those that were run after it, whatever came of them."""

    @property
    def within(self) -> int:
        """How many further changes took no longer than ``WANTED_S`` beyond their test runs."""
        return sum(change.beyond_s <= WANTED_S for change in self.further)

    @property
    def beyond_cpu_s(self) -> tuple[float, ...]:
        """Of the further changes whose processor time is known."""
        return tuple(change.beyond_cpu_s for change in self.further if change.beyond_cpu_s is not None)


def read_change_costs(path: Path) -> tuple[RepositoryCost, ...]:
    """Of the build of changes at ``path``, or of the data set there, in the order of the list.

    Raises UsageError where there is none.
    """
    folder = require_ledger(path)
    with read_ledger(folder) as changes:
        if not is_of_changes(changes.task_kind):
            raise UsageError(f"{path} is no build of changes: its candidates have no first one to start from")
        with read_ledger(folder / REPOSITORIES) as repositories:
            return change_costs(changes, repositories)


def change_costs(changes: LedgerView, repositories: LedgerView) -> tuple[RepositoryCost, ...]:
    """Of every repository of which a change was run."""
    names = {row.id: row.candidate.name for row in repositories.rows("run")}
    rows = changes.select(
        "SELECT repository, name, recipe IS NOT NULL, "
        "total(seconds) FILTER (WHERE what = ?), total(seconds) FILTER (WHERE what = ?), "
        "total(seconds) FILTER (WHERE what = ?), sum(seconds) FILTER (WHERE what = ?) "
        "FROM candidates JOIN spent USING (id) "
        "WHERE job = ? AND state IN ('task', 'out') AND repository IS NOT NULL "
        "GROUP BY candidates.id ORDER BY repository, candidates.id",
        ("test", "job", cpu_of("test"), cpu_of("job"), "run"),
    )
    return tuple(
        _repository(names.get(number, f"repository {number}"), [_change(*row[1:]) for row in of_it])
        for number, of_it in groupby(rows, key=lambda row: int(row[0]))
    )


def _change(
    name: str, set_up: int, tests_s: float, job_s: float, tests_cpu_s: float, job_cpu_s: float | None
) -> ChangeCost:
    return ChangeCost(
        name=name,
        set_up=bool(set_up),
        tests_s=tests_s,
        beyond_s=max(0.0, job_s - tests_s),
        beyond_cpu_s=None if job_cpu_s is None else max(0.0, job_cpu_s - tests_cpu_s),
    )


def _repository(name: str, ran: list[ChangeCost]) -> RepositoryCost:
    first = next((index for index, change in enumerate(ran) if change.set_up), None)
    if first is None:
        return RepositoryCost(name=name, first=None, further=())
    return RepositoryCost(name=name, first=ran[first], further=tuple(ran[first + 1 :]))
