"""Looks behind errors that name nothing, "assert 500 == 200": what tests meet on the way, and is caught.

It is evidence and decides nothing: whom such an error names is suspected first, and once a culprit is proven,
what it says of that error is what explains the tests and what to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from backdate.advising.uses import python_files
from backdate.bisection.errors_of_run import Known, known_errors
from backdate.bisection.one_cause import Attributed
from backdate.bisection.probe_runner import ProbeRunner
from backdate.bisection.probes import ProbeResult, Target
from backdate.bisection.result import Failing
from backdate.bisection.suspects import RUNNERS, is_own_code, named_by
from backdate.checking.sides import SidePair
from backdate.diagnosis.caught_errors import caught_failures
from backdate.diagnosis.owners import BUILTIN
from backdate.diagnosis.result import SPECIFIC
from backdate.knowledge.changes import PYTHON
from backdate.sandboxes.threads import both

_MOST_TESTS = 10
"""Tests of one target that run once more on each side."""
_LONGEST_S = 60.0
"""What all of these took together at most: traced they take longer."""
_MOST_CAUGHT = 5


def names_nothing(target: Target) -> bool:
    """Whether the error of ``target`` may be what another one led to, and does not tell."""
    if target.failed_before or not target.reached or not RUNNERS.issuperset(target.suspects):
        return False
    return target.cause is not None and target.cause.kind not in SPECIFIC


def with_caught(
    targets: Sequence[Target], probe_runner: ProbeRunner, old: ProbeResult, new: ProbeResult, pair: SidePair
) -> list[Target]:
    """``targets``, those whose error names nothing with what their tests catch on the new side alone.

    ``old`` and ``new``: the sides. Both run some of the tests once more, traced. Raises SandboxUnavailable.
    """
    hiding = [target for target in targets if names_nothing(target)]
    tests = _short_tests(hiding, pair)
    run, tree = pair.new.run, pair.new_project.tree
    files = [file for file in python_files(tree) if is_own_code(file)]
    if not tests or not files or run is None:
        return list(targets)
    known, seen = both(
        lambda: probe_runner.errors_seen(old, tests, files),
        lambda: probe_runner.errors_seen(new, tests, files),
    )
    if not known.whole:  # of the rest nobody knows whether the old side raises it too
        return list(targets)
    failures = caught_failures(
        seen.errors, known.errors, run, pair.new.environment, tree=tree, before=pair.old.environment
    )
    caught = tuple({one.key: one for one in known_errors(failures).values()}.values())[:_MOST_CAUGHT]
    named = tuple(dict.fromkeys(name for one in caught for name in named_by(one.cause)))
    return [
        replace(target, caught=caught, caught_names=named) if target in hiding else target
        for target in targets
    ]


def _short_tests(targets: Sequence[Target], pair: SidePair) -> list[str]:
    """The first tests of each of ``targets``, as long as they take little time together."""
    runs = [side.run for side in (pair.old, pair.new) if side.run is not None]
    took = [{result.id: result.duration_s for result in run.results} for run in runs]
    tests: list[str] = []
    left = _LONGEST_S
    for target in targets:
        for test in target.tests[:_MOST_TESTS]:
            longest = max((of_run.get(test, 0.0) for of_run in took), default=0.0)
            if longest <= left:
                tests.append(test)
                left -= longest
    return tests


def explained_by(attributed: Attributed) -> tuple[Attributed, ...]:
    """``attributed`` as if its tests failed with what they catch about its culprits; none where they catch
    nothing of that."""
    return tuple(
        replace(
            attributed,
            target=replace(attributed.target, cause=one.cause, key=one.key),
            finding=replace(attributed.finding, error=one.failing),
        )
        for one in _about_culprits(attributed)
    )


def caught_of(attributed: Attributed) -> tuple[Failing, ...]:
    """What its tests catch about its culprits, else what names no library at all: ``'NoneType' object …``."""
    found = _about_culprits(attributed)
    found = found or [one for one in attributed.target.caught if not named_by(one.cause)]
    return tuple(one.failing for one in found)


def _about_culprits(attributed: Attributed) -> list[Known]:
    names = {culprit.name for culprit in attributed.finding.culprits}
    return [
        one
        for one in attributed.target.caught
        if not names.isdisjoint(named_by(one.cause))
        or (PYTHON in names and one.cause.distribution == BUILTIN)
    ]
