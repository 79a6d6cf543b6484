"""Whether tests need the upper bound that a project puts on interpreters, shown by a run on a newer one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from packaging.specifiers import SpecifierSet

from backdate.checking.answers import PYTHON, NeededCap, UnneededCap
from backdate.checking.kept_bounds import good_tests
from backdate.checking.own_bounds import read_bound
from backdate.checking.resources import Resources
from backdate.checking.result import CheckResult
from backdate.checking.sides import SidePair
from backdate.environments.environment import InterpreterChoice
from backdate.errors import InterpreterMissing
from backdate.progress import Activity, Reporter
from backdate.projects.python_constraint import PythonConstraint
from backdate.testing.outcomes import SuiteRun

Passing = Callable[[InterpreterChoice], frozenset[str] | None]
"""The tests that pass on an interpreter where the needed bounds are kept; None where nothing is known."""


def find_python_cap(
    declared: CheckResult,
    lifted: CheckResult,
    pair: SidePair,
    constraint: PythonConstraint,
    needed: Sequence[NeededCap],
    resources: Resources,
    progress: Reporter,
) -> NeededCap | UnneededCap | None:
    """What the upper bound on interpreters is worth; None where there is none, or nothing is known.

    ``pair``: of the lifted question. ``constraint``: as the project declares it. ``needed``: bounds on
    distributions, which are kept in every run. Looked at is the interpreter that the lifted side has, or that
    is usual at its instant, where the bound forbids it and it can be had; the tests that are good on the
    declared side run there.
    """
    if declared.new.run is None or pair.new_project.python is not None:
        return None
    beyond = _forbidden(constraint, pair, resources)
    if beyond is None or not allows(constraint, declared.new.choice):
        return None
    good = frozenset(result.id for result in declared.new.run.results if result.outcome.good)
    runner = _OnInterpreters(pair, needed, resources, sorted(good), lifted.folder / "python-cap", progress)
    return cap_by_runs(constraint, good, declared.new.choice, beyond, runner.passing)


def allows(constraint: PythonConstraint, choice: InterpreterChoice) -> bool:
    """Whether installers accept the interpreter."""
    return SpecifierSet(constraint.specifier or "").contains(choice.interpreter.version, prereleases=True)


def cap_by_runs(
    constraint: PythonConstraint,
    good: frozenset[str],
    within: InterpreterChoice,
    beyond: InterpreterChoice,
    passing: Passing,
) -> NeededCap | UnneededCap | None:
    """The bound on interpreters by what passes on one that it allows and on one that it forbids."""
    after = passing(beyond) if good else None
    if after is None or constraint.file is None:
        return None
    requirement, version = f"{constraint.rule} {constraint.specifier}", beyond.interpreter.version
    if good <= after:
        return UnneededCap(
            distribution=PYTHON,
            requirement=requirement,
            file=constraint.file,
            line=constraint.line or 1,
            without=version,
        )
    before = passing(within)
    broken = (good & before) - after if before is not None else frozenset[str]()
    if not broken:
        return None  # what fails there fails with the interpreter that the bound allows as well
    return NeededCap(
        distribution=PYTHON,
        requirement=requirement,
        file=constraint.file,
        line=constraint.line or 1,
        tests=len(broken),
        proven=True,
        newest=version,
    )


def _forbidden(
    constraint: PythonConstraint, pair: SidePair, resources: Resources
) -> InterpreterChoice | None:
    """The interpreter with which a bound is looked at; None where the bound keeps none away."""
    if constraint.kind != "requires" or constraint.specifier is None:
        return None
    if not allows(constraint, pair.new.choice):
        return pair.new.choice
    dated = pair.new_project
    try:
        usual = resources.interpreters.choose(dated.python_constraint, dated.instant)
    except InterpreterMissing:
        return None
    return usual if not allows(constraint, usual) else None


@dataclass(slots=True)
class _OnInterpreters:
    """Runs tests in the lifted environment on one interpreter and another."""

    pair: SidePair
    needed: Sequence[NeededCap]
    resources: Resources
    tests: list[str]
    folder: Path
    progress: Reporter

    def passing(self, choice: InterpreterChoice) -> frozenset[str] | None:
        """The tests that are good on that interpreter; None where there is no such environment."""
        version = choice.interpreter.version
        if not self.needed and version == self.pair.new.choice.interpreter.version:
            return _good(self.pair.new.run)
        self.progress.report(Activity(text=f"everything lifted on Python {version}"))
        bounds = (read_bound(cap.requirement, version) for cap in self.needed)
        constraints = tuple(f"{bound[0]}{bound[1]}" for bound in bounds if bound is not None)
        request = replace(self.pair.new_request, choice=choice, constraints=constraints)
        return good_tests(self.pair, request, self.resources, self.tests, self.folder / version)


def _good(run: SuiteRun | None) -> frozenset[str] | None:
    return None if run is None else frozenset(one.id for one in run.results if one.outcome.good)
