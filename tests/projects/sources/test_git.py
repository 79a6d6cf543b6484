from __future__ import annotations

from pathlib import Path

import pytest

from backdate.errors import SourceError
from backdate.projects.sources import git as room
from backdate.projects.sources.git import (
    Objects,
    describe_version,
    find_git_dir,
    hash_blob,
    resolve_commit,
    run_git,
)


def test_objects_are_read_and_missing_ones_are_none(repository: Path, git) -> None:
    blob = git("rev-parse", "HEAD:demo.py", cwd=repository)
    with Objects(repository / ".git") as objects:
        assert objects.read(blob) == b"x = 1\n"
        assert objects.read("0" * 40) is None
        assert objects.read(blob) == b"x = 1\n"
        with pytest.raises(SourceError, match="at most 5 are read"):
            objects.read(blob, limit=5)
    assert hash_blob(6, [b"x = 1\n"], like=blob) == blob


def test_only_a_commit_is_a_revision(repository: Path) -> None:
    git_dir = repository / ".git"
    for revision in ("nothing", "HEAD:demo.py", "HEAD^{tree}"):
        with pytest.raises(SourceError, match="has no revision"):
            resolve_commit(git_dir, revision, shown="demo")
    full = resolve_commit(git_dir, "HEAD", shown="demo")
    assert resolve_commit(git_dir, full[:8], shown="demo") == full
    assert resolve_commit(git_dir, "v1.2.0", shown="demo") == full


@pytest.mark.parametrize(
    ("tag", "commits", "version"),
    [
        ("v1.2.0", 0, "1.2.0"),
        ("release-2.0", 0, "2.0"),
        ("v1_3", 0, "1.3"),
        ("v1.2.0", 2, "1.2.1.dev2"),
        ("v2.0rc1", 1, "2.0rc1.dev1"),
        ("build-77-final-x", 0, None),
    ],
)
def test_versions_from_tags(repository: Path, git, tag: str, commits: int, version: str | None) -> None:
    git("tag", "-d", "v1.2.0", cwd=repository)
    git("tag", tag, cwd=repository)
    for _ in range(commits):
        git("commit", "-q", "--allow-empty", "-m", "x", cwd=repository)
    found = describe_version(repository / ".git", "HEAD")
    assert (found.partition("+")[0] if found else None) == version


def test_no_tag_no_version(repository: Path, git) -> None:
    git("tag", "-d", "v1.2.0", cwd=repository)
    assert describe_version(repository / ".git", "HEAD") is None


def test_no_git_folder_is_none(tmp_path: Path) -> None:
    assert find_git_dir(tmp_path) is None


def test_gits_message_is_in_the_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"git rev-parse failed: .*not a git repository"):
        run_git("rev-parse", "HEAD", cwd=tmp_path)


def test_a_command_that_takes_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "git_command", lambda *_, **__: ["sleep", "30"])
    with pytest.raises(SourceError, match="did not end within"):
        run_git("status", timeout_s=0.2)


def test_git_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "git_command", lambda *_, **__: ["no-such-program"])
    with pytest.raises(SourceError, match="not installed"):
        run_git("status")


def test_nothing_of_the_callers_git_variables_goes_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", "x")
    environment = room.git_environment(protocols="none")
    assert "GIT_DIR" not in environment
    assert "GIT_EXTERNAL_DIFF" not in environment
    assert environment["GIT_ALLOW_PROTOCOL"] == "none"
