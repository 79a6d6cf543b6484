"""One data set of several: parts of one list that were built apart, or what several people made."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.errors import UsageError
from backdate.tasks.card import DatasetInfo
from backdate.tasks.dataset import Dataset
from backdate.tasks.quality.leave_out import why_left_out
from backdate.tasks.quality.record import QualityFlag
from backdate.tasks.task import Task
from backdate.timeline.instants import now
from backdate.version import __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedDatasets:
    """What became of several data sets."""

    dataset: Dataset
    left_out: tuple[tuple[str, str], ...]
    """Id and reason of each task that was not wanted."""


def merge_datasets(
    parts: Sequence[Dataset], output: Path, *, without: Collection[QualityFlag] = ()
) -> MergedDatasets:
    """Write the tasks of all ``parts`` as the new data set ``output``, in the order of their names.

    A task that several parts have, from the same source by the same patches, stands once, as the first of
    them has it. Those with a flag of ``without`` are left out. Sources are copied; verifications, scores and
    funnels stay with the parts. Raises UsageError for two tasks of one name that are not the same, for tasks
    of several kinds, for flags that were not looked for, and where no task is left.
    """
    kinds = sorted({task.kind for part in parts for task in part.tasks})
    if len(kinds) > 1:
        raise UsageError(f"tasks of the kinds {' and '.join(kinds)} make no data set together")
    chosen: dict[str, tuple[Task, Dataset]] = {}
    for part in parts:
        for task in part.tasks:
            known = chosen.setdefault(task.instance_id.lower(), (task, part))
            if not _same(known[0], task):
                raise UsageError(
                    f"{known[1].folder} and {part.folder} have different tasks called {task.instance_id}"
                )
    ordered = sorted(chosen.values(), key=lambda pair: pair[0].instance_id)
    reasons = {task.instance_id: why_left_out(task, without) for task, _ in ordered}
    tasks = [task for task, _ in ordered if not reasons[task.instance_id]]
    if ordered and not tasks:
        raise UsageError(f"each of the {len(ordered)} tasks has a flag that is not wanted: none is left")
    owners = {task.instance_id: part for task, part in ordered}

    def add_source(task: Task, target: Path) -> Task:
        source = owners[task.instance_id].source_of(task)
        if source is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        return task

    return MergedDatasets(
        dataset=Dataset.create(output, tasks, _info(parts, output, without), add_source=add_source),
        left_out=tuple((name, reason) for name, reason in reasons.items() if reason),
    )


def _same(task: Task, other: Task) -> bool:
    return (task.instance_id, task.source, task.patches) == (other.instance_id, other.source, other.patches)


def _info(parts: Sequence[Dataset], output: Path, without: Collection[QualityFlag]) -> DatasetInfo:
    """What the parts have in common, and what they were made by."""
    first, *others = (part.info for part in parts)
    made = dict.fromkeys(part.info.made_by for part in parts)
    but = f" without {', '.join(flag.value for flag in without)}" if without else ""
    return replace(
        first,
        name=output.name,
        description="; ".join(dict.fromkeys(part.info.description for part in parts)),
        license=first.license if all(other.license == first.license for other in others) else "",
        url="",
        created=now(),
        made_by=f"backdate {__version__}: bench merge of {len(parts)} data sets{but} ({'; '.join(made)})",
    )
