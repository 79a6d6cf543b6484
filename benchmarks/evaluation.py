"""What scoring the gold patches costs beside the bare test runs.

    python benchmarks/evaluation.py DATASET --repos CLONES [--only TASK]... [--rounds 1] [--old]

Task by task, in turn, with every environment found in the cache: the tests alone on a tree that lies there
already, neither watched by canaries nor witnessed; the same answer scored with both, without a judge run;
and scored with a judge run. Judge runs take a data set that was verified: others are not judged.
``--old`` runs the original tree in the environment of the old instant instead, bare and watched: that is
where interpreters before 3.12 are. Prints a Markdown table; the least of the rounds counts.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from unittest.mock import patch

from backdate.cli import options
from backdate.evaluation.answers import Submission
from backdate.evaluation.load import Benchmark, open_bench
from backdate.evaluation.scoring import ScorePlan, score_all
from backdate.tasks.judge_runs.deciding import JudgeSettings
from backdate.tasks.runner import TaskRunResult
from backdate.tasks.task import Task


@contextlib.contextmanager
def nothing_watched() -> Iterator[None]:
    """Runs of suites have no secret, and so neither canaries nor signed events."""
    with patch("backdate.testing.run.new_secret", lambda: None):
        yield


def seconds(work: Callable[[], object]) -> float:
    """How long ``work`` takes."""
    started = time.monotonic()
    work()
    return time.monotonic() - started


def scored(bench: Benchmark, task: Task, folder: Path, judge: JudgeSettings | None) -> str:
    """Score the gold patch; the outcome."""
    plan = ScorePlan(
        tasks=(task,),
        answers={task.instance_id: Submission(patch=task.patches.reference)},
        task_runner=bench.task_runner,
        folder=folder,
        judge=judge,
    )
    (score,) = score_all(plan)
    judged = "not judged" if score.judge is None else score.judge.verdict.value
    return f"{score.outcome.value}, {judged}"


def of_the_answer(bench: Benchmark, watched: Benchmark, task: Task, place: Path, rounds: int) -> list[float]:
    """Seconds of a bare run, a watched score and a judged score: the least of each."""
    tree = place / "tree"
    bench.task_runner.make_tree(task, tree, "reference")
    taken: dict[str, list[float]] = defaultdict(list)
    outcomes: list[str] = []

    def bare() -> TaskRunResult:
        with nothing_watched():
            return bench.task_runner.run_tests(task, tree, "target", log_folder=place / "logs")

    bare()  # finds the environment
    for number in range(rounds):
        taken["bare"].append(seconds(bare))
        for name, judge in (("watched", None), ("judged", JudgeSettings(seed=number))):
            work = partial(scored, watched, task, place / f"{name}{number}", judge)
            taken[name].append(seconds(lambda work=work: outcomes.append(work())))  # type: ignore[misc]
    print(f"{task.instance_id}: {outcomes[-1]}", flush=True)
    return [min(values) for values in taken.values()]


def of_the_old_side(
    bench: Benchmark, watched: Benchmark, task: Task, place: Path, rounds: int
) -> tuple[str, list[float]]:
    """The interpreter's version, and seconds of a bare and of a watched run: the least of each."""
    tree = place / "tree"
    bench.task_runner.make_tree(task, tree)
    taken: dict[str, list[float]] = defaultdict(list)

    def run(one: Benchmark) -> TaskRunResult:
        return one.task_runner.run_tests(task, tree, "origin", log_folder=place / "logs")

    first = run(bench)
    version = first.environment.choice.interpreter.version if first.environment else "none"
    for _ in range(rounds):
        with nothing_watched():
            taken["bare"].append(seconds(lambda: run(bench)))
        taken["watched"].append(seconds(lambda: run(watched)))
    print(f"{task.instance_id}: {version}, {first.reason or 'good'}", flush=True)
    return version, [min(values) for values in taken.values()]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--repos", type=Path)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--old", action="store_true", help="the old environments, bare and watched")
    given = parser.parse_args()
    machine = options.settings(sandbox="bwrap", cache=None, index_url=None)
    bench = open_bench(given.dataset, machine, only=given.only, repositories=given.repos)
    watched = open_bench(given.dataset, machine, only=given.only, repositories=given.repos, witness=True)
    rows: dict[str, list[list[float]]] = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="backdate-benchmark-") as name:
        top = Path(name)
        top.chmod(0o755)
        for task in bench.tasks:
            place = top / task.instance_id
            if given.old:
                version, row = of_the_old_side(bench, watched, task, place, given.rounds)
                old = tuple(map(int, version.split(".")[:2])) < (3, 12)
                rows["before 3.12" if old else "3.12 and later"].append(row)
            else:
                rows["gold"].append(of_the_answer(bench, watched, task, place, given.rounds))
    print("\n| runs | tasks | bare | watched | ratio | judged | ratio |\n|---|--:|--:|--:|--:|--:|--:|")
    for title, parts in rows.items():
        bare, *others = (sum(column) for column in zip(*parts, strict=True))
        shown = "".join(f" {value:.1f} s | {value / bare:.2f} |" for value in others)
        print(f"| {title} | {len(parts)} | {bare:.1f} s |{shown}")


if __name__ == "__main__":
    main()
