"""An adaptive answer: it has recorded the public tests, and tells changed ones from them. It gets through."""

from __future__ import annotations

from pathlib import Path

from forgeries import recorded
from judged_project import Attacked

from backdate.evaluation.scores import ScoreOutcome
from backdate.tasks.judge_runs.deciding import JudgeSettings, JudgeVerdict


def test_an_attack_that_knows_the_tests_stays_open(attacked: Attacked, tmp_path: Path) -> None:
    module = recorded(attacked.runner, attacked.project.files["tests/test_shapes.py"])
    alone = attacked.scored(module, tmp_path / "without", None)
    assert alone.solved, f"the attack does not work: {alone.reason}"
    score = attacked.scored(module, tmp_path / "with", JudgeSettings())
    assert score.judge is not None
    assert score.judge.verdict is JudgeVerdict.PROVEN, "the docs say that this is not seen"
    assert score.outcome is ScoreOutcome.SOLVED
