"""Which tests of a suite assert something: each whose last assertion may be turned round has to fail then.

A test that passes with the opposite assertion too is run again, alone among unchanged ones, because changed
tests may disturb each other. Then a raise takes the assertion's place: it tells an assertion that is never
reached from one that holds either way.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from backdate.testing.changed_tests.audit_result import AuditedFunction, AuditFinding, SuiteAudit
from backdate.testing.changed_tests.candidates import PossibleChange
from backdate.testing.changed_tests.changed_tree import (
    SecretChange,
    candidates_in,
    files_of_tests,
    make_change,
    write_changed,
)
from backdate.testing.changed_tests.kinds import ChangeKind
from backdate.testing.outcomes import CaseResult, Outcome, SuiteRun

Rerun = Callable[[Path, Sequence[str], str], SuiteRun | None]
"""Runs the suite of a changed tree: all of it, or the tests with these ids. The text names the run's logs.
None when there was no environment."""


@dataclass(frozen=True, slots=True)
class _ChangeableFunction:
    """A function that may be changed."""

    file: str
    inverted: PossibleChange
    replaced: PossibleChange
    tests: tuple[str, ...]

    def found(self, finding: AuditFinding, tests: Sequence[str] = ()) -> AuditedFunction:
        return AuditedFunction(
            file=self.file,
            function=self.inverted.function,
            line=self.inverted.line,
            finding=finding,
            tests=tuple(tests) or self.tests,
        )


def audit_suite(
    run: SuiteRun, tree: Path, scratch: Path, rerun: Rerun, *, most: int | None, seed: int
) -> SuiteAudit:
    """Audit the suite of ``tree``, whose unchanged tests gave ``run``: at most ``most`` of the functions that
    pass there, all when None. ``scratch`` is a folder for changed trees.
    """
    random_source = random.Random(seed)  # noqa: S311 - nothing hostile is judged
    by_file = {file: candidates_in(tree, file) for file in files_of_tests(run, tree)}
    available = _examinable(run, by_file)
    covered = {test for function in available for test in function.tests}
    passed = [result.id for result in run.results if result.outcome is Outcome.PASSED]
    chosen = available if most is None else random_source.sample(available, min(most, len(available)))
    audit = _Audit(tree, scratch, rerun, random_source)
    functions = audit.examine(chosen, whole=len(chosen) == len(available))
    return SuiteAudit(
        seed=seed,
        available=len(available),
        functions=tuple(sorted(functions, key=lambda one: (one.file, one.line, one.function))),
        not_changeable=len(set(passed) - covered),
        unreadable=tuple(file for file, candidates in by_file.items() if candidates is None),
    )


def confirm_asserts_nothing(
    run: SuiteRun, tree: Path, scratch: Path, rerun: Rerun, suspects: Collection[tuple[str, str]]
) -> tuple[AuditedFunction, ...]:
    """Which of the functions ``suspects`` (file and qualified name) assert nothing. They passed in a run in
    which they and others were turned round; ``run`` is that of the unchanged tests.
    """
    files = dict.fromkeys(file for file, _ in suspects)
    available = _examinable(run, {file: candidates_in(tree, file) for file in files})
    chosen = [one for one in available if (one.file, one.inverted.function) in suspects]
    audit = _Audit(tree, scratch, rerun, random.Random())  # noqa: S311 - nothing hostile is judged
    return tuple(one for one in audit.confirm(chosen) if one.finding.asserts_nothing)


def _examinable(
    run: SuiteRun, by_file: Mapping[str, Sequence[PossibleChange] | None]
) -> list[_ChangeableFunction]:
    """The functions whose tests ran and passed, as they should, and that may be turned round."""
    functions = []
    for file, candidates in by_file.items():
        replaced = {one.function: one for one in candidates or () if one.kind is ChangeKind.REPLACED}
        for candidate in candidates or ():
            if candidate.kind is not ChangeKind.INVERTED:
                continue
            probe = SecretChange(file=file, candidate=candidate, secret="")
            outcomes = {one.id: one.outcome for one in run.results if probe.concerns(one)}
            passed = tuple(name for name, outcome in outcomes.items() if outcome is Outcome.PASSED)
            # one that is expected to fail passes with any assertion
            if passed and set(outcomes.values()) <= {Outcome.PASSED, Outcome.SKIPPED}:
                functions.append(_ChangeableFunction(file, candidate, replaced[candidate.function], passed))
    return functions


@dataclass(frozen=True, slots=True)
class _Audit:
    tree: Path
    scratch: Path
    rerun: Rerun
    random_source: random.Random

    def examine(self, functions: Sequence[_ChangeableFunction], *, whole: bool) -> list[AuditedFunction]:
        """Turn all of ``functions`` round at once; look again at those that do not fail by that."""
        if not functions:
            return []
        only = () if whole else tuple(test for one in functions for test in one.tests)
        outcomes = self._run(functions, ChangeKind.INVERTED, only, "inverted")
        clear = [one for one in functions if all(outcomes.get(test) == "caused" for test in one.tests)]
        rest = [one for one in functions if one not in clear]
        return [*(one.found(AuditFinding.ASSERTS) for one in clear), *self.confirm(rest)]

    def confirm(self, functions: Sequence[_ChangeableFunction]) -> list[AuditedFunction]:
        """What becomes of ``functions`` when they alone are changed and the whole suite runs."""
        if not functions:
            return []
        found: list[AuditedFunction] = []
        outcomes = self._run(functions, ChangeKind.INVERTED, (), "inverted-again")
        passing: dict[_ChangeableFunction, list[str]] = {}
        for one in functions:
            said = [outcomes.get(test, "") for test in one.tests]
            if "passed" in said:
                passing[one] = [test for test in one.tests if outcomes.get(test) == "passed"]
            else:
                asserts = all(outcome == "caused" for outcome in said)
                found.append(one.found(AuditFinding.ASSERTS if asserts else AuditFinding.UNPROVEN))
        if passing:
            reached = self._run(list(passing), ChangeKind.REPLACED, (), "replaced")
            for one, tests in passing.items():
                said = [reached.get(test, "") for test in tests]
                finding = AuditFinding.UNPROVEN
                if "passed" in said:
                    finding = AuditFinding.NOT_REACHED
                elif all(outcome == "caused" for outcome in said):
                    finding = AuditFinding.OPPOSITE_HOLDS
                found.append(one.found(finding, tests))
        return found

    def _run(
        self, functions: Sequence[_ChangeableFunction], kind: ChangeKind, only: Sequence[str], name: str
    ) -> dict[str, str]:
        """By id "caused" for a failure by the change, "passed", or nothing for what else became of a test."""
        inverted = kind is ChangeKind.INVERTED
        changes = {
            one: make_change(one.file, one.inverted if inverted else one.replaced, self.random_source)
            for one in functions
        }
        target = self.scratch / "changed"
        write_changed(self.tree, target, changes.values())
        run = self.rerun(target, only, name)
        results = {} if run is None else {result.id: result for result in run.results}
        return {
            test: _said(results[test], change)
            for one, change in changes.items()
            for test in one.tests
            if test in results
        }


def _said(result: CaseResult, change: SecretChange) -> str:
    if change.caused(result):
        return "caused"
    return "passed" if result.outcome is Outcome.PASSED else ""
