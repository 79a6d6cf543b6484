"""Solve migration tasks without a model and write docs/evidence/fixed-tasks.md: what is solved, and by what.

    python tools/fix_tasks.py DATASET --repos DIR --results DIR [--solvers rules rules:evidence …] [--only …]

DATASET is a folder that ``backdate bench import`` wrote. Each solver is one ``backdate eval`` and one
``backdate score``, which keep what they did in ``--results``, so a second call goes on where the first was.
The first solver has a row for each task; the others a row of figures. Why a task is not solved, in a person's
words, stands in tools/fix_tasks_read.toml, by the task's id, with a note on what was run. ``--ablation`` adds
the first solver with each of its sources alone and left out. ``--kept-only`` only writes the page.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from backdate.evaluation.metrics import Interval, bootstrap, pass_at_1, prec_at_1
from backdate.evaluation.run_folder import load_run
from backdate.evaluation.scores import Score, load_scored_run
from backdate.solvers.records import RunRecord
from backdate.solvers.rules.sources.choose import source_names

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "evidence" / "fixed-tasks.md"
READ = Path(__file__).parent / "fix_tasks_read.toml"
SOLVERS = ("rules", "rules:evidence")


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
    taken_over: int = 0
    """Of these tasks, those that were not run again."""

    @property
    def solved(self) -> frozenset[str]:
        """The ids of those that are solved."""
        return frozenset(task.score.instance_id for task in self.tasks if task.score.solved)

    def interval(self, *, precision: bool = False) -> Interval | None:
        """pass@1, or prec@1 (Equation 4), with its bootstrap interval."""
        measure = prec_at_1 if precision else pass_at_1
        return bootstrap([task.score.attempt() for task in self.tasks], measure)


def main() -> int:
    """Run and score what is not in the results yet, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--repos", type=Path, required=True, help="where clones of the repositories are")
    parser.add_argument("--results", type=Path, required=True, help="a folder for the runs, kept")
    parser.add_argument("--solvers", nargs="+", default=list(SOLVERS), metavar="SOLVER")
    parser.add_argument("--only", nargs="*", default=[], help="ids of tasks")
    parser.add_argument("--ablation", action="store_true", help="each source alone, and left out, as well")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--flags", default="all", choices=("all", "static", "none"))
    parser.add_argument(
        "--unverified", action="store_true", help="score tasks as well that nobody verified in DATASET"
    )
    parser.add_argument("--kept-only", action="store_true", help="run nothing: write what --results holds")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    for solver in options.solvers if not options.kept_only else ():
        run_and_score(options, solver, options.only, options.flags)
    ablation = ablation_of(options) if options.ablation else ()
    read = tomllib.loads(READ.read_text(encoding="utf-8"))
    why = {name: row["why"] for name, row in read["task"].items()}
    runs = [kept for solver in options.solvers if (kept := load(folder_of(options.results, solver), solver))]
    options.page.write_text(page(runs, why, note=read["note"], ablation=ablation), encoding="utf-8")
    return 0


def ablation_of(options: argparse.Namespace) -> tuple[FixedTasks, ...]:
    """The first solver with each source alone, then with each left out.

    A source that has no hunk in the patch of a task is not missed there: the task is taken over as it is.
    """
    solver = options.solvers[0]
    whole = load(folder_of(options.results, solver), solver)
    runs: list[FixedTasks] = []
    for source in source_names():
        alone = f"rules:{source}"
        if not options.kept_only:
            run_and_score(options, alone, options.only, "none")
        if kept := load(folder_of(options.results, alone), alone):
            runs.append(kept)
    for source in source_names() if whole is not None else ():
        assert whole is not None
        without = f"rules:-{source}"
        used = [task.score.instance_id for task in whole.tasks if source in task.origins]
        if used and not options.kept_only:
            run_and_score(options, without, used, "none")
        again = load(folder_of(options.results, without), without) if used else None
        if again is not None:
            runs.append(left_out(whole, again, without, used))
    return tuple(runs)


def left_out(whole: FixedTasks, again: FixedTasks | None, solver: str, used: Sequence[str]) -> FixedTasks:
    """The tasks of ``whole``, those in ``used`` as they were run again."""
    kept = tuple(task for task in whole.tasks if task.score.instance_id not in used)
    return FixedTasks(
        solver=solver, tasks=(*kept, *(again.tasks if again is not None else ())), taken_over=len(kept)
    )


