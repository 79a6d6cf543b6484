"""Whatever a server answers: each entry a change or a reason, or one error that is ours."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from github_data import FakeRepository
from github_reading import changes_of, passed, read
from github_server import Asked, GitHubServer, Reply
from hypothesis import given, settings
from hypothesis import strategies as st
from pulled_repository import PulledRepository

from backdate.changes.change import Change, NoChange
from backdate.changes.github.settings import GitHubPatience
from backdate.errors import BackdateError
from backdate.serial import from_json, to_json

EXAMPLES = 12
HOSTILE: list[Any] = [
    None,
    True,
    -1,
    0,
    10**30,
    1e308,
    "",
    "x",
    "\ud800 \x00 \x1b[31m",
    "x" * 200_000,
    "../../etc/passwd",
    "9999-99-99T99:99:99Z",
    "0001-01-01T00:00:00Z",
    [],
    [None],
    [[[[]]]],
    {},
    {"id": None},
    {"__typename": "Commit"},
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place of a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, one in inner for place in places(one, (*path, key)))]


def put(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    """``value`` with ``other`` at a place."""
    if not path:
        return other
    value[path[0]] = put(value[path[0]], path[1:], other)
    return value


def mutate(data: st.DataObject) -> Callable[[Asked, Callable[[], Reply]], Reply | None]:
    def fault(asked: Asked, proper: Callable[[], Reply]) -> Reply | None:
        reply = proper()
        if not reply.body or not data.draw(st.booleans()):
            return reply
        value = json.loads(reply.body)
        place = data.draw(st.sampled_from(places(value)))
        reply.body = json.dumps(put(value, place, data.draw(st.sampled_from(HOSTILE)))).encode()
        return reply

    return fault


@pytest.mark.slow
def test_any_value_anywhere_is_a_reason_or_an_error_of_ours(
    server: GitHubServer, repository: FakeRepository, clone: PulledRepository
) -> None:
    for number, pull in repository.pulls.items():
        closer = {"__typename": "PullRequest", "number": number, "repository": pull["repository"]}
        comments = [{"body": "seen", "createdAt": "2025-01-01T00:00:00Z"}] * 45
        repository.issue(10 + number, pull["mergedAt"], [closer], comment_list=comments)

    @settings(max_examples=EXAMPLES)
    @given(data=st.data())
    def ask(data: st.DataObject) -> None:
        server.asked.clear()
        server.always = mutate(data)
        with suppress(BackdateError):
            for entry in read(server, clone.git_dir):
                assert from_json(type(entry), to_json(entry)) == entry
        assert len(server.asked) < 200

    ask()


def test_texts_of_strangers_can_be_stored_and_shown(
    server: GitHubServer, repository: FakeRepository, clone: PulledRepository
) -> None:
    pull = repository.pulls[5]
    closer = {"__typename": "PullRequest", "number": 5, "repository": pull["repository"]}
    pull |= {"title": "one\r\ntwo\x1b[31m\u0000", "body": "first\r\n\tsecond\rthird\x07"}
    repository.issue(1, "2025-02-01T00:00:00Z", [closer], title="\u200b 日本語", body="no NUL")

    def surrogates(asked: Asked, proper: Callable[[], Reply]) -> Reply | None:
        reply = proper()
        reply.body = reply.body.replace(b"no NUL", b"\\ud800 and \\udfff, but \\ud83d\\ude00")
        return reply

    server.always = surrogates
    change = changes_of(read(server, clone.git_dir))[5]
    assert change.title == "one two[31m"
    assert change.body == "first\n\tsecond\nthird"
    assert change.issues[0].body == "\N{REPLACEMENT CHARACTER} and \N{REPLACEMENT CHARACTER}, but 😀"
    assert from_json(Change, to_json(change)) == change


def test_one_entry_that_is_wrong_is_passed_over_and_the_others_are_told(
    server: GitHubServer, repository: FakeRepository, clone: PulledRepository
) -> None:
    day = "2025-03-01T00:00:00Z"
    wrong: dict[str, Any] = {
        "number": -4,
        "mergedAt": "yesterday",
        "headRefOid": "HEAD",
        "baseRefOid": "--upload-pack=x",
        "id": "",
        "createdAt": 17,
    }
    for number, (key, value) in enumerate(wrong.items(), start=20):
        repository.pull(number, day, title=key)
        repository.pulls[number]["wrong"] = (key, value)
    repository.pull(30, day, body="x" * 200_000)
    repository.pull(31, day, body=["no", "text"], commit_count="many")

    def spoil(asked: Asked, proper: Callable[[], Reply]) -> Reply | None:
        reply = proper()
        answer = json.loads(reply.body)
        if asked.query == "MergedPulls":
            nodes = answer["data"]["repository"]["pullRequests"]["nodes"]
            for node in nodes:
                key, value = repository.pulls[node["number"]].get("wrong", (None, None))
                if key is not None:
                    node[key] = value
            nodes.append(None)
        return Reply.of_json(answer)

    server.always = spoil
    entries = read(server, clone.git_dir)
    assert list(changes_of(entries)) == [8, 5, 3]
    reasons = passed(entries)
    assert {name: reason for name, reason in reasons.items() if "#" in name} == {
        **{f"octo/widget#{number}": NoChange.UNREADABLE for number in (21, 22, 23, 24, 25, 31)},
        "octo/widget#30": NoChange.TOO_LARGE,
    }
    unnamed = [name for name in reasons if "#" not in name]
    assert len(unnamed) == 2, "the one with a number below 1, and the one that is not there"


@pytest.mark.parametrize("end", ["same", "new"])
def test_a_list_that_does_not_end_is_left(
    server: GitHubServer, repository: FakeRepository, empty: Path, end: str
) -> None:
    repository.pull(1, "2025-01-01T00:00:00Z")

    def endless(asked: Asked, proper: Callable[[], Reply]) -> Reply | None:
        if asked.query != "MergedPulls":
            return None
        again = Asked("POST", "", {}, "", {**asked.variables, "after": None}, asked.text)
        answer = json.loads(server._graphql(again).body)
        page = answer["data"]["repository"]["pullRequests"]["pageInfo"]
        page |= {"hasNextPage": True, "endCursor": "same" if end == "same" else str(len(server.asked))}
        return Reply.of_json(answer)

    server.always = endless
    with pytest.raises(BackdateError, match="does not end"):
        read(server, empty)
    assert len(server.asked) < 60


def test_a_thread_of_many_comments_is_read_to_a_limit(
    server: GitHubServer, repository: FakeRepository, clone: PulledRepository
) -> None:
    closer = {"__typename": "PullRequest", "number": 5, "repository": repository.pulls[5]["repository"]}
    comments = [{"body": f"{number}", "createdAt": "2025-01-01T00:00:00Z"} for number in range(3000)]
    long = [{"body": "y" * 60_000, "createdAt": "2025-01-01T00:00:00Z"} for _ in range(20)]
    repository.issue(1, "2025-02-01T00:00:00Z", [closer], comment_list=comments)
    repository.issue(2, "2025-02-01T00:00:00Z", [closer], comment_list=long)
    issues = changes_of(read(server, clone.git_dir))[5].issues
    assert [len(issue.comments) for issue in issues] == [1000, 4]
    assert len(server.asked) < 20


def test_an_answer_that_never_stops_is_left(
    server: GitHubServer, repository: FakeRepository, clone: PulledRepository
) -> None:
    server.always = lambda *_: Reply(200, b" " * 3_000_000, {"content-type": "application/json"})
    with pytest.raises(BackdateError, match="larger than"):
        read(server, clone.git_dir, patience=GitHubPatience(answer_bytes=1_000_000))


def test_reasons_are_told_of_entries_by_the_name_that_was_asked_for(
    server: GitHubServer, repository: FakeRepository, empty: Path
) -> None:
    repository.old_names.append("octo/gadget")
    repository.pull(1, "2025-01-01T00:00:00Z")
    repository.pull(2, "2025-01-01T00:00:00Z", mergedAt=None)
    entries = read(server, empty, name="octo/gadget")
    assert set(passed(entries)) == {"octo/gadget#1", "octo/gadget#2"}
