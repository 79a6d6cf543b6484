"""A crawl that is stopped goes on where it was; what is kept, and what is asked again."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import pytest
from github_data import FakeRepository
from github_reading import changes_of, opened, passed, read
from github_server import TOKEN, Asked, GitHubServer, Reply, when
from patience import PATIENCE_S
from pulled_repository import PulledRepository

from backdate.changes.interface import ChangeRange, ReadRepository
from backdate.errors import GitHubUnavailable


def many(repository: FakeRepository, count: int) -> None:
    """Pull requests, each with an issue that it closed."""
    for number in range(1, count + 1):
        moment = f"2025-01-01T{number // 60:02}:{number % 60:02}:00Z"
        pull = repository.pull(number, moment)
        closer = {"__typename": "PullRequest", "number": number, "repository": pull["repository"]}
        repository.issue(10_000 + number, moment, [closer])


def what_was_asked(server: GitHubServer) -> list[tuple[str, str]]:
    return [(asked.query or asked.path, str(sorted(asked.variables.items()))) for asked in server.asked]


CRAWL = """
import sys
from pathlib import Path
from backdate.changes.github.open import GitHubOptions, open_github_source
from backdate.changes.interface import ChangeRange, ReadRepository
url, pages, git_dir = sys.argv[1:]
with open_github_source(GitHubOptions(url=url, pages=Path(pages))) as source:
    for entry in source.changes(ReadRepository(name="octo/widget", git_dir=Path(git_dir)), ChangeRange()):
        print(entry.name, flush=True)
