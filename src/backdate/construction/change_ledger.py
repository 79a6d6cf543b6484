"""The ledger of changes: which of a repository's changes is run next, and when there are enough of it.

The changes of one repository are run newest first, one at a time until one of them was set up; its recipe is
the first that the others are set up by. Which changes become tasks does not depend on how many are run at a
time: no more are under way than may still become tasks. Repositories take turns, so that a build that is
stopped has tasks of many of them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from backdate.changes.change import PassedOver
from backdate.checking.starting_recipes import StartingRecipe
from backdate.construction.candidate import Candidate, Exclusion, SharedReason
from backdate.construction.ledger import Ledger, columns_of
from backdate.construction.ledger_view import LedgerRow, LedgerView, row_of
from backdate.serial import from_json, to_json

_MOST_SEEDS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryLimits:
    """When there is enough of a repository."""

    tasks: int
    runs: int
    failed_setups: int
    """So many changes may fail to be set up one after the other before the older ones are given up."""
    setup_stages: frozenset[str]
    """The stages at which a change is excluded that cannot be set up."""
    run_stages: frozenset[str]
    """The stages at which a change is excluded that was run; those of the set-up are among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositoryTally:
    """How far the changes of one repository are."""

    repository: int
    tasks: int
    running: int
    ran: int
    """Those whose run is over."""
    set_up: int
    failed_setups: int
    """Those older than all that were set up, which could not be."""
    waiting: int
    changes: int

    def over(self, limits: RepositoryLimits) -> SharedReason | None:
        """Why no further change of it is run; None while more are."""
        if self.tasks >= limits.tasks:
            return SharedReason.ENOUGH_TASKS
        if self.ran >= limits.runs:
            return SharedReason.ENOUGH_RUNS
        if self.failed_setups >= limits.failed_setups:
            return SharedReason.NO_LONGER_SET_UP if self.set_up else SharedReason.NEVER_SET_UP
        return None

    def room(self, limits: RepositoryLimits) -> int:
        """How many more of its changes may be under way."""
        if not self.set_up:
            return 1 - self.running
        most = min(limits.tasks - self.tasks, limits.runs - self.ran)
        return min(self.waiting, most - self.running)


_ENOUGH: Mapping[SharedReason, str] = {
    SharedReason.ENOUGH_TASKS: "enough tasks of its repository",
    SharedReason.ENOUGH_RUNS: "enough changes of its repository were run",
    SharedReason.NEVER_SET_UP: "no newer change of its repository could be set up",
    SharedReason.NO_LONGER_SET_UP: "the changes that are a little newer could not be set up",
}


class ChangeLedger(Ledger):
    """A ledger whose candidates are changes of repositories."""

    def add_changes(
        self, repository: int, changes: Iterable[tuple[Candidate | PassedOver, Exclusion | None]]
    ) -> None:
        """Add the changes of a repository, newest first; those that are there already stay as they are."""
        rows = [_row_of_change(repository, change, gone) for change, gone in changes]
        with self._transaction():
            self._database.executemany(
                "INSERT OR IGNORE INTO candidates "
                "(key, name, body, state, stage, kind, reason, detail, repository, entries) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                rows,
            )

    def exclude_repositories(self, exclusions: Mapping[int, Exclusion]) -> None:
        """Exclude what is left of the changes of these repositories."""
        with self._transaction():
            for repository, exclusion in exclusions.items():
                self._exclude_waiting(repository, exclusion)

    def lease_changes(
        self, count: int, limits: RepositoryLimits, *, owner: str, seconds: float
    ) -> tuple[LedgerRow, ...]:
        """Lease up to ``count`` changes for ``seconds``; those that are not run any more are excluded."""
        now = time.time()
        chosen: list[tuple[int, bytes, bytes | None, int]] = []
        with self._transaction():
            unfinished = []
            for tally in tallies_of(self, limits):
                reason = tally.over(limits)
                if reason is None:
                    unfinished.append(tally)
                else:
                    enough = Exclusion(stage="limit", kind=reason, reason=_ENOUGH[reason])
                    self._exclude_waiting(tally.repository, enough)
            for repository, most in _turns(unfinished, limits, count).items():
                chosen += self._database.execute(
                    "SELECT id, body, examined, attempts FROM candidates WHERE repository = ? "
                    "AND state = 'run' AND (until IS NULL OR until < ?) ORDER BY id LIMIT ?",
                    (repository, now, most),
                ).fetchall()
            self._database.executemany(
                "UPDATE candidates SET owner = ?, until = ?, attempts = attempts + 1 WHERE id = ?",
                [(owner, now + seconds, row[0]) for row in chosen],
            )
        return tuple(row_of(row) for row in chosen)

    def keep_recipe(self, number: int, recipe: StartingRecipe) -> None:
        """The change ``number`` was set up by ``recipe``."""
        with self._transaction():
            self._database.execute("UPDATE candidates SET recipe = ? WHERE id = ?", (to_json(recipe), number))

    def seeds(self, number: int) -> tuple[StartingRecipe, ...]:
        """What newer changes of the same repository were set up by, the nearest first and each once."""
        rows = self._database.execute(
            "SELECT recipe FROM candidates WHERE recipe IS NOT NULL AND id < ? "
            "AND repository = (SELECT repository FROM candidates WHERE id = ?) ORDER BY id DESC",
            (number, number),
        )
        kept = list(dict.fromkeys(bytes(row[0]) for row in rows))[:_MOST_SEEDS]
        return tuple(from_json(StartingRecipe, recipe, what="the ledger") for recipe in kept)

    def _exclude_waiting(self, repository: int, exclusion: Exclusion) -> None:
        self._database.execute(
            "UPDATE candidates SET state = 'out', stage = ?, kind = ?, reason = ?, detail = ? "
            "WHERE repository = ? AND state IN ('examine', 'ready', 'run') "
            "AND (until IS NULL OR until < ?)",
            (*columns_of(exclusion), repository, time.time()),
        )


