"""The quality of every verified issue task of a data set, each kept as soon as it is known."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from backdate.errors import SourceError
from backdate.progress import NO_PROGRESS, Reporter
from backdate.sandboxes.threads import in_threads
from backdate.tasks.dataset import Dataset
from backdate.tasks.judging import is_verified
from backdate.tasks.progress import QualityMeasured
from backdate.tasks.quality.duplicates import duplicates_of
from backdate.tasks.quality.measure import quality_of, with_duplicates, with_quality
from backdate.tasks.quality.record import TrialSettings, Weakness
from backdate.tasks.runner import TaskRunner
from backdate.tasks.task import IssueFacts, Task
from backdate.version import __version__

LOGS = "quality"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredDataset:
    """What came of it."""

    dataset: Dataset
    measured: tuple[str, ...]
    """The ids of the tasks whose quality is known now, those that were known before too."""
    problems: tuple[tuple[str, str], ...]
    """Id and reason of each that could not be measured."""


def measure_dataset(
    dataset: Dataset,
    task_runner: TaskRunner,
    *,
    trials: TrialSettings | None,
    only: Sequence[str] = (),
    jobs: int = 1,
    progress: Reporter = NO_PROGRESS,
) -> MeasuredDataset:
    """Measure the verified issue tasks of ``dataset`` (those that ``only`` names), ``jobs`` at a time.

    What this version has measured, with trials where these are asked for, is not measured again. Each result
    is in the data set at once. Raises MachineError for what this machine lacks.
    """
    named = tuple(dataset.task(name) for name in dict.fromkeys(only)) or dataset.tasks
    tasks = [task for task in named if isinstance(task.facts, IssueFacts) and is_verified(task)]
    waiting = [task for task in tasks if not _is_known(task, trials)]
    problems: dict[str, str] = {}
    lock = threading.Lock()

    def measure(task: Task) -> None:
        problem = ""
        flags: tuple[str, ...] = ()
        with dataset.working_on(task):
            try:
                folder = dataset.folder_of(task) / LOGS
                quality = quality_of(task, task_runner, log_folder=folder, trials=trials)
            except SourceError as error:
                problem = str(error)
            else:
                flags = tuple(finding.flag.value for finding in quality.flags)
        with lock:
            if problem:
                problems[task.instance_id] = problem
            else:
                dataset.changed(lambda each: with_quality(each, quality) if _is_same(each, task) else each)
        progress.report(
            QualityMeasured(instance_id=task.instance_id, flags=flags, problem=problem, total=len(waiting))
        )

    in_threads([partial(measure, task) for task in waiting], jobs=jobs, name="quality")
    current = Dataset.open(dataset.folder)
    repeated = duplicates_of(current.tasks)
    current = current.changed(
        lambda task: (
            with_duplicates(task, repeated.get(task.instance_id, ()))
            if isinstance(task.facts, IssueFacts)
            else task
        )
    )
    return MeasuredDataset(
        dataset=current,
        measured=tuple(task.instance_id for task in tasks if task.instance_id not in problems),
        problems=tuple(problems.items()),
    )


def _is_known(task: Task, trials: TrialSettings | None) -> bool:
    assert isinstance(task.facts, IssueFacts)
    quality = task.facts.quality
    if quality is None or quality.backdate != __version__:
        return False
    return trials is None or (quality.weakness is not None and _covers(quality.weakness, trials))


def _covers(weakness: Weakness, trials: TrialSettings) -> bool:
    """Whether what was tried is all that ``trials`` asks for."""
    asked = weakness.asked
    if asked is None:
        return False
    return asked == trials or (
        (asked.seed, asked.most_mutants) == (trials.seed, trials.most_mutants)
        and asked.most_hunks >= trials.most_hunks
        and (asked.seconds >= trials.seconds or not weakness.was_late)
    )


def _is_same(task: Task, other: Task) -> bool:
    """Whether another command left the task as it was measured."""
    return (task.instance_id, task.patches, task.tests) == (other.instance_id, other.patches, other.tests)
