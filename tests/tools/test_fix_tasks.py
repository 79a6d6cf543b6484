from __future__ import annotations

import importlib
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest

from backdate.evaluation.scores import Score, ScoreOutcome
from backdate.solvers.reasons import HunkReason, ProposalOrigin
from backdate.solvers.records import RunRecord, RunSettings, StopReason, SuiteCall

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(TOOLS))
    for name in ("fix_tasks", "fixed_runs"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("fix_tasks")


def kept(tool: ModuleType) -> ModuleType:
    """What the tool's runs are read by, as the tool has it."""
    return sys.modules[tool.FixedTasks.__module__]


def record(name: str, *origins: ProposalOrigin, runs: int = 2, detail: str = "") -> RunRecord:
    return RunRecord(
        instance_id=name,
        settings=RunSettings(solver="rules"),
        ending=StopReason.SOLVED if not detail else StopReason.GAVE_UP,
        detail=detail,
        runs=tuple(SuiteCall(number=number, call=0, solved=False, reason="") for number in range(runs)),
        reasons=tuple(HunkReason(file="a.py", first_line=1, last_line=1, origin=one) for one in origins),
        side_runs=1,
        started=datetime(2026, 1, 1, tzinfo=UTC),
        duration_s=9.0,
        own_s=1.5,
        backdate="0",
    )


def task(tool: ModuleType, name: str, *, solved: bool = True):
    outcome = ScoreOutcome.SOLVED if solved else ScoreOutcome.EMPTY
    return kept(tool).FixedTask(
        record=record(name),
        score=Score(instance_id=name, outcome=outcome, precision=float(solved)),
    )


def test_the_page_gives_figures_sources_and_why_a_task_is_not_solved(tool: ModuleType) -> None:
    solved = kept(tool).FixedTask(
        record=record("a__b-1", ProposalOrigin.MESSAGE, ProposalOrigin.MESSAGE),
        score=Score(instance_id="a__b-1", outcome=ScoreOutcome.SOLVED, precision=0.5),
    )
    failed = kept(tool).FixedTask(
        record=record("c__d-1", runs=4, detail="nothing is left to propose"),
        score=Score(instance_id="c__d-1", outcome=ScoreOutcome.TESTS_FAILED, precision=0.0, reason="1 | 2"),
    )
    run = tool.FixedTasks(solver="rules", tasks=(failed, solved))
    page = tool.page([run], {})
    assert "| `rules` | 2 | 1 | 50.0 (0 to 100) | 25.0 (0 to 50) | 1.5 | 3 | 1 |" in page
    assert "- `rules`: message 2 in 1" in page
    assert page.index("a__b-1") < page.index("c__d-1")
    assert "nothing is left to propose" in page
    assert "a private name" in tool.page([run], {"c__d-1": "a private name"})


def test_what_one_of_two_solvers_solves_alone_is_told_of_tasks_of_both(tool: ModuleType) -> None:
    whole = tool.FixedTasks(solver="rules", tasks=(task(tool, "a__b-1"), task(tool, "c__d-1")))
    other = tool.page([whole, tool.FixedTasks(solver="rules:warning", tasks=(task(tool, "c__d-1"),))], {})
    assert "Solved by" not in other
    both = (task(tool, "c__d-1"), task(tool, "a__b-1", solved=False))
    fewer = tool.FixedTasks(solver="rules:warning", tasks=both)
    assert "Solved by `rules` and not by `rules:warning`: a__b-1." in tool.page([whole, fewer], {})


def test_nothing_scored_is_no_row(tool: ModuleType, tmp_path: Path) -> None:
    assert tool.load(tmp_path, "rules") is None
    assert "| solver |" in tool.page([], {})


def test_each_solver_has_a_folder(tool: ModuleType, tmp_path: Path) -> None:
    names = {tool.folder_of(tmp_path, solver) for solver in ("rules", "rules:-mined-rule", "rules:message")}
    assert len(names) == 3
