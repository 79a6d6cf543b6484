"""Which tasks a data set shall do without, by what is known of their quality. Pure functions."""

from __future__ import annotations

from collections.abc import Collection

from backdate.errors import UsageError
from backdate.tasks.quality.record import QualityFlag
from backdate.tasks.task import IssueFacts, Task

_BY_TRIALS = frozenset((QualityFlag.WEAK_HUNK, QualityFlag.WEAK_MUTANT))
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
    if quality is None or (by_trials and quality.weakness is None):
        read = "" if by_trials else " --read"
        raise UsageError(
            f"the quality of {task.instance_id} is not known; run 'backdate bench quality{read}' on its data "
            "set first"
        )
    if by_trials and quality.weakness is not None:
        if quality.weakness.problem:
            return f"not tried: {quality.weakness.problem}"
        untried = bool(quality.weakness.possible_mutants) and not quality.weakness.mutants
        if QualityFlag.WEAK_MUTANT in without and untried:
            raise UsageError(
                f"no mutant of {task.instance_id} was tried; run 'backdate bench quality' with --mutants and "
                "another --seed first"
            )
    return ", ".join(finding.flag.value for finding in quality.flags if finding.flag in without)
