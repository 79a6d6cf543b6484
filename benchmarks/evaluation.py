"""What watching, scoring and judging cost beside the bare test runs.

    python benchmarks/evaluation.py DATASET --repos CLONES [--only TASK]... [--rounds 3] [--new-only]

Task by task, in turn, with every environment found in the cache:

* ``bare``: the tests of the gold patch's tree, neither watched by canaries nor witnessed;
* ``watched``: the same run with both;
* ``scored``: the gold patch as an answer, whose score has one such run (trees, patch, digests included);
* ``judged``: the same with a judge run. It takes a data set that was verified: others are not judged.

``bare`` and ``watched`` are also taken of the original tree in the environment of the old instant, where
interpreters before 3.12 are (not with ``--new-only``). The environment that an answer gets for itself, where
its tree is installed, is built in any case: the tables tell it apart. The least of the rounds counts, in
seconds of the clock and of the processor (what runs in the sandbox included). Prints the sums and the ratios
for each group of interpreters as tables in Markdown.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import resource
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from unittest.mock import patch

from backdate.cli import options
from backdate.evaluation.answers import Submission
from backdate.evaluation.load import Benchmark, open_bench
from backdate.evaluation.scoring import ScorePlan, score_all
from backdate.sandboxes.interface import Command, RunResult, Sandbox, Workspace
from backdate.sandboxes.wrapped import WrappedSandbox
from backdate.tasks.judge_runs.deciding import JudgeSettings
from backdate.tasks.local_runner import LocalRunner
from backdate.tasks.runner import TaskRunResult
from backdate.tasks.task import EnvironmentName, Task
from backdate.tasks.throwaway_trees import ThrowawayTrees

OLD, NEW = "before 3.12", "3.12 and later"
KINDS = ("bare", "watched", "scored", "judged")
_TIMES = re.compile(rb"(\d+)m([\d.]+)s (\d+)m([\d.]+)s\s*\Z")
_COUNTING = '"$@"; status=$?; times >&2; exit $status'


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of the clock and of the processor."""

    wall: float
    cpu: float

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.wall + other.wall, self.cpu + other.cpu)

    def __sub__(self, other: Cost) -> Cost:
        return Cost(self.wall - other.wall, self.cpu - other.cpu)


@dataclass(slots=True)
class Clock:
    """Adds up what test runs take in their sandbox: whether the system counts it is up to how they end."""

    uncounted: float = 0.0
    built: Cost = field(default_factory=lambda: Cost(0.0, 0.0))
    """What environments of answers took, since ``cost_of`` began."""

    def now(self) -> Cost:
        """The time, and all that was used so far."""
        parts = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        used = sum(part.ru_utime + part.ru_stime for part in parts)
        return Cost(time.monotonic(), used + self.uncounted)

    def cost_of(self, work: Callable[[], object]) -> Cost:
        """What ``work`` takes, without environments of answers."""
        self.built = Cost(0.0, 0.0)
        started = self.now()
        work()
        return self.now() - started - self.built

    @contextlib.contextmanager
    def set_apart(self) -> Iterator[None]:
        """What happens within is building."""
        started = self.now()
        yield
        self.built += self.now() - started


class CountingSandbox(WrappedSandbox):
    """A sandbox whose test runs say what they used of the processor."""

    def __init__(self, inner: Sandbox, clock: Clock) -> None:
        super().__init__(inner)
        self.clock = clock

    def run(self, command: Command, workspace: Workspace, *, log: Path) -> RunResult:
        if "BACKDATE_CAPTURE_EVENTS" not in command.env:
            return self.inner.run(command, workspace, log=log)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        told = replace(command, argv=("/bin/sh", "-c", _COUNTING, "sh", *command.argv))
        result = self.inner.run(told, workspace, log=log)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seen = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        match = _TIMES.search(log.read_bytes())
        used = 0.0 if match is None else sum(60 * int(match[n]) + float(match[n + 1]) for n in (1, 3))
        if seen < used:
            self.clock.uncounted += used
        return result


@contextlib.contextmanager
def nothing_watched() -> Iterator[None]:
    """Runs of suites have no secret, and so neither canaries nor signed events."""
    with patch("backdate.testing.run.new_secret", lambda: None):
        yield


