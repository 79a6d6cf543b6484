"""Suites that only the project's own program can run, because it prepares what the tests need."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from backdate.recipes.recipe import SuitePlan
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import RepairContext, because, with_packages
from backdate.recipes.runners import OWN_RUNNER

_RULE = "the project's own program"
_RUNS_TESTS = re.compile(
    r"unittest2?\.main\(|TextTestRunner|run_tests\(|pytest\.main\(|cmdline\.main\(|get_runner\("
)


def own_program(context: RepairContext) -> Iterator[Repair]:
    """Where no test passes: the project's own program that runs its tests."""
    failure, recipe, files = context.failure, context.recipe, context.files
    if failure.phase != "tests" or failure.passed:
        return
    for name in files.names("."):
        text = files.text(name) or "" if OWN_RUNNER.match(name) else ""
        if not _RUNS_TESTS.search(text) or "__main__" not in text:
            continue
        plan = SuitePlan(
            runner="program",
            targets=(name,),
            environment=recipe.test.environment,
            provenance=replace(because(_RULE), file=name),
        )
        changed = replace(recipe, test=plan, further_tests=())
        if "pytest" in text:
            changed = with_packages(changed, ("pytest",), _RULE, name)
        reason = f"python {name}, which runs the tests itself, as none passes without it"
        yield context.repaired(ErrorClass.WRONG_RUNNER, _RULE, reason, changed)
