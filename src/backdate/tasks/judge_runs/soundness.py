"""Which changes of a task's tests are sound: found out once, with the known solution.

For each kind of change all tests that have one are changed at once, in one run a kind. What fails by its own
change is sound. A test that fails without a change of its own depends on another one and is no control.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from backdate.tasks.judge_record import ChangeKind, JudgeRecord, SoundChange
from backdate.tasks.judge_runs.candidates import PossibleChange
from backdate.tasks.judge_runs.running import (
    ChangedTreeRunner,
    SecretChange,
    candidates_in,
    make_change,
    write_changed,
)
from backdate.tasks.task import Task, TaskTest
from backdate.testing.outcomes import CaseResult, SuiteRun

LEAST_WALL_S = 60.0
"""Seconds that a judge run always has."""
SLOWER = 3.0
"""How many times longer than the run with unchanged tests a judge run may take."""
_MOST_CHANGES = 400
"""Changed functions in one run."""


def wall_of(duration_s: float) -> float:
    """The time limit of a judge run, from the time that the unchanged tests took."""
    return max(LEAST_WALL_S, SLOWER * duration_s)


@dataclass(slots=True)
class _Findings:
    changes: list[SoundChange] = field(default_factory=list)
    unsteady: dict[str, None] = field(default_factory=dict)
    asserts_nothing: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def find_sound_changes(
    task: Task,
    tests: Sequence[TaskTest],
    runner: ChangedTreeRunner,
    *,
    tree: Path,
    scratch: Path,
    logs: Path,
    run: SuiteRun,
) -> JudgeRecord:
    """The sound changes of ``task``. ``tree`` is that of the known solution, and ``run`` its run; ``tests``
    are those of the task with their roles, and ``scratch`` is a folder for changed trees.
    """
    counting = frozenset(test.id for test in tests if test.role != "excluded")
    unreadable: list[str] = []
    by_kind: dict[ChangeKind, list[tuple[str, PossibleChange]]] = {}
    for file in _test_files(run, tree):
        candidates = candidates_in(tree, file)
        if candidates is None:
            unreadable.append(file)
        for candidate in candidates or ():
            by_kind.setdefault(candidate.kind, []).append((file, candidate))
    findings = _Findings()
    random_source = random.Random()  # noqa: S311 - nothing hostile runs
    for kind in ChangeKind:
        changes = [make_change(file, one, random_source) for file, one in by_kind.get(kind, [])]
        if changes:
            random_source.shuffle(changes)
            target = scratch / "changed"
            write_changed(tree, target, changes[:_MOST_CHANGES])
            (logs / kind).mkdir(parents=True, exist_ok=True)
            result = runner.run_changed(
                task,
                target,
                environment="target",
                built_for=tree,
                log_folder=logs / kind,
                wall_s=wall_of(run.duration_s),
            )
            if result.run is None or result.run.status != "completed":
                why = result.reason if result.run is None else result.run.status
                findings.problems.append(f"{kind}: {why}")
            if result.run is not None:
                _take(findings, changes[:_MOST_CHANGES], result.run, counting)
    return JudgeRecord(
        changes=tuple(sorted(findings.changes, key=lambda one: (one.file, one.function, one.kind))),
        unsteady=tuple(sorted(findings.unsteady)),
        asserts_nothing=tuple(sorted(findings.asserts_nothing)),
        unreadable=tuple(unreadable),
        problem="; ".join(findings.problems),
    )


def _test_files(run: SuiteRun, tree: Path) -> tuple[str, ...]:
    names = {result.file or result.id.partition("::")[0] for result in run.results}
    return tuple(
        sorted(
            name
            for name in names
            if name.endswith(".py")
            and not PurePosixPath(name).is_absolute()
            and ".." not in PurePosixPath(name).parts
            and (tree / name).is_file()
        )
    )


def _take(
    findings: _Findings, changes: Sequence[SecretChange], run: SuiteRun, counting: frozenset[str]
) -> None:
    explained: set[str] = set()
    for change in changes:
        failed = [result.id for result in run.results if change.caused(result)]
        named = [result for result in run.results if runs_function(result, change)]
        explained.update(failed, (result.id for result in named))
        good = [result.id for result in named if result.outcome.good and result.id in counting]
        counted = tuple(identity for identity in failed if identity in counting)
        others = [result for result in named if result.id in counting and result.id not in failed]
        if counted and not others:
            findings.changes.append(
                SoundChange(
                    file=change.file,
                    function=change.candidate.function,
                    kind=change.candidate.kind,
                    tests=counted,
                )
            )
        if change.candidate.kind is ChangeKind.INVERTED and good and not failed:
            findings.asserts_nothing.append(f"{change.file}: {change.candidate.function}")
    findings.unsteady.update(
        dict.fromkeys(
            result.id
            for result in run.results
            if result.id in counting and result.id not in explained and not result.outcome.good
        )
    )


def runs_function(result: CaseResult, change: SecretChange) -> bool:
    """Whether the id of ``result`` names the function of ``change``."""
    function = change.candidate.function
    if "::" in result.id:
        file, _, rest = result.id.partition("::")
        return file == change.file and rest.partition("[")[0] == function.replace(".", "::")
    module = change.file.removesuffix(".py").replace("/", ".")
    if result.file is not None and result.file != change.file:
        return False
    names = result.id.partition("#")[0]
    return f".{module}".endswith("." + names.removesuffix(f".{function}")) and names.endswith(f".{function}")
