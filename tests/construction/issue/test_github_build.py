"""From a list of repositories and a GitHub on this machine to issue tasks, by the command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from changed_project import ChangedProject, make_changed_project
from github_data import FakeRepository
from github_server import TOKEN, FakeTime, GitHubServer, Reply, github_server
from small_world import running_index

from backdate.changes.github.settings import TOKEN_VARIABLES
from backdate.errors import SandboxUnavailable
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.tasks.dataset import Dataset
from backdate.tasks.judging import is_verified
from backdate.tasks.task import IssueFacts


@dataclass(frozen=True)
class GitHubBuild:
    """What a build by the command needs."""

    folder: Path
    index: str
    server: GitHubServer
    environment: dict[str, str]

    def run(self, name: str, *more: str) -> subprocess.CompletedProcess[str]:
        words = ("issues", "build", str(self.folder / "list.txt"), "-o", str(self.folder / name))
        words += ("--source", "github", "--github-url", self.server.url, "--repos", str(self.folder))
        words += ("--index-url", self.index, "--cache", str(self.folder / "cache"), "--jobs", "2")
        return subprocess.run(
            [sys.executable, "-m", "backdate", *words, "--repeats", "2", "--attempts", "2", *more],
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
            env=self.environment,
        )


def tell(project: ChangedProject, github: FakeRepository) -> None:
    """Let GitHub know of every merge of the project."""
    merges = project.git("log", "--merges", "--format=%H %P %cI %s")
    for merge, base, head, merged, subject in (line.split(" ", 4) for line in merges.splitlines()):
        number = int(subject.split("#")[1].split()[0])
        github.pull(
            number,
            merged.replace("+00:00", "Z"),
            createdAt=project.git("log", "-1", "--format=%cI", head).replace("+00:00", "Z"),
            baseRefOid=base,
            headRefOid=head,
            mergeCommit={"__typename": "Commit", "id": f"C_{number}", "oid": merge, "message": ""},
        )


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitHubBuild]:
    try:
        Bubblewrap().require()
    except SandboxUnavailable as error:
        pytest.skip(f"no sandbox: {error}")
    folder = tmp_path_factory.mktemp("github-issues")
    project = make_changed_project(folder / "octo+shapes")
    (folder / "list.txt").write_text("https://code.example/octo/shapes\n")
    others = {name: value for name, value in os.environ.items() if name not in TOKEN_VARIABLES}
    with github_server(FakeTime()) as server, running_index() as index:
        repository = server.repository("octo/shapes")
        tell(project, repository)
        closer = {"__typename": "PullRequest", "number": 6, "repository": {"nameWithOwner": "octo/shapes"}}
        comments = [
            {"body": "A cube has three sides of one length.", "createdAt": "2024-03-01T00:00:00Z"},
            {"body": "Done, see cube().", "createdAt": "2024-06-01T00:00:00Z"},
        ]
        repository.issue(
            5,
            "2024-06-01T00:00:00Z",
            [closer],
            title="How large is a cube?",
            body="There is area(), but nothing for bodies: cube(2) should be 8.",
            comment_list=comments,
        )
        yield GitHubBuild(
            folder=folder, index=index, server=server, environment={**others, "GH_TOKEN": TOKEN}
        )


@pytest.mark.slow
def test_a_build_reads_github_and_makes_issue_tasks(prepared: GitHubBuild) -> None:
    server = prepared.server
    server.faults.append(lambda asked, _: Reply.of_json({"message": "slow down"}, 429, retry_after="4"))
    built = prepared.run("set", "--kind", "issue,pull")
    assert built.returncode == 0, built.stderr
    assert "for GitHub's rate limit" in built.stderr
    assert "tasks that were measured: 2 of 2" in built.stdout
    dataset = Dataset.open(prepared.folder / "set")
    tasks = {task.instance_id: task for task in dataset.tasks}
    assert sorted(tasks) == ["octo__shapes-1", "octo__shapes-6"]
    assert all(is_verified(task) for task in tasks.values())
    facts = tasks["octo__shapes-6"].facts
    assert isinstance(facts, IssueFacts)
    assert (facts.origin, facts.title) == ("issue", "How large is a cube?")
    assert "nothing for bodies" in facts.text
    assert facts.hints == "A cube has three sides of one length."
    other = tasks["octo__shapes-1"].facts
    assert isinstance(other, IssueFacts)
    assert (other.origin, other.title) == ("pull", "Change 1")

    everywhere = [built.stdout.encode(), built.stderr.encode()]
    everywhere += [path.read_bytes() for path in prepared.folder.rglob("*") if path.is_file()]
    assert len(everywhere) > 100
    assert not [data for data in everywhere if TOKEN.encode() in data]

    server.asked.clear()
    assert prepared.run("set", "--kind", "issue,pull", "--resume").returncode == 0
    assert server.asked == []


@pytest.mark.slow
def test_a_build_without_a_token_ends_before_it_begins(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("https://code.example/octo/shapes\n")
    done = subprocess.run(
        [sys.executable, "-m", "backdate", "issues", "build", "list.txt", "-o", "none", "--source", "github"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={name: value for name, value in os.environ.items() if name not in TOKEN_VARIABLES},
    )
    assert done.returncode == 3
    assert "GITHUB_TOKEN" in done.stderr
    assert not (tmp_path / "none.build").exists()


@pytest.mark.slow
def test_a_build_that_a_limit_stops_says_until_when_and_goes_on_later(prepared: GitHubBuild) -> None:
    prepared.server.always = lambda *_: Reply.of_json({}, 429, retry_after="86400")
    stopped = prepared.run("later")
    prepared.server.always = None
    assert stopped.returncode == 4, stopped.stderr
    assert "GitHub limits requests until" in stopped.stderr
    assert "--resume" in stopped.stderr
