"""Suites that only the project's own program can run, because it prepares what the tests need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from backdate.recipes.own_runners import own_programs, program_plan
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import RepairContext, because, with_packages

_RULE = "the project's own program"


def own_program(context: RepairContext) -> Iterator[Repair]:
    """Where no test passes: the project's own program that runs its tests."""
    failure, recipe, files = context.failure, context.recipe, context.files
    if failure.phase != "tests" or failure.passed:
        return
    for name in own_programs(files):
        text = files.text(name) or ""
        plan = program_plan(name, replace(because(_RULE), file=name))
        plan = replace(plan, environment=(*recipe.test.environment, *plan.environment))
        changed = replace(recipe, test=plan, further_tests=())
        if "pytest" in text:
            changed = with_packages(changed, ("pytest",), _RULE, name)
        reason = f"python {name}, which runs the tests itself, as none passes without it"
        yield context.repaired(ErrorClass.WRONG_RUNNER, _RULE, reason, changed)
