"""Ten tasks for a person to judge, and how far the person and the figures agree.

    python tools/judge_quality.py show DATASET [--tasks 10] [--seed 0] [--blind]   # to be read, task by task
    python tools/judge_quality.py agree DATASET judgements.toml            # the agreement

Of the tasks whose quality was measured with trials some are drawn by the seed. ``show`` prints the text, the
gold patch, the tests, the hunks and mutants that no test notices, the tests that are called too strict (with
--blind none of these, so that the figures do not sway who reads), and at the end a table of TOML to fill in::

    [[judgement]]
    task = "owner__name-12"
    weak = true      # a wrong solution that a person would reject passes its tests
    strict = false   # a right solution fails its tests, because of a name or a value that nobody states
    why = "…"

The figures call a task weak when a hunk or a half can be left out or most of its mutants are not noticed, and
strict when a fail-to-pass test is, or its names or values are implicit.
"""

from __future__ import annotations

import argparse
import random
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from backdate.cli.render_quality import task_quality_lines
from backdate.cli.terminal import printable
from backdate.tasks.dataset import Dataset
from backdate.tasks.quality.record import QualityFlag, TaskQuality, TrialOutcome
from backdate.tasks.task import IssueFacts, Task

QUESTIONS: Mapping[str, tuple[QualityFlag, ...]] = {
    "weak": (QualityFlag.WEAK_HUNK, QualityFlag.WEAK_HALF, QualityFlag.WEAK_MUTANT),
    "strict": (QualityFlag.STRICT, QualityFlag.IMPLICIT_NAMING, QualityFlag.IMPLICIT_VALUE),
}
"""What a person answers, and the flags that answer it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Answers of both to one question."""

    question: str
    both: int
    neither: int
    figures_alone: tuple[str, ...]
    person_alone: tuple[str, ...]

    @property
    def tasks(self) -> int:
        """How many were judged."""
        return self.both + self.neither + len(self.figures_alone) + len(self.person_alone)

    @property
    def share(self) -> float | None:
        """Of the tasks about which both say the same."""
        return (self.both + self.neither) / self.tasks if self.tasks else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa: the agreement beyond chance; None where chance alone would agree."""
        if not self.tasks:
            return None
        figures, person = self.both + len(self.figures_alone), self.both + len(self.person_alone)
        total = self.tasks
        chance = (figures * person + (total - figures) * (total - person)) / total**2
        return None if chance == 1 else ((self.both + self.neither) / total - chance) / (1 - chance)


def quality_of_task(task: Task) -> TaskQuality | None:
    """What is known of ``task``, with trials; None where it has none."""
    quality = task.facts.quality if isinstance(task.facts, IssueFacts) else None
    return quality if quality is not None and quality.weakness and not quality.weakness.problem else None


def drawn(tasks: Sequence[Task], most: int, seed: int) -> list[Task]:
    """``most`` of the tasks with trials, by ``seed``: in the order of their names, so that runs agree."""
    known = sorted((task for task in tasks if quality_of_task(task)), key=lambda task: task.instance_id)
    return random.Random(seed).sample(known, min(most, len(known)))


def agreements(tasks: Iterable[Task], judgements: Sequence[Mapping[str, object]]) -> list[Agreement]:
    """The agreement about each question. Raises ValueError for a judgement that fits no task."""
    known = {task.instance_id: quality for task in tasks if (quality := quality_of_task(task))}
    found: list[Agreement] = []
    for question, flags in QUESTIONS.items():
        cells: dict[tuple[bool, bool], list[str]] = {}
        for judgement in judgements:
            name, answer = judgement.get("task"), judgement.get(question)
            if not isinstance(name, str) or name not in known:
                raise ValueError(f"{name!r} is no task with trials")
            if answer not in (True, False):
                raise ValueError(f"{name} has no answer (true, false) for {question!r}")
            flagged = any(known[name].finding(flag) for flag in flags)
            cells.setdefault((flagged, bool(answer)), []).append(name)
        found.append(
            Agreement(
                question=question,
                both=len(cells.get((True, True), ())),
                neither=len(cells.get((False, False), ())),
                figures_alone=tuple(cells.get((True, False), ())),
                person_alone=tuple(cells.get((False, True), ())),
            )
        )
    return found


def sheet_lines(task: Task, *, blind: bool = False) -> Iterator[str]:
    """What a person reads of one task."""
    facts, quality = task.facts, quality_of_task(task)
    assert isinstance(facts, IssueFacts)
    assert quality is not None
    assert quality.weakness is not None
    yield f"## {task.instance_id} ({facts.origin})"
    yield from ("", facts.title, "", *facts.text.splitlines(), "", "### Gold patch", "")
    yield from task.patches.reference.splitlines()
    yield from ("", "### Tests", "")
    yield from task.patches.test.splitlines()
    if blind:
        yield ""
        return
    yield from ("", "### Figures", "")
    yield from task_quality_lines(quality)
    for trial in quality.weakness.mutants:
        if trial.outcome is TrialOutcome.MISSED:
            yield f"  not noticed: {trial.file}:{trial.line}: {trial.before} → {trial.after}"
    yield ""


def main(arguments: Sequence[str] | None = None) -> int:
    """The tool's exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    show, agree = commands.add_parser("show"), commands.add_parser("agree")
    for command in (show, agree):
        command.add_argument("dataset", type=Path)
    show.add_argument("--tasks", type=int, default=10)
    show.add_argument("--seed", type=int, default=0)
    show.add_argument("--blind", action="store_true")
    agree.add_argument("judgements", type=Path)
    options = parser.parse_args(arguments)
    dataset = Dataset.open(options.dataset)
    if options.command == "show":
        chosen = drawn(dataset.tasks, options.tasks, options.seed)
        lines = [line for task in chosen for line in sheet_lines(task, blind=options.blind)]
        for task in chosen:
            lines += ["[[judgement]]", f'task = "{task.instance_id}"', "weak = ", "strict = ", 'why = ""', ""]
        sys.stdout.writelines(f"{printable(line)}\n" for line in lines)
        return 0
    judgements = tomllib.loads(options.judgements.read_text())["judgement"]
    for found in agreements(dataset.tasks, judgements):
        kappa = "not defined" if found.kappa is None else f"{found.kappa:.2f}"
        share = "" if found.share is None else f"{found.share:.0%}"
        sys.stdout.write(
            f"{found.question}: {share} of {found.tasks} alike (kappa {kappa}); both say yes to {found.both}"
            f", no to {found.neither}; figures alone: {', '.join(found.figures_alone) or 'none'}; "
            f"person alone: {', '.join(found.person_alone) or 'none'}\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
