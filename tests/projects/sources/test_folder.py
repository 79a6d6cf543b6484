from __future__ import annotations

import os
import socket
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.errors import SourceError
from backdate.projects.sources.folder import copy_folder
from backdate.projects.sources.tree import TreeLimits

LIMITS = TreeLimits()


def test_a_clean_work_tree_is_its_commit(repository: Path, tmp_path: Path, git, files_of, snapshot) -> None:
    before = snapshot(repository)
    origin, python_files = copy_folder(repository, tmp_path / "out", limits=LIMITS)
    assert origin.revision == git("rev-parse", "HEAD", cwd=repository)
    assert not origin.modified
    assert origin.dated == datetime(2021, 3, 1, 10, 30, tzinfo=UTC)
    assert origin.version_hint == "1.2.0"
    assert python_files == 2
    assert files_of(tmp_path / "out")["link"] == "-> demo.py"
    assert os.access(tmp_path / "out/run.sh", os.X_OK)
    assert not os.access(tmp_path / "out/demo.py", os.X_OK)
    assert snapshot(repository) == before


@pytest.mark.parametrize(
    "change",
    [
        lambda r: (r / "demo.py").write_text("x = 2\n"),
        lambda r: (r / "demo.py").unlink(),
        lambda r: (r / "new.py").write_text(""),
        lambda r: (r / "demo.py").chmod(0o755),
        lambda r: ((r / "link").unlink(), (r / "link").symlink_to("run.sh")),
    ],
)
def test_uncommitted_changes_are_copied_and_said(repository: Path, tmp_path: Path, change, files_of) -> None:
    change(repository)
    origin, _ = copy_folder(repository, tmp_path / "out", limits=LIMITS)
    assert origin.modified
    copied = files_of(tmp_path / "out")
    assert copied == {
        name: text for name, text in files_of(repository).items() if not name.startswith(".git/")
    }


def test_ignored_files_and_virtual_environments_are_left_out(
    repository: Path, tmp_path: Path, files_of
) -> None:
    (repository / "ignored.txt").write_text("x")
    (repository / "env/lib").mkdir(parents=True)
    (repository / "env/pyvenv.cfg").touch()
    (repository / "env/lib/a.py").touch()
    (repository / "__pycache__").mkdir()
    (repository / "__pycache__/demo.pyc").touch()
    origin, _ = copy_folder(repository, tmp_path / "out", limits=LIMITS)
    assert not origin.modified
    assert set(files_of(tmp_path / "out")) == {".gitignore", "demo.py", "link", "pkg/__init__.py", "run.sh"}


def test_a_folder_inside_a_repository(repository: Path, tmp_path: Path, files_of) -> None:
    origin, _ = copy_folder(repository / "pkg", tmp_path / "out", limits=LIMITS)
    assert files_of(tmp_path / "out") == {"__init__.py": "y = 1\n"}
    assert not origin.modified
    assert origin.revision


def test_an_ignored_folder_inside_a_repository_is_a_plain_folder(
    repository: Path, tmp_path: Path, files_of
) -> None:
    (repository / ".gitignore").write_text("inner\n")
    (repository / "inner").mkdir()
    (repository / "inner/a.py").touch()
    origin, _ = copy_folder(repository / "inner", tmp_path / "out", limits=LIMITS)
    assert files_of(tmp_path / "out") == {"a.py": ""}
    assert origin.revision is None


def test_a_repository_without_a_commit(git, tmp_path: Path) -> None:
    folder = tmp_path / "fresh"
    folder.mkdir()
    git("init", "-q", cwd=folder)
    (folder / "a.py").touch()
    git("add", "a.py", cwd=folder)
    origin, python_files = copy_folder(folder, tmp_path / "out", limits=LIMITS)
    assert (origin.revision, origin.modified, python_files) == (None, True, 1)


def test_a_submodule_is_copied_as_files(repository: Path, git, tmp_path: Path, files_of) -> None:
    git("submodule", "--quiet", "add", str(repository), "sub", cwd=repository)
    git("commit", "-qm", "sub", cwd=repository)
    origin, _ = copy_folder(repository, tmp_path / "out", limits=LIMITS)
    assert "sub/demo.py" in files_of(tmp_path / "out")
    assert "sub/.git" not in files_of(tmp_path / "out")
    assert not origin.modified


def test_a_linked_work_tree(repository: Path, git, tmp_path: Path, files_of) -> None:
    git("worktree", "add", "-q", str(tmp_path / "linked"), cwd=repository)
    origin, _ = copy_folder(tmp_path / "linked", tmp_path / "out", limits=LIMITS)
    assert ".git" not in files_of(tmp_path / "out")
    assert not origin.modified


def test_hostile_settings_of_a_repository_run_nothing(repository: Path, git, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    script = tmp_path / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {canary}\ncat\n")
    script.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "core.alternateRefsCommand",
        "filter.evil.clean",
        "filter.evil.smudge",
        "diff.evil.command",
        "gpg.program",
    ):
        git("config", key, str(script), cwd=repository)
    git("config", "log.showSignature", "true", cwd=repository)
    git("config", "core.hooksPath", str(tmp_path), cwd=repository)
    (repository / ".gitattributes").write_text("* filter=evil diff=evil export-subst\n")
    (repository / "demo.py").write_text("x = 3\n")
    origin, _ = copy_folder(repository, tmp_path / "out", limits=LIMITS)
    assert origin.modified
    assert not canary.exists()


def test_a_plain_folder_without_caches(tmp_path: Path, files_of) -> None:
    folder = tmp_path / "plain"
    for name in (
        "a.py",
        "build/b.py",
        "__pycache__/c.py",
        ".tox/d.py",
        "v/bin/e.py",
        "v/pyvenv.cfg",
        ".hg/f.py",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    os.mkfifo(folder / "pipe")
    (folder / "out").symlink_to("/etc")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
    origin, python_files = copy_folder(folder, tmp_path / "copy", limits=LIMITS)
    assert set(files_of(tmp_path / "copy")) == {"a.py", "build/b.py", "out"}
    assert (tmp_path / "copy/out").readlink() == Path("/etc")
    assert python_files == 2
    assert [text.split()[0] for text in origin.missing] == ["pipe", "socket"]
    assert (origin.revision, origin.dated, origin.modified) == (None, None, False)


def test_limits_hold(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    for name in "abc":
        (folder / name).write_text("x" * 10)
    with pytest.raises(SourceError, match="more than 2 files"):
        copy_folder(folder, tmp_path / "one", limits=TreeLimits(files=2))
    with pytest.raises(SourceError, match="more than 29 bytes"):
        copy_folder(folder, tmp_path / "two", limits=TreeLimits(bytes=29))
