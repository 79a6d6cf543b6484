"""The answers that are scored: one a task, from a file of predictions or from a run's folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from backdate.errors import UsageError
from backdate.evaluation.predictions import Predictions
from backdate.evaluation.scores import Flag, FlagKind, Score
from backdate.solvers.records import RunRecord, StopReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What was handed in for one task."""

    patch: str | None = None
    """None: nothing, not even an empty patch."""
    different: int = 1
    """How many different patches there are for the task."""
    problem: str = ""
    """Why there is no patch, where that is known."""
    record: RunRecord | None = None
    """What the run says of itself: believed for calls and costs alone."""

    def with_record(self, score: Score) -> Score:
        """``score`` with what only the run can tell."""
        record = self.record
        if record is None:
            return score
        at = record.solved_at
        flags = score.flags
        if at is not None and not score.solved:
            claim = "a test run of the attempt said that the task is solved, and scoring's own does not"
            flags = (*flags, Flag(kind=FlagKind.CLAIM, detail=claim))
        return replace(
            score,
            calls=at.call if at is not None else record.calls,
            tests=at.number if at is not None else record.tests,
            calls_made=record.calls,
            sequence=record.sequence,
            usage=record.usage if record.usage.requests or record.usage.lost else None,
            ending=f"{record.ending}: {record.detail}" if record.detail else record.ending.value,
            trajectory=record.trajectory,
            flags=flags,
        )


def answers_of_predictions(predictions: Predictions, model: str | None) -> tuple[str, dict[str, Submission]]:
    """The model's name and its answers by instance id; the same patch twice is one.

    Raises UsageError when the file holds answers of several models and ``model`` names none of them.
    """
    models = predictions.models
    if model is None and len(models) > 1:
        shown = ", ".join(repr(name) for name in models[:10])
        raise UsageError(
            f"the file holds predictions of {len(models)} models ({shown}); name one with --model"
        )
    if model is not None and model not in models:
        shown = ", ".join(repr(name) for name in models[:10]) or "none"
        raise UsageError(f"the file has no predictions of {model!r}; its models: {shown}")
    name = model if model is not None else (models[0] if models else "")
    patches: dict[str, list[str | None]] = {}
    for prediction in predictions.found:
        if prediction.model == name:
            patches.setdefault(prediction.instance_id, []).append(prediction.patch)
    return name or "unnamed", {instance: _one_of(found) for instance, found in patches.items()}


def _one_of(patches_found: Iterable[str | None]) -> Submission:
    patches = tuple(dict.fromkeys(patch for patch in patches_found if patch is not None))
    if not patches:
        return Submission(problem="the prediction's model_patch is no text")
    return Submission(patch=patches[0], different=len(patches))


def answer_of(record: RunRecord) -> Submission:
    """The answer to one task of a run of ``backdate eval``."""
    if record.ending in (StopReason.ERROR, StopReason.MODEL) and not record.patch:
        return Submission(problem=f"the attempt ended in {record.ending}: {record.detail}", record=record)
    return Submission(patch=record.patch, record=record)


def unknown_tasks(answers: Mapping[str, Submission], known: Iterable[str]) -> tuple[str, ...]:
    """Ids of answers for tasks that the data set does not have."""
    return tuple(sorted(answers.keys() - set(known)))
