"""A data set of what a build has so far, written while it runs or after it was stopped."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from backdate.construction.funnel_reader import require_ledger
from backdate.construction.kinds.choose import is_of_changes
from backdate.construction.ledger_view import read_ledger
from backdate.construction.plan import BuildPlan, WorkerConfig, read_plan
from backdate.construction.publish import REPOSITORIES, publish
from backdate.errors import UsageError
from backdate.tasks.dataset import Dataset


def plan_of(folder: Path) -> BuildPlan:
    """What the build whose ledger is in ``folder`` is asked to do. Raises UsageError before it has begun."""
    with read_ledger(folder) as ledger:
        stored = ledger.fact("plan")
    if stored is None:
        raise UsageError(f"{folder} holds a build that has not begun")
    return read_plan(stored)


def publish_so_far(build: Path, output: Path, place: WorkerConfig) -> Dataset:
    """Write the tasks that the build at ``build`` has so far as the new data set ``output``.

    Its funnel says how many entries are not decided yet. The build is left as it is, and may go on meanwhile.
    Raises UsageError where there is no build, or something is at ``output``.
    """
    folder = require_ledger(build)
    plan = plan_of(folder)
    with ExitStack() as opened:
        ledger = opened.enter_context(read_ledger(folder))
        repositories = None
        if is_of_changes(plan.kind):
            repositories = opened.enter_context(read_ledger(folder / REPOSITORIES))
            opened.enter_context(repositories.unchanged())
        opened.enter_context(ledger.unchanged())
        return publish(ledger, output, plan, place, repositories)
