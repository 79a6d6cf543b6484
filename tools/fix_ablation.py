"""Each source of the rules solver alone, and left out: write docs/evidence/fixed-sources.md.

    python tools/fix_ablation.py DATASET --repos DIR --results DIR [--only …]

DATASET is a folder that ``backdate bench import`` wrote; runs are kept in ``--results``, so a second call
goes on where the first was. A note on what was run stands in tools/fix_ablation_read.toml.

What the solver does follows from what its sources propose and what the tests then say. With all sources that
proposed anything it does the same as with all there are (``RunRecord.proposed_by``); with sources of which
none has a proposal for what fails at first it edits nothing (``RunRecord.ready_at_first``, from ``eval
--survey``). All other tasks are run. ``--kept-only`` runs nothing: the page says what is left.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fixed_runs import EvaluationOrder, FixedTask, FixedTasks, folder_of, line, load, run_and_score, shown

from backdate.evaluation.scores import Score, ScoreOutcome
from backdate.solvers.records import StopReason
from backdate.solvers.rules.sources.choose import EVIDENCE, choose_sources, source_names

RULES = "rules"
PAGE = Path(__file__).parent.parent / "docs" / "evidence" / "fixed-sources.md"
READ = Path(__file__).parent / "fix_ablation_read.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """The solver with some of its sources."""

    solver: str
    sources: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmResult:
    """What came of an arm, of each task of the run with all sources that is known or was run."""

    arm: Arm
    run: FixedTasks
    same: int
    """Of these tasks, those whose result is that with all sources."""
    unedited: int
    """Those for whose first failures none of the sources has a proposal."""
    left: int
    """Tasks beside these, which would have to be run and were not."""


def arm_of(solver: str) -> Arm:
    """The arm that a solver's name means. Raises UsageError."""
    sources = choose_sources(solver.removeprefix(RULES).removeprefix(":"))
    return Arm(solver=solver, sources=frozenset(str(source.origin) for source in sources))


def arms() -> tuple[tuple[Arm, Arm], ...]:
    """Of each source, and of all but rules: it alone, and all others."""
    return tuple((arm_of(f"{RULES}:{name}"), arm_of(f"{RULES}:-{name}")) for name in row_names())


def row_names() -> tuple[str, ...]:
    """The sources, and what ``rules:evidence`` takes together."""
    return (*source_names(), EVIDENCE)


def known_result(task: FixedTask, sources: frozenset[str]) -> FixedTask | None:
    """What the solver does with fewer sources, as it follows from what it did with all; None: run it."""
    record = task.record
    if record.proposed_by is not None and sources.issuperset(record.proposed_by):
        return task
    if record.ready_at_first is not None and sources.isdisjoint(record.ready_at_first):
        return FixedTask(
            record=replace(
                record, ending=StopReason.GAVE_UP, patch="", reasons=(), runs=record.runs[:1], proposed_by=()
            ),
            score=Score(
                instance_id=record.instance_id,
                outcome=ScoreOutcome.EMPTY,
                reason="no source proposes anything",
                precision=0.0,
            ),
        )
    return None


def to_run(whole: FixedTasks, arm: Arm) -> list[str]:
    """The tasks whose result is not known, the quickest first."""
    unknown = [task for task in whole.tasks if known_result(task, arm.sources) is None]
    return [task.record.instance_id for task in sorted(unknown, key=lambda task: task.record.duration_s)]


def arm_result(whole: FixedTasks, arm: Arm, again: FixedTasks | None) -> ArmResult:
    """What is known of an arm, and what was run of it."""
    ran = {task.record.instance_id: task for task in again.tasks} if again is not None else {}
    known = [known_result(task, arm.sources) for task in whole.tasks]
    both = [fewer or ran.get(task.record.instance_id) for task, fewer in zip(whole.tasks, known, strict=True)]
    tasks = tuple(task for task in both if task is not None)
    same = sum(any(fewer is task for task in whole.tasks) for fewer in known if fewer is not None)
    return ArmResult(
        arm=arm,
        run=FixedTasks(solver=arm.solver, tasks=tasks),
        same=same,
        unedited=sum(fewer is not None for fewer in known) - same,
        left=len(whole.tasks) - len(tasks),
    )


def run_arm(order: EvaluationOrder, whole: FixedTasks, arm: Arm, *, kept_only: bool) -> ArmResult:
    """Run what of an arm is not known."""
    wanted = to_run(whole, arm)
    if wanted and not kept_only:
        run_and_score(order, arm.solver, wanted, "none")
    again = load(folder_of(order.results, arm.solver), arm.solver) if wanted else None
    return arm_result(whole, arm, again)


