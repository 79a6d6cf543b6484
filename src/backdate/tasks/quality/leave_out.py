"""Which tasks a data set shall do without, by what is known of their quality. Pure functions."""

from __future__ import annotations

from collections.abc import Collection

from backdate.errors import UsageError
from backdate.tasks.quality.record import QualityFlag, TrialOutcome, Weakness
from backdate.tasks.task import IssueFacts, Task

_BY_TRIALS = frozenset((QualityFlag.WEAK_HUNK, QualityFlag.WEAK_HALF, QualityFlag.WEAK_MUTANT))
"""Only known where broken gold patches ran."""


def why_left_out(task: Task, without: Collection[QualityFlag]) -> str:
    """Why ``task`` does not belong to a data set without these flags; empty where it does.

    A task that was measured and whose tests could not be tried is left out where weak tests are, since nobody
    knows. Raises UsageError, saying what to run, for a task of which that was not asked yet.
    """
    if not without:
        return ""
    if not isinstance(task.facts, IssueFacts):
        raise UsageError(f"{task.instance_id} is no issue task, and only these have flags of quality")
    quality = task.facts.quality
    by_trials = not _BY_TRIALS.isdisjoint(without)
    if quality is None or (by_trials and (quality.weakness is None or quality.weakness.asked is None)):
        read = "" if by_trials else " --read"
        raise UsageError(
            f"the quality of {task.instance_id} is not known; run 'backdate bench quality{read}' on its data "
            "set first"
        )
    found = ", ".join(finding.flag.value for finding in quality.flags if finding.flag in without)
    if found or not by_trials or quality.weakness is None:
        return found
    return _untried(task.instance_id, quality.weakness, without)


def _untried(name: str, weakness: Weakness, without: Collection[QualityFlag]) -> str:
    """Why nobody knows whether its tests are weak; empty where what was asked for was tried."""
    if weakness.problem:
        return f"not tried: {weakness.problem}"
    if QualityFlag.WEAK_HUNK in without and weakness.hunks_untried:
        if not weakness.hunks:
            raise _never_tried(name, "hunk", "--hunks")
        return f"not tried: {weakness.hunks_untried} of {weakness.possible_hunks} hunks"
    if QualityFlag.WEAK_HALF in without:
        late = sum(trial.outcome is TrialOutcome.NOT_RUN for trial in weakness.halves)
        if late:
            return f"not tried: {late} of its halves"
    if QualityFlag.WEAK_MUTANT in without and weakness.possible_mutants and not weakness.mutants:
        raise _never_tried(name, "mutant", "--mutants")
    return ""


def _never_tried(name: str, what: str, option: str) -> UsageError:
    return UsageError(
        f"no {what} of {name} was tried; run 'backdate bench quality' with {option} on its data set first"
    )
