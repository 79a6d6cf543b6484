"""Which changes of repositories are run next, and when there are enough."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from changed_project import change

from backdate.changes.change import NoChange, PassedOver
from backdate.checking.starting_recipes import StartingRecipe
from backdate.construction.candidate import Candidate, Exclusion, SharedReason
from backdate.construction.change_ledger import ChangeLedger, RepositoryLimits, tallies_of
from backdate.construction.ledger_view import LedgerRow, read_ledger
from backdate.recipes.recipe import Provenance, Recipe, SuitePlan

LIMITS = RepositoryLimits(
    tasks=2,
    runs=6,
    failed_setups=2,
    setup_stages=frozenset({"environment"}),
    run_stages=frozenset({"environment", "fail-to-pass"}),
)
UNBUILT = Exclusion(stage="environment", kind="build-resolve", reason="does not resolve")
NOTHING = Exclusion(stage="fail-to-pass", kind="nothing-fixed", reason="nothing is fixed")
RULE = Provenance(rule="a test")


def seed(name: str) -> StartingRecipe:
    plan = SuitePlan(runner="pytest", targets=(name,), provenance=RULE)
    return StartingRecipe(recipe=Recipe(install=(), test=plan), source="a newer change")


def changes(repository: str, count: int) -> list[tuple[Candidate | PassedOver, Exclusion | None]]:
    found: list[tuple[Candidate | PassedOver, Exclusion | None]] = []
    for number in range(count):
        made = change(repository=repository, number=number, head=f"{number:040x}")
        listed = Candidate(kind="git", name=repository, location=f"/{repository}", change=made)
        found.append((replace(listed, revision=made.base), None))
    return found


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[ChangeLedger]:
    with ChangeLedger(tmp_path) as opened:
        for number, name in ((1, "a/a"), (2, "b/b")):
            opened.add_changes(number, changes(name, 5))
        for row in opened.lease("examine", 10, owner="me", seconds=60):
            opened.keep_examined(row.id, b"{}")
        opened.move_ready({})
        yield opened


def lease(ledger: ChangeLedger, count: int = 10) -> list[int]:
    return [row.id for row in _rows(ledger, count)]


def _rows(ledger: ChangeLedger, count: int) -> tuple[LedgerRow, ...]:
    return ledger.lease_changes(count, LIMITS, owner="me", seconds=60)


def test_repositories_take_turns(ledger: ChangeLedger) -> None:
    for number in (1, 6):
        assert lease(ledger, 1) == [number]
        ledger.keep_recipe(number, seed(str(number)))
    ledger.exclude(1, NOTHING)
    assert lease(ledger, 1) == [2]  # one of each was begun, and the first of them comes first
    assert lease(ledger, 1) == [7]
    ledger.exclude(2, NOTHING)
    assert lease(ledger) == [3, 4]  # two of the other are under way, and no more may become tasks


def test_one_change_of_a_repository_is_run_until_one_is_set_up(ledger: ChangeLedger) -> None:
    assert lease(ledger) == [1, 6]
    assert lease(ledger) == []
    ledger.exclude(1, UNBUILT)
    assert lease(ledger) == [2]
    ledger.keep_recipe(2, seed("two"))
    ledger.exclude(2, NOTHING)
    assert lease(ledger, 1) == [3]
    assert lease(ledger) == [4]  # two more may become tasks, and one of them is under way
    assert lease(ledger) == []
    ledger.exclude(3, NOTHING)
    assert lease(ledger) == [5]


def test_enough_tasks_end_a_repository(ledger: ChangeLedger) -> None:
    assert lease(ledger) == [1, 6]
    for number in (1, 2):
        ledger.keep_recipe(number, seed(str(number)))
        ledger.keep_task(number, f"a__a-{number}", b"{}")
        assert lease(ledger) == ([2] if number == 1 else [])
    assert {(count.kind, count.count) for count in ledger.reasons()} == {(SharedReason.ENOUGH_TASKS, 3)}
    first, second = tallies_of(ledger, LIMITS, finished=True)
    assert (first.tasks, first.ran, first.set_up, first.waiting, first.changes) == (2, 2, 2, 0, 5)
    assert (second.tasks, second.running, second.waiting) == (0, 1, 4)


def test_a_repository_whose_first_changes_cannot_be_set_up_is_given_up(ledger: ChangeLedger) -> None:
    assert lease(ledger) == [1, 6]
    for number in (1, 2):
        ledger.exclude(number, UNBUILT)
        assert lease(ledger) == ([2] if number == 1 else [])
    reasons = {count.kind: count.count for count in ledger.reasons()}
    assert reasons == {"build-resolve": 2, SharedReason.NEVER_SET_UP: 3}


def test_older_changes_are_given_up_once_they_cannot_be_set_up_any_more(ledger: ChangeLedger) -> None:
    assert lease(ledger) == [1, 6]
    ledger.exclude(1, UNBUILT)
    assert lease(ledger) == [2]
    ledger.keep_recipe(2, seed("two"))
    ledger.exclude(2, NOTHING)
    assert lease(ledger, 1) == [3]
    ledger.exclude(3, UNBUILT)  # with the first, two of which one is newer than what was set up
    assert lease(ledger, 1) == [4]
    ledger.exclude(4, UNBUILT)
    assert lease(ledger) == []
    assert {count.kind: count.count for count in ledger.reasons()}[SharedReason.NO_LONGER_SET_UP] == 1


def test_a_change_is_set_up_by_the_recipes_of_newer_ones_the_nearest_first(ledger: ChangeLedger) -> None:
    for number, name in ((1, "old"), (2, "new"), (3, "new")):
        ledger.keep_recipe(number, seed(name))
    assert ledger.seeds(1) == ()
    assert ledger.seeds(4) == (seed("new"), seed("old"))
    assert ledger.seeds(6) == ()  # another repository's


def test_reading_a_repository_again_adds_nothing(ledger: ChangeLedger) -> None:
    told = PassedOver(name="a/a", reason=NoChange.EMPTY, count=40)
    for _ in range(2):
        ledger.add_changes(
            1, [*changes("a/a", 5), (told, Exclusion(stage="change", kind="empty", reason="empty"))]
        )
    assert ledger.count("run") == 10
    assert ledger.total() == 50  # entries that are told together count one by one
    with read_ledger(ledger.folder) as view:
        assert {count.kind: count.count for count in view.reasons()} == {"empty": 40}


def test_a_repository_like_another_is_excluded_with_its_changes(ledger: ChangeLedger) -> None:
    alike = Exclusion(stage="duplicate", kind=SharedReason.SAME_FILES, reason="the same files as another")
    ledger.exclude_repositories({2: alike})
    assert lease(ledger) == [1]
    assert {count.kind: count.count for count in ledger.reasons()} == {SharedReason.SAME_FILES: 5}
