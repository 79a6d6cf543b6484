"""What solvers did with tasks, as ``backdate eval`` and ``backdate score`` keep it: for tables of them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from backdate.evaluation.metrics import Interval, bootstrap, pass_at_1, prec_at_1
from backdate.evaluation.run_folder import load_run
from backdate.evaluation.scores import Score, load_scored_run
from backdate.solvers.records import RunRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedTask:
    """One task of one solver: what it did, and what scoring says of it."""

    record: RunRecord
    score: Score

    @property
    def origins(self) -> Counter[str]:
        """How many hunks each source gave."""
        return Counter(reason.origin.value for reason in self.record.reasons)

    @property
    def new_runs(self) -> int:
        """Runs of the tests in the new environment."""
        return len(self.record.runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedTasks:
    """What one solver did with all tasks that were scored."""

    solver: str
    tasks: tuple[FixedTask, ...]

    @property
    def solved(self) -> frozenset[str]:
        """The ids of those that are solved."""
        return frozenset(task.score.instance_id for task in self.tasks if task.score.solved)

    def interval(self, *, precision: bool = False) -> Interval | None:
        """pass@1, or prec@1 (Equation 4), with its bootstrap interval."""
        measure = prec_at_1 if precision else pass_at_1
        return bootstrap([task.score.attempt() for task in self.tasks], measure)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationOrder:
    """Where runs are made, and how."""

    dataset: Path
    repos: Path
    results: Path
    jobs: int = 1
    unverified: bool = False


def run_and_score(
    order: EvaluationOrder, solver: str, only: Sequence[str], flags: str, *, survey: bool = False
) -> None:
    """Let ``solver`` work on the tasks in ``only``, on all of them for none, and score its answers."""
    folder = str(folder_of(order.results, solver))
    shared = ["--repos", str(order.repos), "--jobs", str(order.jobs)]
    for instance in only:
        shared += ["--only", instance]
    backdate = [sys.executable, "-m", "backdate"]
    asked = ["--survey"] if survey else []
    unverified = ["--unverified"] if order.unverified else []
    subprocess.run(
        [*backdate, "eval", str(order.dataset), "--solver", solver, "-o", folder, *asked, *shared],
        check=False,
    )
    subprocess.run(
        [*backdate, "score", str(order.dataset), folder, "--flags", flags, *unverified, *shared],
        check=False,
    )


def folder_of(results: Path, solver: str) -> Path:
    """Where the run of a solver is kept."""
    return results / re.sub(r"[^\w.-]+", "_", solver)


def load(folder: Path, solver: str) -> FixedTasks | None:
    """What ``folder`` holds; None where nothing was scored."""
    if not (folder / "score.json").is_file():
        return None
    _, records = load_run(folder)
    scores = {score.instance_id: score for score in load_scored_run(folder).scores}
    return FixedTasks(
        solver=solver,
        tasks=tuple(
            FixedTask(record=record, score=scores[record.instance_id])
            for record in records
            if record.instance_id in scores and not scores[record.instance_id].outcome.is_error
        ),
    )


def shown(interval: Interval | None) -> str:
    """A share in per cent, with its interval."""
    if interval is None:
        return "-"
    return f"{100 * interval.value:.1f} ({100 * interval.low:.0f} to {100 * interval.high:.0f})"


def line(*cells: str) -> str:
    """A row of a table in Markdown."""
    return f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|')[:240] for cell in cells)} |"
