"""An answer holds the values that the public tests expect: no outcome tells it from a solution."""

from __future__ import annotations

from pathlib import Path

from forgeries import WRITTEN_DOWN, forged
from judged_project import Attacked

from backdate.evaluation.scores import ScoreOutcome
from backdate.tasks.judge_runs.deciding import JudgeSettings, JudgeVerdict


def test_answers_that_are_written_down_stay_open(attacked: Attacked, tmp_path: Path) -> None:
    module = forged(WRITTEN_DOWN)
    alone = attacked.scored(module, tmp_path / "without", None)
    assert alone.solved, f"the attack does not work: {alone.reason}"
    score = attacked.scored(module, tmp_path / "with", JudgeSettings())
    assert score.judge is not None
    assert score.judge.verdict is JudgeVerdict.PROVEN, "the docs say that this is not seen"
    assert score.outcome is ScoreOutcome.SOLVED
