"""``backdate eval`` from outside."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from backdate.cli.evaluate import default_folder
from backdate.cli.main import status_of


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--solver", "golden"], "there is no solver 'golden'"),
        (["--solver", "gold", "--history", "all"], "--history is one of"),
        (["--solver", "gold", "--dialect", "esperanto"], "there is no dialect"),
        (["--solver", "gold", "--tools", "all"], "--tools is one of"),
        (["--solver", "gold", "--calls", "0"], "calls"),
        (["--solver", "gold", "--temperature", "hot"], "--temperature is a number or none"),
        (["--solver", "gold", "--sample", "1.5"], "--sample is a number or none"),
        (["--solver", "gold", "--only", "nobody/nothing"], "no task 'nobody/nothing'"),
        (["--solver", "replay:nowhere"], "nothing to replay"),
        (["--solver", "model:x@http://127.0.0.1:9/v1", "--prices", "none.toml"], "price file"),
        (["--solver", "gold"], "holds no task"),
        (["--solver", "gold", "--agent-mount", "."], "--agent-… is for a command"),
        (["--solver", "command:x", "--agent-mount", "nowhere"], "--agent-mount nowhere is not a folder"),
        (["--solver", "command:x", "--agent-env", "BACKDATE_NO_SUCH"], "there is no such variable"),
    ],
)
def test_misuse_is_told(arguments, words, tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.jsonl").write_text("")
    code = status_of(["eval", "empty.jsonl", *arguments, "--cache", str(tmp_path / "cache")])
    told = capsys.readouterr()
    assert code == 3, told
    assert words in told.err
    assert not (tmp_path / "runs").exists() or not list((tmp_path / "runs").rglob("run.json"))


def test_no_data_set_is_told(tmp_path, capsys) -> None:
    assert status_of(["eval", str(tmp_path / "none"), "--solver", "gold", "-o", str(tmp_path / "r")]) == 3
    assert "no data set" in capsys.readouterr().err


def test_the_default_folder_is_the_same_each_time_and_safe() -> None:
    assert default_folder(Path("data/bench.jsonl"), "gold") == Path("runs/bench/gold")
    model = default_folder(Path("bench"), "model:a/b@http://h/v1")
    assert model == default_folder(Path("bench"), "model:a/b@http://h/v1")
    assert model.name.startswith("model-a-b-http-h-v1-")
    assert default_folder(Path("bench"), "command:x") != default_folder(Path("bench"), "command:x ")


@pytest.mark.shared
def test_gold_and_null_over_the_published_tasks(shared_data, tmp_path, capsys) -> None:
    rows = shared_data / "timemachine-bench" / "verified-dev.jsonl"
    for solver in ("gold", "null"):
        arguments = ["eval", str(rows), "--solver", solver, "-o", str(tmp_path / solver), "--jobs", "2"]
        assert status_of([*arguments, "--cache", os.fspath(tmp_path / "cache")]) == 0
        assert "50 tasks: 50 submitted" in capsys.readouterr().out
        lines = (tmp_path / solver / "predictions.jsonl").read_text().splitlines()
        patches = [json.loads(line)["model_patch"] for line in lines]
        assert len(patches) == 50
        assert all(patches) == (solver == "gold")
        assert any(patches) == (solver == "gold")
