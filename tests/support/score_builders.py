"""Records, scores and scored runs, with what a test does not care about filled in."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from backdate.evaluation.scores import Score, ScoredRun, ScoreInfo, ScoreOutcome, TaskFacts
from backdate.solvers.records import RunRecord, RunSettings, StopReason
from backdate.testing.integrity import integrity_of

NOW = datetime(2024, 1, 1, tzinfo=UTC)


def make_record(instance: str, **more: Any) -> RunRecord:
    fields: dict[str, Any] = {
        "settings": RunSettings(solver="model:m"),
        "ending": StopReason.SUBMITTED,
        "started": NOW,
        "duration_s": 1.0,
        "backdate": "0",
        **more,
    }
    return RunRecord(instance_id=instance, **fields)


def make_score(instance: str, outcome: ScoreOutcome = ScoreOutcome.SOLVED, **more: Any) -> Score:
    return Score(instance_id=instance, outcome=outcome, **{"integrity": integrity_of(()), **more})


def make_run(*scores: Score, facts: dict[str, dict[str, Any]] | None = None, **more: Any) -> ScoredRun:
    """A scored run; ``facts`` by instance id, as fields of TaskFacts."""
    fields: dict[str, Any] = {
        "model": "m",
        "dataset": "d",
        "dataset_digest": "0",
        "source": "run",
        "scored": NOW,
        "backdate": "0",
        **more,
    }
    tasks = tuple(
        TaskFacts(
            **{
                "instance_id": one.instance_id,
                "name": one.instance_id,
                "difficulty": None,
                **(facts or {}).get(one.instance_id, {}),
            }
        )
        for one in scores
    )
    return ScoredRun(folder=Path("run"), info=ScoreInfo(tasks=tasks, **fields), scores=scores)
