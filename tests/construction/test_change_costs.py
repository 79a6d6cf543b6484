"""What changes cost beyond their test runs, by the times in the ledger."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from changed_project import change

from backdate.checking.starting_recipes import StartingRecipe
from backdate.construction.candidate import Candidate, Exclusion
from backdate.construction.change_costs import change_costs, read_change_costs
from backdate.construction.change_ledger import ChangeLedger
from backdate.construction.job_context import cpu_of
from backdate.construction.ledger import Ledger
from backdate.errors import UsageError
from backdate.recipes.recipe import Provenance, Recipe, SuitePlan

UNBUILT = Exclusion(stage="environment", kind="build-resolve", reason="does not resolve")
SEED = StartingRecipe(
    recipe=Recipe(
        install=(), test=SuitePlan(runner="pytest", targets=(), provenance=Provenance(rule="a test"))
    ),
    source="a newer change",
)


def test_the_first_that_is_set_up_is_counted_apart_and_every_attempt_counts(tmp_path: Path) -> None:
    listed = Candidate(kind="git", name="a/a", location="/a")
    with Ledger(tmp_path / "repositories") as repositories, ChangeLedger(tmp_path) as changes:
        repositories.add([(listed, None)])
        (row,) = repositories.lease("examine", 1, owner="me", seconds=60)
        repositories.keep_examined(row.id, b"{}")
        repositories.move_ready({})
        made = [change(repository="a/a", number=number, head=f"{number:040x}") for number in range(5)]
        changes.add_changes(
            row.id, [(replace(listed, revision=each.base, change=each), None) for each in made]
        )
        # The first cannot be set up, the fifth is not run.
        for number, seconds in ((1, 90.0), (2, 60.0), (3, 9.0), (4, 12.0)):
            changes.spend(number, "run", {"job": seconds, "test": 1.0, "build": 3.0})
            if number > 1:
                changes.keep_recipe(number, SEED)
            changes.exclude(number, UNBUILT)
        changes.spend(3, "run", {"job": 2.0, "test": 0.5, cpu_of("job"): 1.5, cpu_of("test"): 0.5})
        changes.spend(5, "examine", {"job": 30.0})
        (cost,) = change_costs(changes, repositories)
    assert cost.name == "a/a"
    assert cost.first is not None
    assert cost.first.beyond_s == 59.0
    assert [each.beyond_s for each in cost.further] == [9.5, 11.0]
    assert [each.beyond_cpu_s for each in cost.further] == [1.0, None]
    assert (cost.within, cost.beyond_cpu_s) == (1, (1.0,))


def test_a_build_of_no_changes_has_no_such_costs(tmp_path: Path) -> None:
    with Ledger(tmp_path):
        pass
    with pytest.raises(UsageError, match="no build of changes"):
        read_change_costs(tmp_path)
