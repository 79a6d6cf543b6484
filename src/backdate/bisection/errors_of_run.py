"""What each test of a run failed with, as a bisection knows errors apart."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.bisection.result import Failing
from backdate.checking.error_identity import normalised_line
from backdate.diagnosis.clusters import group_failures
from backdate.diagnosis.diagnose import failures_between
from backdate.diagnosis.frames import relocated
from backdate.diagnosis.result import SPECIFIC, Cause, CauseKind, Cluster, Failure, FrameKind, PlacedFrame
from backdate.environments.environment import Environment
from backdate.index.names import normalise
from backdate.testing.outcomes import Outcome, SuiteRun

_NO_CONTEXT_MANAGER = re.compile(
    r"__a?(?:enter|exit)__\Z|'[^'\n]*' object does not support the (?:asynchronous )?context manager protocol"
)
"""An AttributeError up to Python 3.10, a TypeError from 3.11 on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """An error that a test failed with."""

    failing: Failing
    key: str
    """Equal for errors of one cause, also when versions word them differently."""
    cause: Cause
    reached: bool = True
    """Whether the runner reached the tests; otherwise nothing of theirs was tried."""
    raised_in: str = ""
    """The installed distribution (normalised) whose code met the error; empty where it was the project's."""
    frames: tuple[PlacedFrame, ...] = ()
    """The frames that tell which code failed, the innermost first; none of the standard library."""


_CODE = (FrameKind.PROJECT, FrameKind.TEST, FrameKind.SITE_PACKAGES)
_MOST_FRAMES = 12


def frames_of(failure: Failure) -> tuple[PlacedFrame, ...]:
    """See ``Known.frames``. An exception that was translated goes on in those that it led to."""
    frames: dict[PlacedFrame, None] = {}
    for raised in failure.chain[failure.cause.position :]:
        frames |= dict.fromkeys(frame for frame in reversed(relocated(raised.frames)) if frame.kind in _CODE)
    return tuple(frames)[:_MOST_FRAMES]


def raised_in(frames: tuple[PlacedFrame, ...]) -> str:
    """See ``Known.raised_in``."""
    innermost = frames[0] if frames else None
    if innermost is None or innermost.kind is not FrameKind.SITE_PACKAGES:
        return ""
    return normalise(innermost.distribution or "")


def is_product(known: Known, older: frozenset[str]) -> bool:
    """Whether an error is one of ``older``: distributions that are older than they would be if nothing were
    held back. It was raised inside of one, or in another one that lacks something of it."""
    about = normalise(known.cause.distribution or "")
    inside = known.raised_in
    binary = bool(older) and known.cause.kind is CauseKind.BINARY_INCOMPATIBLE
    return binary or inside in older or (bool(inside) and about in older)


def error_key(cause: Cause) -> str:
    """What stays the same of an error while its wording, its lines and its libraries' versions change.

    An error that names a missing or unwanted thing is known by that name, every other by its type. What
    interpreters word differently is one: else the interpreter that rewords it would be found at fault.
    """
    if _NO_CONTEXT_MANAGER.match(cause.message):
        return "no context manager"
    if cause.kind in SPECIFIC and cause.kind is not CauseKind.SYNTAX and cause.name:
        return f"name {cause.name}"
    return f"{cause.kind} {cause.type}"


def failing_of(cluster: Cluster) -> Failing:
    """A cluster's error with the first line of its message and the line at which it surfaced most often."""
    return Failing(
        type=cluster.cause.type or str(cluster.cause.kind),
        message=normalised_line(cluster.cause.message),
        place=cluster.places[0].frame if cluster.places else None,
    )


def as_if_good(run: SuiteRun, tests: Collection[str]) -> SuiteRun:
    """``run`` with ``tests`` as if they were good: the errors are asked for that they have elsewhere."""
    results = (
        replace(result, outcome=Outcome.PASSED) if result.id in tests else result for result in run.results
    )
    return replace(run, results=tuple(results))


def errors_of_run(
    reference: SuiteRun, run: SuiteRun, environment: Environment, before: Environment | None, tree: Path
) -> dict[str, Known]:
    """The error of every test that is good in ``reference`` and bad in ``run``, by its id."""
    failures = failures_between(reference, run, environment=environment, before=before, tree=tree)
    return known_errors(failures, reached=run.status != "broken")


def known_errors(failures: Sequence[Failure], *, reached: bool = True) -> dict[str, Known]:
    """The error of the test of each failure, by its id, those of the commonest cause first."""
    of_test = {failure.test: failure for failure in failures}
    known = {}
    for cluster in group_failures(failures):
        error, key = failing_of(cluster), error_key(cluster.cause)
        for test in cluster.tests:
            frames = frames_of(of_test[test])
            known[test] = Known(
                failing=error,
                key=key,
                cause=cluster.cause,
                reached=reached,
                raised_in=raised_in(frames),
                frames=frames,
            )
    return known
