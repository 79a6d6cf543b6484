"""An answer returns an object that is equal to everything; the runner stays as it is."""

from __future__ import annotations

from pathlib import Path

from forgeries import EQUAL, forged
from judged_project import Attacked

from backdate.evaluation.scores import ScoreOutcome
from backdate.tasks.judge_runs.deciding import JudgeSettings, JudgeVerdict


def test_what_is_equal_to_everything_is_seen(attacked: Attacked, tmp_path: Path) -> None:
    module = forged(EQUAL)
    alone = attacked.scored(module, tmp_path / "without", None)
    assert alone.solved, f"the attack does not work: {alone.reason}"
    score = attacked.scored(module, tmp_path / "with", JudgeSettings())
    assert score.judge is not None
    assert score.judge.verdict is JudgeVerdict.FORGED
    assert score.outcome is ScoreOutcome.FORGED
    assert "passed though changed" in score.reason