"""


def crawl(server: GitHubServer, pages: Path, git_dir: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CRAWL, server.url, str(pages), str(git_dir)],
        env={"GITHUB_TOKEN": TOKEN, "PATH": "/usr/bin:/bin"},
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("stopped_at", [2, 6])
def test_a_crawl_that_is_killed_goes_on_where_it_was_and_asks_nothing_twice(
    server: GitHubServer, repository: FakeRepository, empty: Path, tmp_path: Path, stopped_at: int
) -> None:
    many(repository, 120)
    reached, killed = threading.Event(), threading.Event()

    def hold(asked: Asked, proper: Callable[[], Reply]) -> Reply | None:
        if len(server.asked) == stopped_at and not killed.is_set():
            reached.set()
            killed.wait(PATIENCE_S)
        return None

    server.always = hold
    with crawl(server, tmp_path / "pages", empty) as process:
        assert reached.wait(PATIENCE_S)
        process.send_signal(signal.SIGKILL)
        process.wait()
    killed.set()
    answered = what_was_asked(server)[: stopped_at - 1]
    server.asked.clear()

    with crawl(server, tmp_path / "pages", empty) as process:
        assert process.stdout is not None
        names = process.stdout.read().split()
    assert process.returncode == 0
    assert names == [f"octo/widget#{number}" for number in range(120, 0, -1)]
    asked = Counter(answered) + Counter(what_was_asked(server))

    server.asked.clear()
    assert len(passed(read(server, empty, pages=tmp_path / "pages"))) == 120
    assert server.asked == []
    read(server, empty)
    assert asked == Counter(what_was_asked(server)), "nothing was asked that one crawl does not ask"


@pytest.mark.slow
def test_a_crawl_that_a_limit_stopped_goes_on_later(
    server: GitHubServer, repository: FakeRepository, clone: PulledRepository, tmp_path: Path
) -> None:
    many(repository, 220)
    server.hourly = 4
    server.always = lambda *_: Reply.of_json({}, 429, retry_after="86400") if server.used == 4 else None
    with pytest.raises(GitHubUnavailable):
        read(server, clone.git_dir, pages=tmp_path)
    server.hourly, server.always = 5000, None
    asked = Counter(what_was_asked(server)[:-1])
    server.asked.clear()
    entries = read(server, clone.git_dir, pages=tmp_path)
    asked += Counter(what_was_asked(server))
    server.asked.clear()
    assert read(server, clone.git_dir) == entries
    assert asked == Counter(what_was_asked(server))


def test_another_range_asks_only_for_what_is_new_to_it(
    server: GitHubServer, repository: FakeRepository, empty: Path, tmp_path: Path
) -> None:
    many(repository, 120)
    with opened(server, pages=tmp_path) as source:
        where = ReadRepository(name="octo/widget", git_dir=empty)
        assert len(list(islice(source.changes(where, ChangeRange(most=50)), 30))) == 30
    server.asked.clear()
    assert len(passed(read(server, empty, pages=tmp_path))) == 120
    ids = [one for asked in server.asked for one in asked.variables.get("ids", ())]
    assert len(ids) == len(set(ids)) == 120 - 50


def test_another_crawl_reads_lists_anew_and_only_texts_that_changed(
    server: GitHubServer, repository: FakeRepository, clone: PulledRepository, tmp_path: Path
) -> None:
    closer = {"__typename": "PullRequest", "number": 5, "repository": repository.pulls[5]["repository"]}
    comments = [{"body": f"{number}", "createdAt": "2025-01-01T00:00:00Z"} for number in range(150)]
    repository.issue(1, "2025-02-01T00:00:00Z", [closer], comment_list=comments)
    before = read(server, clone.git_dir, pages=tmp_path)
    repository.pulls[8] |= {"title": "Renamed", "updatedAt": "2025-07-01T00:00:00Z"}
    server.asked.clear()
    assert read(server, clone.git_dir, pages=tmp_path) == before
    assert server.asked == []

    changes = changes_of(read(server, clone.git_dir, pages=tmp_path, crawl="second"))
    assert changes[8].title == "Renamed"
    assert len(changes[5].issues[0].comments) == 150
    assert [asked.variables["ids"] for asked in server.asked if asked.query.endswith("Texts")] == [["PR_8"]]
    conditional = [asked for asked in server.asked if "if-none-match" in asked.headers]
    assert len(conditional) == 2, "two pages of comments, unchanged (304)"

    server.asked.clear()
    read(server, clone.git_dir, pages=tmp_path, crawl="second")
    assert server.asked == []

    comments[149]["body"] = "edited"
    changes = changes_of(read(server, clone.git_dir, pages=tmp_path, crawl="third"))
    assert changes[5].issues[0].comments[149] == "edited"


def test_an_answer_with_failed_parts_is_not_kept(
    server: GitHubServer, repository: FakeRepository, empty: Path, tmp_path: Path
) -> None:
    many(repository, 3)

    def partial(reply: Reply) -> Reply:
        reply.body = reply.body.replace(b'"number": 2,', b'"number": "two",')
        reply.body = reply.body[:-1] + b', "errors": [{"message": "Something went wrong", "path": ["x"]}]}'
        return reply

    server.faults.append(when("MergedPulls", partial))
    assert "octo/widget#2" not in passed(read(server, empty, pages=tmp_path))
    assert "octo/widget#2" in passed(read(server, empty, pages=tmp_path))


def test_a_kept_answer_that_was_damaged_is_asked_for_again(
    server: GitHubServer, repository: FakeRepository, empty: Path, tmp_path: Path
) -> None:
    many(repository, 30)
    whole = read(server, empty, pages=tmp_path)
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and path.parent != tmp_path / "empty"]
    pages = [path for path in kept if len(path.name) == 64]
    for number, path in enumerate(pages):
        data = path.read_bytes()
        damaged = [b"", data[: len(data) // 2], data.replace(b"2025", b"2024"), b"{}\n" + data]
        path.write_bytes(damaged[number % len(damaged)])
    assert read(server, empty, pages=tmp_path) == whole


def test_pages_of_one_server_say_nothing_of_another(
    server: GitHubServer, repository: FakeRepository, clone: PulledRepository, tmp_path: Path
) -> None:
    read(server, clone.git_dir, pages=tmp_path)
    server.asked.clear()
    server.url = server.url.replace("127.0.0.1", "localhost")
    read(server, clone.git_dir, pages=tmp_path)
    assert server.asked
