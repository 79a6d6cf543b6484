"""Solve migration tasks without a model and write docs/evidence/fixed-tasks.md: what is solved, and by what.

    python tools/fix_tasks.py DATASET --repos DIR --results DIR [--solvers rules rules:evidence …] [--only …]

DATASET is a folder that ``backdate bench import`` wrote. Each solver is one ``backdate eval`` and one
``backdate score``, which keep what they did in ``--results``, so a second call goes on where the first was.
The first solver has a row for each task; the others a row of figures. Why a task is not solved, in a person's
words, stands in tools/fix_tasks_read.toml, by the task's id, with a note on what was run. ``--kept-only``
only writes the page. Each source alone and left out: tools/fix_ablation.py.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from fixed_runs import (
    EvaluationOrder,
    FixedTasks,
    folder_of,
    line,
    load,
    run_and_score,
    shown,
)

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "evidence" / "fixed-tasks.md"
READ = Path(__file__).parent / "fix_tasks_read.toml"
SOLVERS = ("rules", "rules:evidence")


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
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--flags", default="all", choices=("all", "static", "none"))
    parser.add_argument(
        "--unverified", action="store_true", help="score tasks as well that nobody verified in DATASET"
    )
    parser.add_argument("--kept-only", action="store_true", help="run nothing: write what --results holds")
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    order = EvaluationOrder(
        dataset=options.dataset,
        repos=options.repos,
        results=options.results,
        jobs=options.jobs,
        unverified=options.unverified,
    )
    for solver in options.solvers if not options.kept_only else ():
        run_and_score(order, solver, options.only, options.flags)
    read = tomllib.loads(READ.read_text(encoding="utf-8"))
    why = {name: row["why"] for name, row in read["task"].items()}
    runs = [kept for solver in options.solvers if (kept := load(folder_of(options.results, solver), solver))]
    options.page.write_text(page(runs, why, note=read["note"]), encoding="utf-8")
    return 0


def page(
    runs: Sequence[FixedTasks],
    read: Mapping[str, str],
    *,
    note: str = "",
) -> str:
    """The whole page. ``read``: why a task is not solved, by its id; ``note``: what a reader has to know."""
    return "\n".join(_page(runs, read, note)) + "\n"


def _page(runs: Sequence[FixedTasks], read: Mapping[str, str], note: str) -> Iterator[str]:
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
    for run in runs[:1]:
        yield from _tasks(run, read)


def _figures(run: FixedTasks) -> str:
    tasks = run.tasks
    solved = sum(task.score.solved for task in tasks)
    own = f"{statistics.median(task.record.own_s for task in tasks):.1f}" if tasks else "-"
    new = f"{statistics.median(task.new_runs for task in tasks):g}" if tasks else "-"
    old = f"{statistics.median(task.record.side_runs for task in tasks):g}" if tasks else "-"
    counts = (f"`{run.solver}`", len(tasks), solved, shown(run.interval()))
    return line(*map(str, counts), shown(run.interval(precision=True)), own, new, old)


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
        yield line(
            *(score.instance_id, score.outcome.value, precision, str(task.new_runs)),
            *(f"{task.record.own_s:.1f}", sources, ", ".join(flag.kind.value for flag in score.flags), why),
        )


if __name__ == "__main__":
    sys.exit(main())
