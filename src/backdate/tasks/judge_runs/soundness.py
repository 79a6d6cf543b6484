"""Which changes of a task's tests are sound: found out once, with the known solution.

For each kind of change all tests that have one are changed at once, in one run a kind. What fails by its own
change is sound. A test that fails without a change of its own depends on another one and is no control.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from backdate.tasks.judge_record import JudgeRecord, SoundChange
from backdate.tasks.judge_runs.running import ChangedTreeRunner
from backdate.tasks.task import EnvironmentName, Task, TaskTest
from backdate.testing.changed_tests.audit import confirm_asserts_nothing
from backdate.testing.changed_tests.candidates import PossibleChange
from backdate.testing.changed_tests.changed_tree import (
    SecretChange,
    candidates_in,
    files_of_tests,
    limits_of,
    make_change,
    write_changed,
)
from backdate.testing.changed_tests.kinds import JUDGING_KINDS, ChangeKind
from backdate.testing.outcomes import Outcome, SuiteRun

_MOST_CHANGES = 400
"""Changed functions in one run."""


@dataclass(slots=True)
class _Findings:
    changes: list[SoundChange] = field(default_factory=list)
    unsteady: dict[str, None] = field(default_factory=dict)
    passed: list[tuple[str, str]] = field(default_factory=list)
    """File and function of tests that passed although their last assertion asserts the opposite."""
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownGood:
    """The tree in which a task's tests are known to pass: that of the known solution, or the old side."""

    tree: Path
    environment: EnvironmentName
    run: SuiteRun
    """What its tests gave."""


def find_sound_changes(
    task: Task,
    tests: Sequence[TaskTest],
    runner: ChangedTreeRunner,
    *,
    good: KnownGood,
    scratch: Path,
    logs: Path,
) -> JudgeRecord:
    """The sound changes of ``task``. ``tests`` are those of the task with their roles, and ``scratch`` is a
    folder for changed trees.
    """
    counting = frozenset(test.id for test in tests if test.role != "excluded")
    unreadable: list[str] = []
    by_kind: dict[ChangeKind, list[tuple[str, PossibleChange]]] = {}
    for file in files_of_tests(good.run, good.tree):
        candidates = candidates_in(good.tree, file)
        if candidates is None:
            unreadable.append(file)
        for candidate in candidates or ():
            by_kind.setdefault(candidate.kind, []).append((file, candidate))

    findings = _Findings()

    def rerun(tree: Path, only: Sequence[str], name: str) -> SuiteRun | None:
        (logs / name).mkdir(parents=True, exist_ok=True)
        result = runner.run_changed(
            task,
            tree,
            environment=good.environment,
            built_for=good.tree,
            log_folder=logs / name,
            limits=limits_of(good.run),
            only=tuple(only),
        )
        if result.run is None or result.run.status != "completed":
            findings.problems.append(f"{name}: {result.reason if result.run is None else result.run.status}")
        return result.run

    random_source = random.Random()  # noqa: S311 - nothing hostile runs
    for kind in JUDGING_KINDS:
        changes = [make_change(file, candidate, random_source) for file, candidate in by_kind.get(kind, [])]
        if changes:
            random_source.shuffle(changes)
            write_changed(good.tree, scratch / "changed", changes[:_MOST_CHANGES])
            run = rerun(scratch / "changed", (), kind)
            if run is not None:
                _take(findings, changes[:_MOST_CHANGES], run, counting)
    nothing = confirm_asserts_nothing(good.run, good.tree, scratch, rerun, findings.passed)
    return JudgeRecord(
        changes=tuple(
            sorted(findings.changes, key=lambda change: (change.file, change.function, change.kind))
        ),
        unsteady=tuple(sorted(findings.unsteady)),
        asserts_nothing=tuple(sorted(f"{test.file}: {test.function}" for test in nothing)),
        unreadable=tuple(unreadable),
        problem="; ".join(findings.problems),
    )


def _take(
    findings: _Findings, changes: Sequence[SecretChange], run: SuiteRun, counting: frozenset[str]
) -> None:
    explained: set[str] = set()
    for change in changes:
        failed = [result.id for result in run.results if change.caused(result)]
        named = [result for result in run.results if change.concerns(result)]
        explained.update(failed, (result.id for result in named))
        counted = tuple(identity for identity in failed if identity in counting)
        others = [result for result in named if result.id in counting and result.id not in failed]
        # with another solution a body may be left before the change, and its test pass honestly
        if counted and not others and not change.candidate.may_be_skirted:
            findings.changes.append(
                SoundChange(
                    file=change.file,
                    function=change.candidate.function,
                    kind=change.candidate.kind,
                    tests=counted,
                )
            )
        passed = any(result.outcome is Outcome.PASSED and result.id in counting for result in named)
        if change.candidate.kind is ChangeKind.INVERTED and passed:
            findings.passed.append((change.file, change.candidate.function))
    findings.unsteady.update(
        dict.fromkeys(
            result.id
            for result in run.results
            if result.id in counting and result.id not in explained and not result.outcome.good
        )
    )
