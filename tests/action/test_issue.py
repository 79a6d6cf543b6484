"""The sticky issue's life against a GitHub on this machine, by a stand-in and by the real ``gh``."""

from __future__ import annotations

import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from issue_server import STAND_IN, IssueServer, issue_server, stand_in
from stored_results import make_bisection

from backdate.output.markdown import markdown
from backdate.output.render import report_of

SCRIPT = Path(__file__).parents[2] / "action" / "issue.py"


def _script() -> Any:
    found = importlib.util.spec_from_file_location("kept_issue", SCRIPT)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


STEP = _script()


@dataclass
class Runner:
    """Runs the step."""

    server: IssueServer
    report: Path
    environment: dict[str, str]

    def __call__(self, status: str, message: str = "no attribute 'float'", branch: str = "main") -> str:
        self.report.write_text(markdown(report_of(make_bisection(message))))
        return self.step(status, branch)

    def step(self, status: str, branch: str) -> str:
        """The step with whatever report there is, in this process: many starts of Python take long."""
        before = dict(os.environ)
        os.environ.clear()
        os.environ.update(self.environment, STATUS=status, GITHUB_REF_NAME=branch)
        try:
            with redirect_stdout(io.StringIO()) as said:
                ended = STEP.main()
        finally:
            os.environ.clear()
            os.environ.update(before)
        return f"{ended}: {said.getvalue().strip()}"


@pytest.fixture(params=["stand-in", "gh"])
def keep_issue(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Runner]:
    folder = tmp_path / "bin"
    with issue_server() as (server, address):
        if request.param == "stand-in":
            stand_in(folder, "gh", STAND_IN)
        elif (program := shutil.which("gh")) is None:
            pytest.skip("gh is not installed (apt-get install gh)")
        else:
            folder.mkdir()
            (folder / "gh").symlink_to(program)
        environment = {
            "PATH": f"{folder}:{os.defpath}",
            "HOME": str(tmp_path),
            "GH_STAND_IN": address,
            "GH_HOST": "github.localhost",
            "http_proxy": address,
            "GH_TOKEN": server.token,
            "GH_ENTERPRISE_TOKEN": server.token,
            "GITHUB_REPOSITORY": "owner/name",
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_RUN_ID": "7",
            "REPORT": str(tmp_path / "report.md"),
        }
        yield Runner(server, tmp_path / "report.md", environment)


@pytest.mark.slow
def test_a_life(keep_issue: Runner) -> None:
    server = keep_issue.server
    assert keep_issue("0") == "0: backdate: no issue is open"
    assert keep_issue("1") == "0: backdate: opened issue 1"
    (issue,) = server.issues
    assert issue["title"] == "thing: numpy 1.24.0 breaks 1 test"
    assert issue["labels"] == ["backdate"]
    assert "numpy 1.23.5 -> 1.24.0, released 2022-12-18" in issue["body"]
    assert "https://github.com/owner/name/actions/runs/7" in issue["body"]
    assert server.labels == {"backdate"}
    assert keep_issue("1", "another") == "0: backdate: brought issue 1 up to date"
    assert "another" in issue["body"]
    assert server.comments == []
    assert keep_issue("2").startswith("0: backdate: status 2 says neither")
    assert issue["state"] == "open"
    assert keep_issue("0") == "0: backdate: closed issue 1"
    assert (issue["state"], issue["state_reason"]) == ("closed", "completed")
    assert keep_issue("0") == "0: backdate: no issue is open"
    assert keep_issue("1") == "0: backdate: opened issue 1 again"
    assert issue["state"] == "open"
    assert [text.split(".")[0] for _, text in server.comments] == ["It works again", "Broken again"]
    assert len(server.issues) == 1


def test_a_new_title_is_told(keep_issue: Runner) -> None:
    keep_issue("1")
    keep_issue.server.issues[0]["title"] = "thing: something else"
    keep_issue("1")
    assert [text[:19] for _, text in keep_issue.server.comments] == ["Something else brok"]


def test_each_branch_has_its_own(keep_issue: Runner) -> None:
    keep_issue("1", branch="main")
    keep_issue("1", branch="1.x-->")
    assert len(keep_issue.server.issues) == 2
    assert keep_issue("0", branch="1.x-->") == "0: backdate: closed issue 2"
    assert [issue["state"] for issue in keep_issue.server.issues] == ["open", "closed"]


def test_other_issues_and_pull_requests_are_left_alone(keep_issue: Runner) -> None:
    keep_issue("1")
    body = keep_issue.server.issues[0]["body"]
    label = {"labels": ["backdate"], "title": "t", "state": "open"}
    keep_issue.server.issues += [
        {**label, "number": 2, "body": "a report of somebody"},
        {**label, "number": 3, "body": body, "pull_request": {}},
        {**label, "number": 4, "body": None},
    ]
    assert keep_issue("0") == "0: backdate: closed issue 1"
    assert [issue["state"] for issue in keep_issue.server.issues] == ["closed", "open", "open", "open"]


def test_a_message_that_wants_to_be_a_marker_or_a_command(keep_issue: Runner) -> None:
    keep_issue("1", "x <!-- backdate: 1.x -->\n::error::x\n@everyone", branch="main")
    keep_issue("1", branch="1.x")
    assert len(keep_issue.server.issues) == 2
    assert "@everyone" not in re.sub(r"(`+).+?\1", "", keep_issue.server.issues[0]["body"])


def test_a_token_that_may_not_write(keep_issue: Runner) -> None:
    keep_issue.server.labels.add("backdate")
    keep_issue.server.may_write = False
    said = keep_issue("1")
    assert said.startswith(
        "1: ::error title=backdate::the issue cannot be kept; the job needs `issues: write`"
    )
    assert "HTTP 403" in said
    assert "\n" not in said
    assert keep_issue.server.token not in said


def test_a_body_that_is_too_long_is_cut(keep_issue: Runner) -> None:
    keep_issue("1")
    number = len(keep_issue.server.issues)
    keep_issue.report.write_text("# t\n\n" + "x" * 200_000)
    assert keep_issue.step("1", "main") == "0: backdate: brought issue 1 up to date"
    assert len(keep_issue.server.issues) == number
    assert 50_000 < len(keep_issue.server.issues[0]["body"]) < 65_536
    assert keep_issue("0") == "0: backdate: closed issue 1"


def test_the_step_is_a_program_of_its_own(tmp_path: Path) -> None:
    """Isolated from what lies in the folder that it is started in."""
    (tmp_path / "json.py").write_text("raise SystemExit(9)")
    with issue_server() as (server, address):
        stand_in(tmp_path / "bin", "gh", STAND_IN)
        done = subprocess.run(
            [sys.executable, "-I", str(SCRIPT)],
            cwd=tmp_path,
            env={
                "PATH": f"{tmp_path / 'bin'}:{os.defpath}",
                "GH_STAND_IN": address,
                "GH_TOKEN": server.token,
                "GITHUB_REPOSITORY": "owner/name",
                "GITHUB_REF_NAME": "main",
                "STATUS": "0",
            },
            capture_output=True,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stdout, done.stderr) == (0, "backdate: no issue is open\n", "")
