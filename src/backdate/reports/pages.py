"""What a report shows of one task: each answer beside the gold patch, flags, and the trajectory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from backdate.errors import StoredDataError
from backdate.evaluation.scores import Score, ScoredRun, TaskFacts
from backdate.reports.text import percent, shortened
from backdate.solvers.atif import Step, read_trajectory

_LONGEST_PATCH = 60_000
_LONGEST_MESSAGE = 2_000
_MOST_STEPS = 250
_LARGEST_TRAJECTORY = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """One line of a patch."""

    kind: str
    """"add", "del", "hunk", "file" or "same"."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StepShown:
    """One step of a trajectory, shortened."""

    number: int
    who: str
    message: str
    call: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerShown:
    """One model's answer to a task."""

    model: str
    score: Score
    patch: tuple[DiffLine, ...]
    precision: str
    steps: tuple[StepShown, ...]
    steps_note: str = ""
    """Why there are no steps, or not all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPage:
    """A task and every answer to it."""

    facts: TaskFacts
    gold: tuple[DiffLine, ...]
    answers: tuple[AnswerShown, ...]

    @property
    def solved(self) -> int:
        """How many of the answers solve it."""
        return sum(answer.score.solved for answer in self.answers)


def pages_of(runs: Sequence[ScoredRun]) -> tuple[TaskPage, ...]:
    """A page for each task of the runs, in the order of the first run that has it."""
    facts: dict[str, TaskFacts] = {}
    answers: dict[str, list[AnswerShown]] = {}
    gold: dict[str, str] = {}
    for run in runs:
        for task in run.info.tasks:
            facts.setdefault(task.instance_id, task)
        name = f"{run.info.model}, sample {run.info.sample}" if run.info.sample else run.info.model
        for score in run.scores:
            answers.setdefault(score.instance_id, []).append(_answer(run, score, name))
            gold[score.instance_id] = gold.get(score.instance_id) or score.gold
    return tuple(
        TaskPage(
            facts=task, gold=diff_lines(gold.get(instance, "")), answers=tuple(answers.get(instance, ()))
        )
        for instance, task in facts.items()
    )


def diff_lines(patch: str) -> tuple[DiffLine, ...]:
    """The lines of a patch, each with what it is."""
    return tuple(
        DiffLine(kind=_kind(line), text=line) for line in shortened(patch, _LONGEST_PATCH).splitlines()
    )


def _kind(line: str) -> str:
    if line.startswith(("--- ", "+++ ", "diff --git ")):
        return "file"
    if line.startswith("@@ "):
        return "hunk"
    return {"+": "add", "-": "del"}.get(line[:1], "same")


def _answer(run: ScoredRun, score: Score, name: str) -> AnswerShown:
    steps, note = _steps(run.folder, score.trajectory)
    return AnswerShown(
        model=name,
        score=score,
        patch=diff_lines(score.patch),
        precision=percent(score.precision),
        steps=steps,
        steps_note=note,
    )


def _steps(folder: Path, name: str) -> tuple[tuple[StepShown, ...], str]:
    if not name:
        return (), ""
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
        return (), f"the trajectory {name} is not in the run's folder"
    if path.stat().st_size > _LARGEST_TRAJECTORY:
        return (), f"the trajectory {name} is too large to be shown"
    try:
        steps = read_trajectory(path.read_bytes(), what=name).steps
    except StoredDataError as error:
        return (), str(error)
    left = len(steps) - _MOST_STEPS
    note = f"{left} further steps are left out; they are in {name}" if left > 0 else ""
    return tuple(_step(one) for one in steps[:_MOST_STEPS]), note


def _step(step: Step) -> StepShown:
    calls = [
        f"{call.function_name}({json.dumps(call.arguments, ensure_ascii=False)})"
        for call in step.tool_calls or ()
    ]
    results = [call.content or "" for call in step.observation.results] if step.observation else []
    message = step.message if isinstance(step.message, str) else json.dumps(step.message, ensure_ascii=False)
    return StepShown(
        number=step.step_id,
        who=step.source,
        message=shortened(message, _LONGEST_MESSAGE),
        call=shortened("\n".join(calls), _LONGEST_MESSAGE),
        answer=shortened("\n".join(results), _LONGEST_MESSAGE),
    )