@dataclass(frozen=True, slots=True)
class Measurement:
    """The two ways of running a data set's tests, and what counts."""

    bare: LocalRunner
    watched: LocalRunner
    clock: Clock
    rounds: int

    def of_side(
        self, task: Task, environment: EnvironmentName, tree: Path, logs: Path
    ) -> tuple[str, dict[str, Cost]]:
        """The interpreter's version, and the least of bare and of watched runs."""

        def run(runner: LocalRunner) -> TaskRunResult:
            return runner.run_tests(task, tree, environment, log_folder=logs)

        first = run(self.bare)  # finds the environment
        if first.environment is None:
            return "", {}
        taken: dict[str, list[Cost]] = defaultdict(list)
        for _ in range(self.rounds):
            with nothing_watched():
                taken["bare"].append(self.clock.cost_of(lambda: run(self.bare)))
            taken["watched"].append(self.clock.cost_of(lambda: run(self.watched)))
        return first.environment.choice.interpreter.version, _least(taken)

    def of_scores(self, task: Task, place: Path) -> dict[str, Cost]:
        """The least of the gold patch's scores with and without a judge run, and of its environments."""
        taken: dict[str, list[Cost]] = defaultdict(list)
        for number in range(self.rounds):
            for name, judge in (("scored", None), ("judged", JudgeSettings(seed=number))):
                plan = ScorePlan(
                    tasks=(task,),
                    answers={task.instance_id: Submission(patch=task.patches.reference)},
                    task_runner=self.watched,
                    folder=place / f"{name}{number}",
                    judge=judge,
                )
                outcome: list[str] = []
                taken[name].append(self.clock.cost_of(lambda plan=plan, o=outcome: o.append(_scored(plan))))  # type: ignore[misc]
                taken["built"].append(self.clock.built)
        print(f"{task.instance_id}: {outcome[-1]}", flush=True)
        return _least(taken)


def _scored(plan: ScorePlan) -> str:
    (score,) = score_all(plan)
    return f"{score.outcome}, {'not judged' if score.judge is None else score.judge.verdict}"


def _least(taken: dict[str, list[Cost]]) -> dict[str, Cost]:
    return {
        name: Cost(min(one.wall for one in costs), min(one.cpu for one in costs))
        for name, costs in taken.items()
    }


def _table(groups: dict[str, list[dict[str, Cost]]]) -> Iterator[str]:
    """Each column is the sum over the tasks that have it, beside that of the same tasks' bare runs."""
    yield "| interpreters | seconds | tasks | bare | watched | scored | judged | answers' environments |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|"
    for title, rows in groups.items():
        for unit in ("wall", "cpu"):
            cells = [f"{sum(getattr(row['bare'], unit) for row in rows):.1f}"]
            for name in (*KINDS[1:], "built"):
                having = [row for row in rows if name in row]
                total = sum(getattr(row[name], unit) for row in having)
                bare = sum(getattr(row["bare"], unit) for row in having)
                cells.append(f"{total:.1f} ({total / bare:.2f})" if having else "")
            name = "clock" if unit == "wall" else "processor"
            yield f"| {title} | {name} | {len(rows)} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--repos", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--new-only", action="store_true", help="leave the old environments out")
    given = parser.parse_args()
    machine = options.settings(sandbox="bwrap", cache=None, index_url=None)
    clock = Clock()

    def opened(*, witness: bool) -> tuple[Benchmark, LocalRunner]:
        bench = open_bench(given.dataset, machine, only=given.only, repositories=given.repos, witness=witness)
        assert isinstance(bench.task_runner, LocalRunner)
        return bench, bench.task_runner.over(lambda inner: CountingSandbox(inner, clock))

    bench, bare = opened(witness=False)
    _, watched = opened(witness=True)
    measurement = Measurement(bare, watched, clock, given.rounds)
    build = ThrowawayTrees.build

    def set_apart(self: ThrowawayTrees, *arguments: object) -> object:
        with clock.set_apart():
            return build(self, *arguments)  # type: ignore[arg-type]

    groups: dict[str, list[dict[str, Cost]]] = defaultdict(list)
    with (
        patch.object(ThrowawayTrees, "build", set_apart),
        tempfile.TemporaryDirectory(prefix="backdate-benchmark-") as name,
    ):
        top = Path(name)
        top.chmod(0o755)
        for task in bench.tasks:
            place = top / task.instance_id
            sides: list[tuple[EnvironmentName, Path]] = [("target", place / "reference")]
            bare.make_tree(task, place / "reference", "reference")
            if not given.new_only:
                bare.make_tree(task, place / "tree")
                sides.append(("origin", place / "tree"))
            for environment, tree in sides:
                version, costs = measurement.of_side(task, environment, tree, place / "logs")
                if not costs:
                    print(f"{task.instance_id}: no {environment} environment", flush=True)
                    continue
                if environment == "target":
                    costs |= measurement.of_scores(task, place)
                shown = ", ".join(f"{one} {cost.wall:.2f}/{cost.cpu:.2f}" for one, cost in costs.items())
                print(f"{task.instance_id}: {environment}, {version}: {shown}", flush=True)
                old = tuple(map(int, version.split(".")[:2])) < (3, 12)
                groups[OLD if old else NEW].append(costs)
    print("", *_table(groups), sep="\n")


if __name__ == "__main__":
    main()
