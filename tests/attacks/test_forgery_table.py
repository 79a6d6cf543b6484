"""What ``benchmarks/forging_table.py`` puts together of judge runs is what judge runs say."""

from __future__ import annotations

from pathlib import Path

import pytest
from forgery_runs import HostileProject, record_changes, unwatched

from backdate.tasks.judge_runs.deciding import JudgeSettings, JudgeVerdict, judge_answer

FORGING = Path(__file__).parent / "forging"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("emptied_runtest", JudgeVerdict.FORGED),
        ("time_bomb", None),
        ("recorded_trees", JudgeVerdict.PROVEN),
    ],
)
@pytest.mark.parametrize("runner", ["pytest", "unittest"])
def test_it_agrees_with_real_judge_runs(tmp_path: Path, runner: str, name: str, expected) -> None:
    project = HostileProject(runner)
    task = project.verified(tmp_path / "verified")
    tree = project.tree_of(tmp_path / "tree", (FORGING / f"{name}.py").read_text(), {})
    with unwatched():
        off = project.run_tests(task, tree, "target", log_folder=tmp_path / "off")
        assert off.solved, "the attack is to succeed without a mechanism"
        recorded = record_changes(project, task, tree, tmp_path / "changed", tmp_path / "changes")
        (tmp_path / "scratch").mkdir()
        for tests in (1, 3):
            real = judge_answer(
                task,
                project,
                tree=tree,
                scratch=tmp_path / "scratch",
                logs=tmp_path / "judge",
                run=off.run,
                settings=JudgeSettings(tests=tests),
                seed=7,
            )
            assert recorded.verdict(tests=tests, seed=7) is real.verdict
            assert real.verdict is not JudgeVerdict.PROVEN if expected is None else expected is real.verdict


def test_every_attack_has_a_place_in_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
    import forging_table

    names = {attack.name for attack in forging_table.attacks()}
    planted = {path.name for path in (Path(__file__).parent / "planted_files").iterdir()}
    assert names == {path.stem for path in FORGING.glob("*.py")} | planted
