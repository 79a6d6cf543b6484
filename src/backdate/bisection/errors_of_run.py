"""What each test of a run failed with, as a bisection knows errors apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from backdate.bisection.result import Failing
from backdate.checking.error_identity import normalised_line
from backdate.diagnosis.diagnose import clusters_of
from backdate.diagnosis.result import SPECIFIC, Cause, CauseKind, Cluster
from backdate.environments.environment import Environment
from backdate.testing.outcomes import SuiteRun

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


def errors_of_run(
    reference: SuiteRun, run: SuiteRun, environment: Environment, before: Environment | None, tree: Path
) -> dict[str, Known]:
    """The error of every test that is good in ``reference`` and bad in ``run``, by its id."""
    clusters = clusters_of(reference, run, environment=environment, before=before, tree=tree)
    return {
        test: Known(
            failing=failing_of(cluster),
            key=error_key(cluster.cause),
            cause=cluster.cause,
            reached=run.status != "broken",
        )
        for cluster in clusters
        for test in cluster.tests
    }
