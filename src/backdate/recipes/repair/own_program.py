"""Suites that only the project's own program can run, because it prepares what the tests need."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from backdate.recipes.own_runners import own_programs, program_plan, runs_tests
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import RepairContext, because, with_packages

_RULE = "the project's own program"
_REFUSED = re.compile(r"\b(?:Errno 111|ECONNREFUSED|Connection ?refused)\b", re.IGNORECASE)


def own_program(context: RepairContext) -> Iterator[Repair]:
    """Where no test passes: the project's own program that runs its tests, or the file of tests as one."""
    if context.failure.phase == "tests" and not context.failure.passed:
        found = (*own_programs(context.files), *_files_as_programs(context))
        yield from _by_programs(context, found, "which runs the tests itself, as none passes without it")


def own_program_for_its_server(context: RepairContext) -> Iterator[Repair]:
    """Where some tests reach no server on this machine: that program may start it, as feedparser's does."""
    failure = context.failure
    if failure.phase == "tests" and any(_REFUSED.search(one.message) for one in failure.problems):
        found = own_programs(context.files)
        yield from _by_programs(context, found, "which may start the server that tests want")


def _files_as_programs(context: RepairContext) -> Iterator[str]:
    """The only file of tests in which errors are, where it imports what it tests when it is a program."""
    problems = [one for one in context.failure.problems if one.type.endswith("NameError")]
    files = {file for one in problems for file in one.files}
    if len(files) == 1:
        text = context.files.text(next(iter(files))) or ""
        if "__main__" in text and runs_tests(text):
            yield from files


def _by_programs(context: RepairContext, programs: Iterable[str], why: str) -> Iterator[Repair]:
    for name in dict.fromkeys(programs):
        recipe = context.recipe
        if recipe.test.runner == "program":
            return
        text = context.files.text(name) or ""
        plan = program_plan(name, replace(because(_RULE), file=name))
        plan = replace(plan, environment=(*recipe.test.environment, *plan.environment))
        changed = replace(recipe, test=plan, further_tests=())
        if "pytest" in text:
            changed = with_packages(changed, ("pytest",), _RULE, name)
        yield context.repaired(ErrorClass.WRONG_RUNNER, _RULE, f"python {name}, {why}", changed)
