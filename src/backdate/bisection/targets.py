"""The targets of a bisection: the tests that broke, by cause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from backdate.bisection.errors_of_run import Known, as_if_good, errors_of_run
from backdate.bisection.probes import Target
from backdate.bisection.result import Failing
from backdate.bisection.suspects import CalledDistributions, named_by
from backdate.checking.sides import SidePair
from backdate.errors import UsageError
from backdate.testing.node_ids import plain_id
from backdate.testing.outcomes import Outcome, SuiteRun

MOST_CHANGED = 4
"""Errors of tests that failed on the old side too, or were skipped there, that are searched for."""
_LONGEST_S = 120.0
"""Tests of such an error that take longer together wait for something that is not there."""


def targets_of(pair: SidePair, tests: Sequence[str]) -> list[Target]:
    """What broke, by cause, limited to ``tests`` where there are any: the most tests first, then the items
    that run a linter, which say nothing of what code does.

    Raises UsageError for a test that the old side has not.
    """
    comparison = pair.comparison
    if comparison is None or pair.old.run is None or pair.new.run is None:
        return []
    if pair.broken_tools is not None and not pair.broken_tools.instead:
        return []  # what broke is nothing that users have
    changed = {test for change in comparison.error_changes for test in change.tests}
    tests = [plain_id(test) for test in tests]
    known = {result.id for result in pair.old.run.results}
    unknown = [test for test in tests if test not in known]
    if unknown:
        raise UsageError(f"the old side has no test {unknown[0]!r}; write its id as `backdate check -v` does")
    changed &= {result.id for result in pair.old.run.results if result.outcome.bad}
    # what the old side skips and the new one runs: what it lacks is no test that could be searched for
    unseen = {test for failure in comparison.new_failures for test in failure.tests}
    changed |= unseen & _skipped(pair.old.run)
    changed &= set(tests) or known
    wanted = set(comparison.broke) & (set(tests) or known)
    of_linters = {test for breakage in comparison.breakages if breakage.lint for test in breakage.tests}
    environment, tree = pair.new.environment, pair.new_project.tree
    targets: list[Target] = []
    changed_errors: list[Target] = []
    if environment is not None:
        errors = errors_of_run(pair.old.run, pair.new.run, environment, pair.old.environment, tree)
        groups: dict[Known, list[str]] = {}
        for test, met in errors.items():
            if test in wanted:
                groups.setdefault(replace(met, raised_in="", frames=()), []).append(test)
        called = CalledDistributions(environment, tree)
        for group in sorted(groups.values(), key=lambda group: (group[0] in of_linters, -len(group))):
            targets.append(target_of(errors[group[0]], tuple(group), called))
            wanted -= set(group)
        changed_errors = _changed_errors(pair, changed, called)
    for breakage in comparison.breakages:
        members = tuple(test for test in breakage.tests if test in wanted)
        if members:
            place = breakage.places[0] if breakage.places else None
            error = Failing(type=breakage.type, message=breakage.message, place=place)
            targets.append(Target(tests=members, error=error))
    return [*targets, *changed_errors]


def _skipped(run: SuiteRun) -> set[str]:
    return {result.id for result in run.results if result.outcome is Outcome.SKIPPED}


def _changed_errors(pair: SidePair, tests: set[str], called: CalledDistributions) -> list[Target]:
    """What fails on the new side and did not pass on the old one: it failed with another error, or was
    skipped; by cause, the largest few.
    """
    environment = pair.new.environment
    if not tests or environment is None or pair.old.run is None or pair.new.run is None:
        return []
    before = as_if_good(pair.old.run, tests)
    groups: dict[Known, list[str]] = {}
    errors = errors_of_run(before, pair.new.run, environment, pair.old.environment, pair.new_project.tree)
    for test, met in errors.items():
        if test in tests and met.reached:
            groups.setdefault(replace(met, raised_in="", frames=()), []).append(test)
    took = {result.id: result.duration_s for result in pair.new.run.results}
    short = [group for group in groups.values() if sum(took.get(test, 0.0) for test in group) <= _LONGEST_S]
    largest = sorted(short, key=len, reverse=True)[:MOST_CHANGED]
    return [
        replace(target_of(errors[group[0]], tuple(group), called), failed_before=True) for group in largest
    ]


def target_of(known: Known, tests: tuple[str, ...], called: CalledDistributions | None) -> Target:
    """Tests that fail with the error ``known``; without ``called`` nothing is known of what they call."""
    return Target(
        tests=tests,
        error=known.failing,
        key=known.key,
        cause=known.cause,
        reached=known.reached,
        suspects=named_by(known.cause),
        called=called.of(known) if called is not None else (),
        imported=called.imported() if called is not None else (),
    )
