"""Files of tests that say themselves which tests they have: a function that gives a suite, for unittest.

pytest also takes the classes that only others are made from, whose tests fail.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from backdate.editing.python_source import parsed_or_none
from backdate.recipes.recipe import SuitePlan
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import RepairContext, with_plans

_RULE = "the file's own suite"
_NAMES = ("suite", "test_suite", "test_main", "additional_tests", "all_tests", "make_suite")
_MAKES = ("TestSuite", "makeSuite", "loadTestsFromTestCase", "loadTestsFromModule")


def own_suites(context: RepairContext) -> Iterator[Repair]:
    """The suites that the files named as targets of pytest make themselves, by unittest."""
    plan = context.recipe.test
    if context.failure.phase != "tests" or plan.runner != "pytest" or not plan.targets or plan.arguments:
        return
    names = {target: _suite_of(context.files.text(target) or "") for target in plan.targets}
    if not all(names.values()) or not all(target.endswith(".py") for target in names):
        return
    targets = tuple(f"{file[:-3].replace('/', '.')}.{name}" for file, name in names.items())

    def by_unittest(other: SuitePlan) -> SuitePlan:
        if other != plan:
            return other
        provenance = replace(plan.provenance, rule=f"repair: {_RULE}")
        return replace(plan, runner="unittest", targets=targets, provenance=provenance)

    changed = with_plans(context.recipe, by_unittest)
    reason = f"unittest {' '.join(targets)}, as pytest also takes classes that others are made from"
    yield context.repaired(ErrorClass.WRONG_RUNNER, _RULE, reason, changed)


def _suite_of(text: str) -> str:
    """The function of a file that takes nothing and gives a suite; "" for none."""
    tree = parsed_or_none(text)
    for node in tree.body if isinstance(tree, ast.Module) else ():
        if isinstance(node, ast.FunctionDef) and node.name in _NAMES and not node.args.args:
            named = {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
            named |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
            returns = any(isinstance(one, ast.Return) and one.value is not None for one in ast.walk(node))
            if returns and not named.isdisjoint(_MAKES):
                return node.name
    return ""
