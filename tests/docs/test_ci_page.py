"""The page "In your CI": what it shows is what the services and tools would read."""

from __future__ import annotations

import configparser
import re
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "ci.md").read_text(encoding="utf-8")
ACTION: dict[str, Any] = YAML(typ="safe").load(ROOT / "action.yml")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


GITHUB, GITLAB, PRE_COMMIT = (YAML(typ="safe").load(text) for text in blocks("yaml"))


def test_the_workflow_runs_weekly_and_calls_the_action_with_inputs_that_it_has() -> None:
    assert [len(entry["cron"].split()) for entry in GITHUB["on"]["schedule"]] == [5]
    assert "pull_request" not in GITHUB["on"]
    (job,) = GITHUB["jobs"].values()
    checkout, action, _ = job["steps"]
    assert checkout["with"] == {"fetch-depth": 0, "persist-credentials": False}
    assert action["uses"].startswith("backdate/backdate@")
    assert set(action["with"]) <= set(ACTION["inputs"])
    assert GITHUB["permissions"] == {"contents": "read", "issues": "write"}


def test_every_input_and_output_is_on_the_page() -> None:
    for name in (*ACTION["inputs"], "status", "folder"):
        assert f"`{name}`" in PAGE


def test_outputs_that_the_workflow_reads_exist() -> None:
    text = blocks("yaml")[0]
    read = set(re.findall(r"steps\.backdate\.outputs\.(\w+)", text))
    assert read
    assert read <= set(ACTION["outputs"])


def test_the_job_of_gitlab() -> None:
    job = GITLAB["backdate"]
    assert job["script"] == ["backdate check . --json backdate.json"]
    assert job["artifacts"]["reports"]["junit"] == "backdate.xml"
    kept = {path.removeprefix(".backdate-cache/") for path in job["cache"]["paths"]}
    save = next(step for step in ACTION["runs"]["steps"] if "cache/save" in step.get("uses", ""))
    assert kept == {line.rpartition("backdate-cache/")[2] for line in save["with"]["path"].splitlines()}


def test_the_recipes_of_other_tools() -> None:
    (hook,) = PRE_COMMIT["repos"][0]["hooks"]
    assert (hook["entry"], hook["pass_filenames"], hook["stages"]) == ("backdate check", False, ["manual"])
    (session,) = blocks("python")
    compile(session, "noxfile.py", "exec")
    (ini,) = blocks("ini")
    reader = configparser.ConfigParser(interpolation=None)
    reader.read_string(ini)
    assert reader["testenv:backdate"]["commands"] == "backdate check {posargs}"
