"""The sheet for a person's judgement, and the agreement with the figures."""

from __future__ import annotations

import importlib.util
import sys
import tomllib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest
from issue_project import BASE, issue_task

from backdate.tasks.card import DatasetInfo
from backdate.tasks.dataset import Dataset
from backdate.tasks.quality.measure import with_quality
from backdate.tasks.quality.record import (
    MutantTrial,
    QualityEvidence,
    QualityFlag,
    TaskQuality,
    TrialOutcome,
    Weakness,
    finding_of,
)
from backdate.tasks.task import Task

ROOT = Path(__file__).parents[2]
MUTANT = MutantTrial(
    file="shop/prices.py",
    line=2,
    kind="return",
    before="return 1",
    after="return None",
    outcome=TrialOutcome.MISSED,
)


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    specification = importlib.util.spec_from_file_location(
        "judge_quality", ROOT / "tools" / "judge_quality.py"
    )
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["judge_quality"] = module
    specification.loader.exec_module(module)
    return module


def judged(name: str, *flags: QualityFlag) -> Task:
    task = issue_task({"shop/prices.py": BASE["shop/prices.py"].replace("sum", "max")}, {})
    findings = tuple(each for flag in flags for each in finding_of(flag, [QualityEvidence(words="because")]))
    quality = TaskQuality(backdate="1", flags=findings, weakness=Weakness(mutants=(MUTANT,)))
    return replace(with_quality(task, quality), instance_id=name)


TASKS = (
    judged("a", QualityFlag.WEAK_HUNK),
    judged("b", QualityFlag.IMPLICIT_VALUE),
    judged("c"),
    judged("d", QualityFlag.WEAK_MUTANT, QualityFlag.STRICT),
)


def answers(**more: tuple[bool, bool]) -> list[dict[str, object]]:
    return [{"task": name, "weak": weak, "strict": strict} for name, (weak, strict) in more.items()]


def test_agreement(tool: ModuleType) -> None:
    found = tool.agreements(
        TASKS, answers(a=(True, False), b=(True, True), c=(False, False), d=(False, True))
    )
    weak, strict = found
    assert (weak.both, weak.neither, weak.figures_alone, weak.person_alone) == (1, 1, ("d",), ("b",))
    assert (weak.share, weak.kappa) == (0.5, 0.0)
    assert (strict.share, strict.kappa) == (1.0, 1.0)


def test_what_cannot_be_compared(tool: ModuleType) -> None:
    with pytest.raises(ValueError, match="'z' is no task with trials"):
        tool.agreements(TASKS, answers(z=(True, True)))
    with pytest.raises(ValueError, match="a has no answer"):
        tool.agreements(TASKS, [{"task": "a", "weak": "perhaps", "strict": True}])
    (weak, _) = tool.agreements(TASKS, answers(c=(False, False)))
    assert (weak.share, weak.kappa) == (1.0, None)


def test_the_sheet_and_its_table(
    tool: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    untried = replace(TASKS[0], instance_id="untried", facts=issue_task({}, {}).facts)
    info = DatasetInfo(name="shops", created=datetime(2026, 1, 1, tzinfo=UTC), made_by="a test")
    Dataset.create(tmp_path / "set", [*TASKS, untried], info)
    assert tool.main(["show", str(tmp_path / "set"), "--tasks", "3", "--seed", "4"]) == 0
    sheet = capsys.readouterr().out
    assert "untried" not in sheet
    assert sheet.count("not noticed: shop/prices.py:2: return 1 → return None") == 3
    assert tool.main(["show", str(tmp_path / "set"), "--tasks", "3", "--seed", "4", "--blind"]) == 0
    blind = capsys.readouterr().out
    assert "### Tests" in blind
    assert "### Figures" not in blind
    assert "not noticed" not in blind
    table = (
        sheet[sheet.index("[[judgement]]") :]
        .replace("weak = ", "weak = true")
        .replace("strict = ", "strict = false")
    )
    (tmp_path / "judgements.toml").write_text(table)
    assert len(tomllib.loads(table)["judgement"]) == 3
    assert tool.main(["agree", str(tmp_path / "set"), str(tmp_path / "judgements.toml")]) == 0
    assert capsys.readouterr().out.startswith("weak: ")
    drawn = [task.instance_id for task in tool.drawn(TASKS, 3, 4)]
    assert drawn == [task.instance_id for task in tool.drawn(TASKS[::-1], 3, 4)]