def main() -> int:
    """Run and score what is not in the results yet, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--repos", type=Path, required=True, help="where clones of the repositories are")
    parser.add_argument("--results", type=Path, required=True, help="a folder for the runs, kept")
    parser.add_argument("--only", nargs="*", default=[], help="ids of tasks")
    parser.add_argument("--jobs", type=int, default=1)
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
    if not options.kept_only:
        run_and_score(order, RULES, options.only, "static", survey=True)
    whole = load(folder_of(order.results, RULES), RULES)
    if whole is None:
        parser.error(f"no run of {RULES} was scored in {order.results}")
    results = [
        tuple(run_arm(order, whole, arm, kept_only=options.kept_only) for arm in pair) for pair in arms()
    ]
    note = tomllib.loads(READ.read_text(encoding="utf-8"))["note"]
    pairs = [(alone, without) for alone, without in results]
    options.page.write_text(page(whole, pairs, note=note), encoding="utf-8")
    return 0


def page(whole: FixedTasks, results: Sequence[tuple[ArmResult, ArmResult]], *, note: str = "") -> str:
    """The whole page. ``results``: of each source it alone and all others; ``note``: what was run."""
    return "\n".join(_page(whole, results, note)) + "\n"


def _page(whole: FixedTasks, results: Sequence[tuple[ArmResult, ArmResult]], note: str) -> Iterator[str]:
    yield "# Which source mends what"
    yield ""
    yield (
        "The sources of edits of `backdate fix` ([fix](../how-it-works/fix.md#sources-of-edits)), each alone "
        "and each left out, on tasks of [fixed-tasks.md](fixed-tasks.md). Made by `tools/fix_ablation.py`."
    )
    yield ""
    if note:
        yield " ".join(note.split())
        yield ""
    yield (
        "What the solver does follows from what its sources propose and what the tests say then. A task is "
        "not run again with fewer sources where all that proposed anything are among them, tried or not: "
        "its result is the *same*; nor where none of them has a proposal for what fails at first, each "
        "asked whatever the others propose: then it ends with *no edit*. All others are *run*; what is "
        "*left* was not."
    )
    yield ""
    yield (
        "| source | has a proposal at first in | hunks that stayed "
        "| alone: solved | run, same, no edit, left | without it: solved | run, same, no edit, left |"
    )
    yield "|---|--:|---|---|---|---|---|"
    for name, (alone, without) in zip(row_names(), results, strict=True):
        yield _row(whole, name, alone, without)
    yield ""
    yield (
        f"Solved is of the tasks that are known or were run, with pass@1 and its interval (95 %); with all "
        f"sources {len(whole.solved)} of {len(whole.tasks)} are. Hunks are those that stayed in solved "
        f"tasks after minimising. `{EVIDENCE}` is all sources but the two kinds of rules "
        "and other tools."
    )
    arms_of_all = [arm for pair in results for arm in pair]
    same, unedited = sum(arm.same for arm in arms_of_all), sum(arm.unedited for arm in arms_of_all)
    left, known = sum(arm.left for arm in arms_of_all), sum(len(arm.run.tasks) for arm in arms_of_all)
    yield ""
    yield (
        f"Of {known + left} results of {len(arms_of_all)} choices of sources {known - same - unedited} were "
        f"run, {same} are the same, {unedited} have no edit, and {left} are left."
    )
    yield from _tasks(whole, results)


def _row(whole: FixedTasks, name: str, alone: ArmResult, without: ArmResult) -> str:
    sources = alone.arm.sources
    ready = sum(not sources.isdisjoint(task.record.ready_at_first or ()) for task in whole.tasks)
    counts = [
        sum(count for origin, count in task.origins.items() if origin in sources)
        for task in whole.tasks
        if task.score.solved
    ]
    stayed = f"{sum(counts)} in {sum(map(bool, counts))}" if any(counts) else "none"
    return line(name, str(ready), stayed, *_cells(alone), *_cells(without))


def _cells(result: ArmResult) -> tuple[str, str]:
    run = result.run
    ran = len(run.tasks) - result.same - result.unedited
    solved = f"{len(run.solved)} of {len(run.tasks)}: {shown(run.interval())}"
    return solved, f"{ran}, {result.same}, {result.unedited}, {result.left}"


def _tasks(whole: FixedTasks, results: Sequence[tuple[ArmResult, ArmResult]]) -> Iterator[str]:
    yield ""
    yield "## Each task"
    yield ""
    yield (
        "| task | outcome | has a proposal at first | hunks that stayed "
        "| solved alone by | not solved without |"
    )
    yield "|---|---|---|---|---|---|"
    names = row_names()
    for task in sorted(whole.tasks, key=lambda task: (not task.score.solved, task.record.instance_id)):
        one = task.score.instance_id
        alone = [name for name, (each, _) in zip(names, results, strict=True) if one in each.run.solved]
        lost = [
            name
            for name, (_, each) in zip(names, results, strict=True)
            if task.score.solved and one in _known(each) - each.run.solved
        ]
        stayed = [f"{name} {count}" for name, count in task.origins.most_common()]
        cells = (task.record.ready_at_first or (), stayed, alone, lost)
        yield line(one, task.score.outcome.value, *(", ".join(cell) for cell in cells))


def _known(result: ArmResult) -> frozenset[str]:
    return frozenset(task.score.instance_id for task in result.run.tasks)


if __name__ == "__main__":
    sys.exit(main())
