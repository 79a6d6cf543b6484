"""The right answer, reversed or given twice: GNU patch on its own turns it round."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_runner import FILES, GOLD, FakeScriptRunner, make_task
from small_runner import write_files

from backdate.editing.apply import apply_patch
from backdate.editing.patch import as_git_patch
from backdate.evaluation.answers import Submission
from backdate.evaluation.load import Benchmark
from backdate.evaluation.score_run import Answers, score_run
from backdate.evaluation.scores import ScoreOutcome

REVERSED = GOLD.replace("\n-  ", "\n@  ").replace("\n+  ", "\n-  ").replace("\n@  ", "\n+  ")


def test_the_attack_works_on_gnu_patch_alone(tmp_path: Path) -> None:
    tree = write_files(tmp_path / "tree", FILES)
    apply_patch(REVERSED, tree)
    assert "math.pi" in (tree / "pkg/shapes.py").read_text()


@pytest.mark.parametrize("patch", [REVERSED, as_git_patch(GOLD) * 2], ids=["reversed", "twice"])
def test_it_does_not_apply(tmp_path: Path, patch: str) -> None:
    task = make_task()
    run = score_run(
        Benchmark(name="small", tasks=(task,), task_runner=FakeScriptRunner()),
        Answers(model="m", by_task={task.instance_id: Submission(patch=patch)}, source="preds.jsonl"),
        tmp_path / "run",
        flags="none",
        unverified=True,
    )
    assert run.scores[0].outcome is ScoreOutcome.NOT_APPLIED
