"""From a finished ledger to a data set: the tasks in the order of their names, their trees, and the funnel.

What is written depends on what was found out alone, not on when, where or in which order: two builds of
the same candidates differ in the time of the proof only.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.construction.fetch import fetch, limits_of
from backdate.construction.funnel import Funnel, make_funnel
from backdate.construction.ledger_view import LedgerRow, LedgerView
from backdate.construction.migration.examine import Examined
from backdate.construction.plan import BuildPlan, WorkerConfig
from backdate.construction.store import open_store
from backdate.construction.trees import fetch_tree
from backdate.errors import SourceError
from backdate.serial import from_json, to_json
from backdate.tasks.archive import pack_tree
from backdate.tasks.card import DatasetInfo
from backdate.tasks.dataset import Dataset
from backdate.tasks.formats import read_task
from backdate.tasks.task import Task
from backdate.timeline.instants import Instant, format_day, now
from backdate.version import __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class Excluded:
    """One entry that is no task."""

    name: str
    revision: str
    stage: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FunnelFile:
    """``funnel.json`` of a data set: how it came about."""

    format: int = 1
    target: Instant
    origin: Instant | None
    funnel: Funnel
    excluded: tuple[Excluded, ...]
    """Every entry that is no task, in the order of the sources."""


def publish(ledger: LedgerView, output: Path, plan: BuildPlan, place: WorkerConfig) -> Dataset:
    """Write the data set whole, or not at all. Raises UsageError when something is there already."""
    rows = {row.id: row for row in ledger.rows("task")}
    tasks = [(number, read_task(answer, what="the ledger")) for number, answer in ledger.tasks()]
    named = _unique(tasks)
    by_name = {task.instance_id: rows[number] for number, task in named}
    store = open_store(place.store)
    with tempfile.TemporaryDirectory(prefix="backdate-publish-") as temporary:

        def add_source(task: Task, target: Path) -> Task:
            row = by_name[task.instance_id]
            scratch = Path(temporary, f"{row.id}")
            scratch.mkdir()
            examined = from_json(Examined, row.examined or b"", what="the ledger")
            tree = scratch / "source"
            if not fetch_tree(store, examined.digest, tree, scratch, limits_of(place)):
                tree = _fetched_again(row, examined, plan, place, scratch)
            pack_tree(tree, target)
            return task

        return Dataset.create(
            output,
            [task for _, task in named],
            _info(output, plan),
            add_source=add_source,
            funnel=to_json(funnel_file(ledger, plan), indent=1) + b"\n",
        )


def funnel_file(ledger: LedgerView, plan: BuildPlan) -> FunnelFile:
    """How the data set came about, from its ledger."""
    return FunnelFile(
        target=plan.target,
        origin=plan.origin,
        funnel=make_funnel(ledger.reasons(), candidates=ledger.total(), tasks=ledger.count("task")),
        excluded=tuple(
            Excluded(name=one.name, revision=one.revision, stage=one.stage, reason=one.reason)
            for one in ledger.left()
        ),
    )


def _fetched_again(
    row: LedgerRow, examined: Examined, plan: BuildPlan, place: WorkerConfig, scratch: Path
) -> Path:
    candidate = replace(row.candidate, revision=examined.revision or row.candidate.revision)
    try:
        return fetch(candidate, plan, place, scratch).tree
    except SourceError as error:
        raise SourceError(
            f"the tree of {candidate.name} is neither in the store nor to be had: {error}"
        ) from error


def _unique(tasks: Sequence[tuple[int, Task]]) -> list[tuple[int, Task]]:
    """Tasks under names that differ in more than case: a second one gets the number of its candidate."""
    seen: set[str] = set()
    found = []
    for number, task in tasks:
        one = task
        if task.instance_id.lower() in seen:
            one = replace(task, instance_id=f"{task.instance_id}-{number}")
        seen.add(one.instance_id.lower())
        found.append((number, one))
    return found


def _info(output: Path, plan: BuildPlan) -> DatasetInfo:
    origin = f"--from {format_day(plan.origin)} " if plan.origin is not None else ""
    return DatasetInfo(
        name=output.name,
        description="Migration tasks: tests that pass in the old environment and fail in the new one.",
        created=now(),
        made_by=f"backdate {__version__}: bench build SOURCE {origin}--to {format_day(plan.target)}",
    )