def tallies_of(
    ledger: LedgerView, limits: RepositoryLimits, *, finished: bool = False
) -> list[RepositoryTally]:
    """How far each repository is, in their order: those with changes that wait, or all (``finished``)."""
    setup, ran = sorted(limits.setup_stages), sorted(limits.run_stages)
    query = (
        "SELECT repository, sum(state = 'task'), "  # noqa: S608 - question marks only
        "sum(state = 'run' AND until IS NOT NULL AND until >= ?), "
        f"sum(state = 'task' OR (state = 'out' AND stage IN ({_marks(ran)}))), "
        "sum(recipe IS NOT NULL), "
        f"sum(state = 'out' AND stage IN ({_marks(setup)}) AND id > coalesce((SELECT max(id) FROM candidates "
        "AS newer WHERE newer.repository = candidates.repository AND newer.recipe IS NOT NULL), 0)), "
        "sum(state IN ('examine', 'ready', 'run') AND (until IS NULL OR until < ?)) AS waiting, sum(entries) "
        "FROM candidates WHERE repository IS NOT NULL GROUP BY repository "
        f"{'' if finished else 'HAVING waiting > 0 '}ORDER BY repository"
    )
    now = time.time()
    return [
        RepositoryTally(
            repository=row[0],
            tasks=row[1],
            running=row[2],
            ran=row[3],
            set_up=row[4],
            failed_setups=row[5],
            waiting=row[6],
            changes=row[7],
        )
        for row in ledger.select(query, (now, *ran, *setup, now))
    ]


def _turns(tallies: Sequence[RepositoryTally], limits: RepositoryLimits, count: int) -> Mapping[int, int]:
    """How many changes of each repository come next: one at a time of the one of which fewest were begun."""
    given: Counter[int] = Counter()
    for _ in range(count):
        waiting = [each for each in tallies if each.room(limits) > given[each.repository]]
        if not waiting:
            break
        begun = {each.repository: each.ran + each.running + given[each.repository] for each in waiting}
        given[min(begun, key=lambda repository: (begun[repository], repository))] += 1
    return dict(sorted(given.items()))


def _row_of_change(
    repository: int, change: Candidate | PassedOver, gone: Exclusion | None
) -> tuple[object, ...]:
    why = columns_of(gone) if gone is not None else (None,) * 4
    if isinstance(change, PassedOver):
        key = f"{repository} {change.name} {change.reason}"
        return (key, change.name, None, "out", *why, repository, change.count)
    state = "examine" if gone is None else "out"
    return (change.key, change.name, to_json(change), state, *why, repository, 1)


def _marks(values: Sequence[str]) -> str:
    return ",".join("?" * len(values))
