from __future__ import annotations

import importlib
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest

from backdate.evaluation.scores import Score, ScoreOutcome
from backdate.solvers.reasons import HunkReason, ProposalOrigin
from backdate.solvers.records import RunRecord, RunSettings, StopReason
from backdate.solvers.rules.sources.choose import source_names

TOOLS = Path(__file__).parents[2] / "tools"
WRITTEN, MINED, MESSAGE = (
    ProposalOrigin.WRITTEN_RULE,
    ProposalOrigin.MINED_RULE,
    ProposalOrigin.MESSAGE,
)


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(TOOLS))
    for name in ("fix_ablation", "fixed_runs"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("fix_ablation")


def task(tool, name, *, proposed=None, ready=None, stayed=(), solved=True, patch="a patch", took=9.0):
    return tool.FixedTask(
        record=RunRecord(
            instance_id=name,
            settings=RunSettings(solver="rules"),
            ending=StopReason.SOLVED,
            patch=patch,
            reasons=tuple(HunkReason(file="a.py", first_line=1, last_line=1, origin=one) for one in stayed),
            proposed_by=proposed,
            ready_at_first=ready,
            started=datetime(2026, 1, 1, tzinfo=UTC),
            duration_s=took,
            backdate="0",
        ),
        score=Score(
            instance_id=name,
            outcome=ScoreOutcome.SOLVED if solved else ScoreOutcome.TESTS_FAILED,
            precision=1.0,
        ),
    )


def test_with_all_sources_that_proposed_anything_the_result_is_the_same(tool) -> None:
    whole = task(tool, "a__b-1", proposed=(WRITTEN, MINED), ready=(WRITTEN, MESSAGE))
    assert tool.known_result(whole, tool.arm_of("rules:-message").sources) is whole
    assert tool.known_result(whole, tool.arm_of("rules:-mined-rule").sources) is None
    assert tool.known_result(whole, tool.arm_of("rules:written-rule").sources) is None


def test_with_none_that_has_a_proposal_at_first_nothing_is_edited(tool) -> None:
    whole = task(tool, "a__b-1", proposed=(WRITTEN,), ready=(WRITTEN, MESSAGE))
    known = tool.known_result(whole, tool.arm_of("rules:mined-rule").sources)
    assert known is not None
    assert (known.score.outcome, known.score.solved, known.record.patch) == (ScoreOutcome.EMPTY, False, "")
    assert known.score.attempt().precision == 0.0
    assert tool.known_result(whole, tool.arm_of("rules:message").sources) is None


def test_what_was_not_recorded_says_nothing(tool) -> None:
    whole = task(tool, "a__b-1")
    assert all(tool.known_result(whole, arm.sources) is None for pair in tool.arms() for arm in pair)
    unsurveyed = task(tool, "a__b-1", proposed=(WRITTEN,))
    assert tool.known_result(unsurveyed, tool.arm_of("rules:mined-rule").sources) is None


def test_an_arm_counts_what_is_known_what_was_run_and_what_is_left(tool) -> None:
    whole = tool.FixedTasks(
        solver="rules",
        tasks=(
            task(tool, "same-1", proposed=(MESSAGE,), ready=(MESSAGE,)),
            task(tool, "unedited-1", proposed=(WRITTEN,), ready=(WRITTEN,)),
            task(tool, "slow-1", proposed=(WRITTEN, MESSAGE), ready=(WRITTEN, MESSAGE), took=60.0),
            task(tool, "quick-1", proposed=(WRITTEN,), ready=(WRITTEN, MESSAGE)),
        ),
    )
    arm = tool.arm_of("rules:message")
    assert tool.to_run(whole, arm) == ["quick-1", "slow-1"]
    again = tool.FixedTasks(solver="rules:message", tasks=(task(tool, "quick-1", solved=False),))
    result = tool.arm_result(whole, arm, again)
    assert (result.same, result.unedited, result.left) == (1, 1, 1)
    assert result.run.solved == {"same-1"}
    assert tool.arm_result(whole, arm, None).left == 2


def test_the_table_has_a_row_for_each_source(tool) -> None:
    whole = tool.FixedTasks(
        solver="rules",
        tasks=(task(tool, "a__b-1", proposed=(MESSAGE,), ready=(MESSAGE,), stayed=(MESSAGE, MESSAGE)),),
    )
    results = [tuple(tool.arm_result(whole, arm, None) for arm in pair) for pair in tool.arms()]
    text = tool.page(whole, results, note="What was run.")
    sources, tasks = text.split("## Each task")
    rows = [row for row in sources.splitlines() if row.startswith("| ")][1:]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == [*source_names(), "evidence"]
    message = next(row for row in rows if row.startswith("| message"))
    alone, without = "1 of 1: 100.0 (21 to 100) | 0, 1, 0, 0", "0 of 1: 0.0 (0 to 79) | 0, 0, 1, 0"
    assert message == f"| message | 1 | 2 in 1 | {alone} | {without} |"
    assert rows[-1] == message.replace("message", "evidence")
    assert "| written-rule | 0 | none | 0 of 1: 0.0 (0 to 79) | 0, 0, 1, 0 |" in rows[0]
    assert "What was run." in sources
    known = (
        "Of 30 results of 30 choices of sources 0 were run, 15 are the same, 15 have no edit, and 0 are left."
    )
    assert known in sources
    assert "| a__b-1 | solved | message | message 2 | message, evidence | message, evidence |" in tasks
