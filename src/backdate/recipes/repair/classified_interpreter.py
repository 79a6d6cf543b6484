"""The interpreter that a project names as tested, where its tests fail on a newer one."""

from __future__ import annotations

from collections.abc import Iterator

from packaging.specifiers import SpecifierSet

from backdate.projects.python_constraint import read_tested_with
from backdate.recipes.repair.classify import classify
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import RepairContext, nearest_python, with_interpreter

_RULE = "interpreter that it was tested with"


def classified_interpreter(context: RepairContext) -> Iterator[Repair]:
    """The newest interpreter that the project's classifiers name.

    Where tests fail for no reason that is known, on an interpreter that is newer than all of those: a range
    without an upper bound lets every later one in.
    """
    failure = context.failure
    if failure.phase != "tests" or not failure.ran or classify(failure) is not ErrorClass.TESTS_FAIL:
        return
    tested = read_tested_with(context.files.root)
    if tested is None or tested.specifier is None:
        return
    named = SpecifierSet(tested.specifier)
    if named.contains(f"{failure.minor[0]}.{failure.minor[1]}.99"):
        return
    minor = nearest_python(
        failure, lambda one: one < failure.minor and named.contains(f"{one[0]}.{one[1]}.99")
    )
    if minor is not None:
        changed = with_interpreter(context.recipe, minor, _RULE, tested.description)
        reason = f"Python {minor} instead of {failure.python}: {tested.description}"
        yield context.repaired(ErrorClass.WRONG_INTERPRETER, _RULE, reason, changed, minor)
