"""What a repair rule gets, and helpers to change a recipe."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from backdate.index.names import requirement_name
from backdate.recipes.files import Files
from backdate.recipes.recipe import (
    BuildConstraint,
    DeclaredPythons,
    InstallStep,
    Provenance,
    Recipe,
    SuitePlan,
    Variable,
)
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import IndexFacts, Repair
from backdate.recipes.repair.setup_failure import SetupFailure, numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairContext:
    """A failed recipe, its failure, and what a rule may read: the project's files and the index."""

    failure: SetupFailure
    recipe: Recipe
    files: Files
    index_facts: IndexFacts

    def repaired(
        self, error: ErrorClass, rule: str, reason: str, recipe: Recipe, interpreter: str | None = None
    ) -> Repair:
        """A repair that leads to ``recipe``."""
        line = " ".join(reason.split())[:300]
        return Repair(recipe=recipe, error=error, rule=rule, reason=line, interpreter=interpreter)


Rule = Callable[[RepairContext], Iterator[Repair]]
"""Proposes repairs, the best first; none where the rule does not apply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairRule:
    """A rule of repair; an entry point in the group ``backdate.repair_rules`` names one."""

    propose: Rule
    """It runs nothing and does not raise because of a log."""
    alternative: bool = False
    """False for one that adds what is missing, so that one round can take it with others. True for one that
    chooses or gives something up: each of its proposals is tried alone."""


def because(rule: str, evidence: str = "") -> Provenance:
    """The provenance of what a rule adds."""
    return Provenance(rule=f"repair: {rule}", text=" ".join(evidence.split())[:200] or None)


def with_packages(recipe: Recipe, packages: Iterable[str], rule: str, evidence: str) -> Recipe:
    """The recipe with ``packages`` installed too; the same one when it asks for each already."""
    there = {package for step in recipe.install for package in step.packages}
    new = tuple(package for package in dict.fromkeys(packages) if package not in there)
    if not new:
        return recipe
    step = InstallStep(kind="packages", packages=new, provenance=because(rule, evidence))
    return replace(recipe, install=(*recipe.install, step))


def with_build_constraints(recipe: Recipe, limits: Iterable[str], rule: str, evidence: str) -> Recipe:
    """The recipe with isolated builds limited to ``limits``, each name limited once."""
    new = tuple(BuildConstraint(requirement=limit, provenance=because(rule, evidence)) for limit in limits)
    names = {requirement_name(constraint.requirement) for constraint in new}
    kept = tuple(
        constraint
        for constraint in recipe.build_constraints
        if requirement_name(constraint.requirement) not in names
    )
    if {constraint.requirement for constraint in new} <= {
        constraint.requirement for constraint in recipe.build_constraints
    }:
        return recipe
    return replace(recipe, build_constraints=(*kept, *new))


def with_interpreter(recipe: Recipe, minor: str, rule: str, evidence: str) -> Recipe:
    """The recipe for the interpreter ``minor``."""
    pythons = DeclaredPythons(versions=(minor,), provenance=because(rule, evidence))
    return replace(recipe, interpreter=pythons)


def with_variables(recipe: Recipe, variables: dict[str, str], rule: str, evidence: str) -> Recipe:
    """The recipe with further variables, for builds and for all tests."""
    provenance = because(rule, evidence)
    kept = tuple(variable for variable in recipe.variables if variable.name not in variables)
    new = tuple(Variable(name=n, value=v, provenance=provenance) for n, v in variables.items())
    changed = with_plans(recipe, lambda plan: with_environment(plan, variables))
    return recipe if kept + new == recipe.variables else replace(changed, variables=(*kept, *new))


def with_environment(plan: SuitePlan, variables: dict[str, str]) -> SuitePlan:
    """The plan with further variables, those that it sets already changed."""
    return replace(plan, environment=tuple({**dict(plan.environment), **variables}.items()))


def with_plans(recipe: Recipe, change: Callable[[SuitePlan], SuitePlan]) -> Recipe:
    """The recipe with every plan changed."""
    return replace(recipe, test=change(recipe.test), further_tests=tuple(map(change, recipe.further_tests)))


def marked(plan: SuitePlan, rule: str) -> SuitePlan:
    """The plan, with a provenance that says that ``rule`` changed it; once for each time that it does."""
    changed = replace(plan.provenance, rule=f"{plan.provenance.rule}; repair: {rule}")
    return replace(plan, provenance=changed)


def nearest_python(failure: SetupFailure, allowed: Callable[[tuple[int, int]], bool]) -> str | None:
    """The minor ("3.7") nearest to the one that was used, of those at hand that are ``allowed``.

    The newer one of two that are equally far. None when there is none.
    """
    here = {numbers(python) for python in failure.pythons} - {(0, 0), failure.minor}
    usable = [version for version in here if version[0] == 3 and allowed(version)]
    if not usable:
        return None
    major, minor = min(usable, key=lambda version: (abs(version[1] - failure.minor[1]), -version[1]))
    return f"{major}.{minor}"


@functools.lru_cache(maxsize=4)
def _lines(text: str) -> tuple[str, ...]:
    """The lines of ``text``, each once: tests repeat themselves."""
    return tuple(dict.fromkeys(text.split("\n")))


def first_match(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """The first match of ``pattern``, looked for line by line, so that no text makes it slow."""
    for line in _lines(text):
        match = pattern.search(line)
        if match:
            return match
    return None


def all_matches(pattern: re.Pattern[str], text: str, most: int = 200) -> Sequence[re.Match[str]]:
    """The matches of ``pattern``, looked for line by line."""
    matches: list[re.Match[str]] = []
    for line in _lines(text):
        matches.extend(pattern.finditer(line))
        if len(matches) >= most:
            break
    return matches[:most]


def failure_text(failure: SetupFailure) -> str:
    """The whole text of a failure: exceptions of tests first, a line each, then the log."""
    lines = [
        f"{problem.type}: {' '.join(problem.message[:4_000].split())[:1_500]}"
        for problem in failure.problems[:300]
    ]
    return "\n".join((*lines, failure.text))
