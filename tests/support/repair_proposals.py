"""What one rule of repair proposes of a project whose tests fail."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from backdate.recipes.files import Files
from backdate.recipes.recipe import Provenance, Recipe, SuitePlan
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import RepairContext, Rule
from backdate.recipes.repair.setup_failure import Problem, read_failure

WHY = Provenance(rule="a test")
PYTEST = SuitePlan(runner="pytest", provenance=WHY)


class NoIndex:
    """Facts of an index that is never asked."""


def proposals(
    rule: Rule,
    root: Path,
    files: Mapping[str, str],
    problem: Problem,
    *,
    plan: SuitePlan = PYTEST,
    passed: int = 0,
    ran: int = 0,
) -> list[Repair]:
    """``files`` are written below ``root``; of ``ran`` tests ``passed`` pass, the others meet ``problem``."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    failure = read_failure(
        phase="tests",
        status="completed",
        texts=[],
        problems=[problem],
        python="3.8.18",
        instant=datetime(2021, 3, 1, tzinfo=UTC),
        passed=passed,
        ran=ran,
    )
    recipe = Recipe(install=(), test=plan)
    facts: object = NoIndex()
    return list(rule(RepairContext(failure=failure, recipe=recipe, files=Files(root), index_facts=facts)))  # type: ignore[arg-type]
