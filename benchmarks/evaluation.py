"""What evaluating the gold patches costs beside the bare test runs: Evaluation's promise is 1.2 times.

    python benchmarks/evaluation.py DATASET --repos CLONES [--jobs N] [--only TASK]...

Both are measured in one run, task by task in turn, with every environment found in the cache: first the tests
alone, on a tree that lies there already, then the same answer scored. Prints a Markdown table.
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
from backdate.tasks.task import Task


def bare_seconds(bench: Benchmark, task: Task, place: Path) -> float:
    """The tests on a tree that lies there; the environment was found before."""
    tree, logs = place / "tree", place / "logs"
    bench.workshop.make_tree(task, tree, "reference")
    bench.workshop.run_tests(task, tree, "target", log_folder=logs)
    started = time.monotonic()
    verdict = bench.workshop.run_tests(task, tree, "target", log_folder=logs)
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
    given = parser.parse_args()
    machine = options.settings(sandbox="bwrap", cache=None, index_url=None)
    bench = open_bench(given.dataset, machine, only=given.only, repositories=given.repos)
    with tempfile.TemporaryDirectory(prefix="backdate-benchmark-") as name:
        place = Path(name)
        place.chmod(0o755)
        bare = sum(bare_seconds(bench, task, place / task.instance_id) for task in bench.tasks)
        plan = ScorePlan(
            tasks=bench.tasks,
            answers={task.instance_id: Submission(patch=task.patches.reference) for task in bench.tasks},
            workshop=bench.workshop,
            folder=place / "run",
            jobs=given.jobs,
        )
        started = time.monotonic()
        scores = score_all(plan)
        whole = time.monotonic() - started
    solved = sum(score.solved for score in scores)
    print("\n| tasks | solved | jobs | bare test runs / jobs | scored | ratio |\n|--:|--:|--:|--:|--:|--:|")
    share = bare / given.jobs
    print(
        f"| {len(scores)} | {solved} | {given.jobs} | {share:.1f} s | {whole:.1f} s | {whole / share:.2f} |"
    )


if __name__ == "__main__":
    main()
