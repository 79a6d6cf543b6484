"""What evaluating the gold patches costs beside the bare test runs: promised are 1.2 times, judged 1.6 times.

    python benchmarks/evaluation.py DATASET --repos CLONES [--jobs N] [--only TASK]... [--seed N]

Both are measured in one run, task by task in turn, with every environment found in the cache: first the tests
alone, on a tree that lies there already, then the same answer scored, without and with judge runs. For these
the data set has to be verified (``backdate bench verify``). Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from backdate.cli import options
from backdate.evaluation.answers import Submission
from backdate.evaluation.load import Benchmark, open_bench
from backdate.evaluation.scoring import ScorePlan, score_all
from backdate.tasks.judge_runs.deciding import JudgeSettings, JudgeVerdict
from backdate.tasks.task import Task


def bare_seconds(bench: Benchmark, task: Task, place: Path) -> float:
    """The tests on a tree that lies there; the environment was found before."""
    tree, logs = place / "tree", place / "logs"
    bench.task_runner.make_tree(task, tree, "reference")
    bench.task_runner.run_tests(task, tree, "target", log_folder=logs)
    started = time.monotonic()
    verdict = bench.task_runner.run_tests(task, tree, "target", log_folder=logs)
    taken = time.monotonic() - started
    print(f"{task.instance_id}: {'good' if verdict.solved else verdict.reason}, {taken:.2f} s", flush=True)
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--repos", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--seed", type=int, default=1, help="of the judge runs")
    given = parser.parse_args()
    machine = options.settings(sandbox="bwrap", cache=None, index_url=None)
    bench = open_bench(given.dataset, machine, only=given.only, repositories=given.repos)
    with tempfile.TemporaryDirectory(prefix="backdate-benchmark-") as name:
        place = Path(name)
        place.chmod(0o755)
        bare = sum(bare_seconds(bench, task, place / task.instance_id) for task in bench.tasks)
        answers = {task.instance_id: Submission(patch=task.patches.reference) for task in bench.tasks}
        rows = []
        for label, judge in (("scored", None), ("scored and judged", JudgeSettings(seed=given.seed))):
            plan = ScorePlan(
                tasks=bench.tasks,
                answers=answers,
                task_runner=bench.task_runner,
                folder=place / label,
                jobs=given.jobs,
                judge=judge,
            )
            started = time.monotonic()
            scores = score_all(plan)
            rows.append((label, scores, time.monotonic() - started))
    share = bare / given.jobs
    print(f"\nbare test runs of {len(bench.tasks)} tasks / {given.jobs} jobs: {share:.1f} s\n")
    print("| | solved | judged | time | ratio |\n|---|--:|--:|--:|--:|")
    for label, scores, taken in rows:
        solved = sum(score.solved for score in scores)
        proven = sum(
            score.judge is not None and score.judge.verdict is JudgeVerdict.PROVEN for score in scores
        )
        print(f"| {label} | {solved} | {proven} | {taken:.1f} s | {taken / share:.2f} |")
    for score in rows[-1][1]:
        if not score.solved:
            print(f"{score.instance_id}: {score.outcome}: {score.reason}")


if __name__ == "__main__":
    main()