def run_and_score(options: argparse.Namespace, solver: str, only: Sequence[str], flags: str) -> None:
    """Let ``solver`` work on the tasks in ``only``, on all of them for none, and score its answers."""
    folder = str(folder_of(options.results, solver))
    shared = ["--repos", str(options.repos), "--jobs", str(options.jobs)]
    for instance in only:
        shared += ["--only", instance]
    backdate = [sys.executable, "-m", "backdate"]
    unverified = ["--unverified"] if options.unverified else []
    subprocess.run(
        [*backdate, "eval", str(options.dataset), "--solver", solver, "-o", folder, *shared], check=False
    )
    subprocess.run(
        [*backdate, "score", str(options.dataset), folder, "--flags", flags, *unverified, *shared],
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


def page(
    runs: Sequence[FixedTasks],
    read: Mapping[str, str],
    *,
    note: str = "",
    ablation: Sequence[FixedTasks] = (),
) -> str:
    """The whole page. ``read``: why a task is not solved, by its id; ``note``: what a reader has to know."""
    return "\n".join(_page(runs, read, note, ablation)) + "\n"


def _page(
    runs: Sequence[FixedTasks], read: Mapping[str, str], note: str, ablation: Sequence[FixedTasks]
) -> Iterator[str]:
    yield "# Tasks that are solved without a model"
    yield ""
    yield (
        "What `backdate eval --solver rules` makes of published migration tasks, scored as any other answer "
        "is. The tasks are the half of TimeMachine-bench's verified rows that was there while the rules were "
        "written: these figures are no claim about tasks never seen. Made by `tools/fix_tasks.py`."
    )
    yield ""
    if note:
        yield " ".join(note.split())
        yield ""
    yield "| solver | tasks | solved | pass@1 (95 %) | prec@1 (95 %) | own seconds | new runs | old runs |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|"
    for run in runs:
        yield _figures(run)
    yield ""
    yield (
        "Own seconds are the median beyond builds and test runs; new and old runs the medians of whole or "
        "partial runs of the tests on the new and on the old side."
    )
    yield ""
    yield "Hunks that stayed in solved tasks, by their source, and in how many tasks each source has one:"
    yield ""
    for run in runs:
        yield f"- `{run.solver}`: {_origins(run)}"
    for run in runs[1:]:
        yield from _beside(runs[0], run)
    if runs and ablation:
        yield from _ablation(runs[0], ablation)
    for run in runs[:1]:
        yield from _tasks(run, read)


def _figures(run: FixedTasks) -> str:
    tasks = run.tasks
    solved = sum(task.score.solved for task in tasks)
    own = f"{statistics.median(task.record.own_s for task in tasks):.1f}" if tasks else "-"
    new = f"{statistics.median(task.new_runs for task in tasks):g}" if tasks else "-"
    old = f"{statistics.median(task.record.side_runs for task in tasks):g}" if tasks else "-"
    shown = (f"`{run.solver}`", len(tasks), solved, _shown(run.interval()))
    return _line(*map(str, shown), _shown(run.interval(precision=True)), own, new, old)


def _unused(run: FixedTasks) -> list[str]:
    used = {origin for task in run.tasks for origin in task.origins}
    return [source for source in source_names() if source not in used]


def _beside(whole: FixedTasks, run: FixedTasks) -> Iterator[str]:
    """Which tasks one of two solvers solves alone."""
    for one, other in ((whole, run), (run, whole)):
        both = {task.score.instance_id for task in other.tasks}
        alone = sorted((one.solved & both) - other.solved)
        if alone:
            yield ""
            yield f"Solved by `{one.solver}` and not by `{other.solver}`: {', '.join(alone)}."


def _origins(run: FixedTasks) -> str:
    hunks: Counter[str] = Counter()
    tasks: Counter[str] = Counter()
    for task in run.tasks:
        if task.score.solved:
            hunks.update(task.origins)
            tasks.update(set(task.origins))
    return (
        ", ".join(f"{origin} {count} in {tasks[origin]}" for origin, count in hunks.most_common()) or "none"
    )


def _ablation(whole: FixedTasks, ablation: Sequence[FixedTasks]) -> Iterator[str]:
    yield ""
    yield "## Each source alone, and left out"
    yield ""
    yield (
        f"`{whole.solver}:SOURCE` has this source alone, `{whole.solver}:-SOURCE` all others. A task in "
        f"whose patch by `{whole.solver}` a source has no hunk is not run again without it: it counts as is. "
        f"In no patch by `{whole.solver}`: {', '.join(_unused(whole))}."
    )
    yield ""
    yield f"| solver | tasks | run | solved | pass@1 (95 %) | prec@1 (95 %) | of these by `{whole.solver}` |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for run in ablation:
        ids = {task.score.instance_id for task in run.tasks}
        counts = (len(run.tasks), len(run.tasks) - run.taken_over, len(run.solved))
        figures = (_shown(run.interval()), _shown(run.interval(precision=True)))
        yield _line(f"`{run.solver}`", *map(str, counts), *figures, str(len(whole.solved & ids)))


def _tasks(run: FixedTasks, read: Mapping[str, str]) -> Iterator[str]:
    yield ""
    yield f"## Each task, by `{run.solver}`"
    yield ""
    yield "| task | outcome | precision | runs | own s | sources | flags | why it is not solved |"
    yield "|---|---|--:|--:|--:|---|---|---|"
    for task in sorted(run.tasks, key=lambda task: (not task.score.solved, task.record.instance_id)):
        score = task.score
        precision = "-" if score.precision is None else f"{score.precision:.2f}"
        sources = ", ".join(f"{origin} {count}" for origin, count in task.origins.most_common())
        why = "" if score.solved else read.get(score.instance_id, task.record.detail or score.reason)
        yield _line(
            *(score.instance_id, score.outcome.value, precision, str(task.new_runs)),
            *(f"{task.record.own_s:.1f}", sources, ", ".join(flag.kind.value for flag in score.flags), why),
        )


def _shown(interval: Interval | None) -> str:
    if interval is None:
        return "-"
    return f"{100 * interval.value:.1f} ({100 * interval.low:.0f} to {100 * interval.high:.0f})"


def _line(*cells: str) -> str:
    return f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|')[:240] for cell in cells)} |"


if __name__ == "__main__":
    sys.exit(main())
