"""What a run of the new side shows, as the loop reads it: failures by cause, with the project's lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from backdate.advice import SourcePlace
from backdate.diagnosis.clusters import cause_key
from backdate.diagnosis.diagnose import diagnose
from backdate.diagnosis.frames import relocated
from backdate.diagnosis.result import Failure, FrameKind, PlacedFrame
from backdate.environments.environment import Environment
from backdate.solvers.rules.backend import SuiteReading
from backdate.solvers.rules.proposals import FailureGroup, quoted_words
from backdate.tasks.runner import TaskRunResult
from backdate.tasks.task import Task
from backdate.testing.outcomes import Outcome

_MOST_PLACES = 200


def read_suite(
    task: Task, result: TaskRunResult, tree: Path, *, before: Environment | None, only: Sequence[str] = ()
) -> SuiteReading:
    """What a run says. ``before``: an environment in which the tests passed, where there is one."""
    run = result.run
    if run is None:
        return SuiteReading(solved=False, reason=result.reason, broken=True, whole=not only)
    good = frozenset(each.id for each in run.results if each.outcome.good)
    diagnosis = None if result.solved else diagnose(run, result.environment, tree=tree, before=before)
    excluded = {test.id for test in task.tests if test.role == "excluded"}
    failures = [] if diagnosis is None else [each for each in diagnosis.failures if each.test not in excluded]
    counting = [test.id for test in task.tests if test.role != "excluded"]
    chosen = set(only)
    if task.tests:
        missing = [test for test in counting if test not in good and (not chosen or test in chosen)]
    else:
        missing = [
            each.id for each in run.results if each.outcome.bad and each.outcome is not Outcome.NOT_COLLECTED
        ]
        if any(each.outcome is Outcome.NOT_COLLECTED for each in run.results):
            missing = []  # nobody knows which tests there are
    return SuiteReading(
        solved=result.solved,
        reason=result.reason,
        good=good,
        missing=tuple(missing),
        groups=groups_of(failures),
        ended=run.status in ("completed", "no-tests", "broken"),
        whole=not only,
    )


def groups_of(failures: Sequence[Failure]) -> tuple[FailureGroup, ...]:
    """Failures by cause, those with the most tests first."""
    groups: dict[tuple[str, ...], list[Failure]] = {}
    for failure in failures:
        groups.setdefault((*cause_key(failure), *quoted_words(failure.cause)), []).append(failure)
    made = [_group(members) for members in groups.values()]
    return tuple(sorted(made, key=lambda group: -len(group.tests)))


def caught_groups(failures: Sequence[Failure]) -> tuple[FailureGroup, ...]:
    """What tests catch on the way, by cause; without tests: which of them meet an error is not recorded."""
    groups = groups_of(failures)
    return tuple(replace(group, tests=(), caught=True) for group in groups if group.places)


def _group(members: Sequence[Failure]) -> FailureGroup:
    lines = [tuple(_project_lines(failure)) for failure in members]
    deepest = max(map(len, lines), default=0)
    by_depth = (own[depth] for depth in range(deepest) for own in lines if depth < len(own))
    cause = members[0].cause
    return FailureGroup(
        cause=cause,
        tests=tuple(dict.fromkeys(failure.test for failure in members if failure.test)),
        places=tuple(dict.fromkeys(by_depth))[:_MOST_PLACES],
        raised_at=tuple(dict.fromkeys(own[0] for own in lines if own))[:_MOST_PLACES],
        led_to=tuple(raised.message for raised in members[0].chain[cause.position + 1 :]),
    )


def _project_lines(failure: Failure) -> Iterator[SourcePlace]:
    """The project's lines in the traceback of the cause, then of the errors that it led to.

    The innermost first; those of its own code before those of its tests.
    """
    position = failure.cause.position
    chain = failure.chain
    order = (*range(position, len(chain)), *range(position - 1, -1, -1))
    frames: list[PlacedFrame] = [
        frame
        for number in order
        if number < len(chain)
        for frame in reversed(relocated(chain[number].frames))
    ]
    for kind in (FrameKind.PROJECT, FrameKind.TEST):
        for placed in frames:
            file = placed.frame.file
            if placed.kind is kind and placed.frame.line > 0 and not file.startswith(("/", "<")):
                yield SourcePlace(file=file, line=placed.frame.line)
