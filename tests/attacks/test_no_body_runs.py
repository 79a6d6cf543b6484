"""An answer makes the runner run no body of a test."""

from __future__ import annotations

from pathlib import Path

from forgeries import NO_BODY, forged
from judged_project import Attacked

from backdate.evaluation.scores import ScoreOutcome
from backdate.tasks.judge_runs.deciding import JudgeSettings, JudgeVerdict


def test_a_runner_without_bodies_is_seen(attacked: Attacked, tmp_path: Path) -> None:
    module = forged(NO_BODY[attacked.runner])
    alone = attacked.scored(module, tmp_path / "without", None)
    assert alone.solved, f"the attack does not work: {alone.reason}"
    watched = attacked.scored(module, tmp_path / "watched", None, watched=True)
    assert watched.outcome is ScoreOutcome.FORGED
    assert watched.reason.startswith("test run: canary-")
    score = attacked.scored(module, tmp_path / "with", JudgeSettings())
    assert score.judge is not None
    assert score.judge.verdict is JudgeVerdict.FORGED
    assert score.outcome is ScoreOutcome.FORGED
    assert "passed though changed" in score.reason
