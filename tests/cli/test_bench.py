"""``backdate bench``: what it says and how it ends. What it does is tested with the library."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from task_builders import repository, row

from backdate.cli.bench import app
from backdate.cli.main import status_of

COMMANDS = sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    commit = repository(tmp_path / "clones" / "owner" / "shouting")
    (tmp_path / "rows.jsonl").write_text(json.dumps(row(commit=commit)) + "\n")
    arguments = ["--with-sources", "--repos", str(tmp_path / "clones"), "--cache", str(tmp_path / "cache")]
    assert (
        status_of(["bench", "import", str(tmp_path / "rows.jsonl"), "-o", str(tmp_path / "set"), *arguments])
        == 0
    )
    return tmp_path / "set"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["bench", command, "--help"]) == 0
    assert "Example" in capsys.readouterr().out
    for parameter in typer.main.get_command(app).commands[command].params:  # type: ignore[attr-defined]
        assert parameter.name == "help" or parameter.help, f"{command} {parameter.name} has no help"


def test_show(dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert status_of(["bench", "show", str(dataset)]) == 0
    assert "1 tasks" in capsys.readouterr().out
    assert status_of(["bench", "show", str(dataset), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["tasks"] == 1
    name = next((dataset / "tasks").iterdir()).name
    assert status_of(["bench", "show", str(dataset), name]) == 0
    said = capsys.readouterr().out
    assert "gold patch:\n--- shouting.py" in said
    assert "proof       none yet" in said
    assert status_of(["bench", "show", str(dataset), name, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["instance_id"] == name
    assert status_of(["bench", "show", str(dataset), "nobody"]) == 3


def test_quality_of_what_is_not_proven(dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert status_of(["bench", "quality", str(dataset), "--read"]) == 0
    assert capsys.readouterr().out == "no verified issue task: 'backdate bench verify' proves them first\n"
    assert status_of(["bench", "report", str(dataset), "-o", str(dataset.parent / "report")]) == 3
    assert "has no issue tasks" in capsys.readouterr().err


def test_show_tells_the_funnel(dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stage = {"name": "tests", "title": "has tests", "entered": 1200, "left": 7}
    reasons = [{"reason": "no test file", "count": 7}]
    funnel = {"funnel": {"stages": [{**stage, "reasons": reasons}]}}
    (dataset / "funnel.json").write_text(json.dumps(funnel))
    assert status_of(["bench", "show", str(dataset)]) == 0
    said = capsys.readouterr().out
    assert "1,200         7" in said
    assert "7 no test file" in said
    (dataset / "funnel.json").write_text('{"funnel": 3}')
    assert status_of(["bench", "show", str(dataset)]) == 5


def test_export_and_import_again(dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "out.jsonl"
    cache = ["--cache", str(tmp_path / "cache")]
    assert status_of(["bench", "export", str(dataset), "-o", str(output), *cache]) == 0
    assert json.loads(output.read_text()) == json.loads((tmp_path / "rows.jsonl").read_text())
    assert status_of(["bench", "export", str(dataset), "-o", str(output), *cache]) == 3
    assert "there already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show", "/nowhere"], "is no data set"),
        (["verify", "/nowhere"], "is no data set"),
        (["import", "/nowhere", "-o", "x"], "cannot be read"),
        (["funnel", "/nowhere"], "neither a data set with the folder of its build beside it"),
        (
            ["funnel", "/nowhere", "--excluded", "all"],
            "neither a data set with the folder of its build beside it",
        ),
    ],
)
def test_misuse(
    arguments: list[str],
    words: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert status_of(["bench", *arguments]) == 3
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_row_that_is_no_task_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rows.jsonl").write_text(json.dumps(row(commit_hash="HEAD")) + "\n")
    assert status_of(["bench", "import", str(tmp_path / "rows.jsonl"), "-o", str(tmp_path / "set")]) == 3
    assert "rows.jsonl, line 1: commit_hash" in capsys.readouterr().err
    assert not (tmp_path / "set").exists()
