from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Runs git with a configuration of its own, and returns what it says."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (home / ".gitconfig").write_text(
        "[user]\nname = A\nemail = a@example.org\n[init]\ndefaultBranch = main\n"
        '[protocol "file"]\nallow = always\n'
    )

    def run(*arguments: str, cwd: Path, date: str = "2021-03-01T12:30:00+02:00") -> str:
        environment = {**os.environ, "GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date}
        done = subprocess.run(
            ["git", *arguments], cwd=cwd, env=environment, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    return run


@pytest.fixture
def repository(git: Git, tmp_path: Path) -> Path:
    """A repository with one commit, tagged v1.2.0."""
    path = tmp_path / "demo"
    path.mkdir()
    git("init", "-q", cwd=path)
    (path / "demo.py").write_text("x = 1\n")
    (path / "run.sh").write_text("#!/bin/sh\n")
    (path / "run.sh").chmod(0o755)
    (path / "pkg").mkdir()
    (path / "pkg" / "__init__.py").write_text("y = 1\n")
    (path / "link").symlink_to("demo.py")
    (path / ".gitignore").write_text("ignored.txt\n")
    git("add", "-A", cwd=path)
    git("commit", "-qm", "one", cwd=path)
    git("tag", "v1.2.0", cwd=path)
    return path


def contents(root: Path) -> dict[str, str]:
    """Every file and link below ``root`` with its text or target."""
    found = {}
    for path in sorted(root.rglob("*")):
        name = str(path.relative_to(root))
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_file():
            found[name] = path.read_text(errors="replace")
    return found


@pytest.fixture
def snapshot() -> Callable[[Path], dict[str, tuple[str, int]]]:
    """What a tree holds and when it was changed: to show that it was not written."""

    def take(root: Path) -> dict[str, tuple[str, int]]:
        return {
            str(path.relative_to(root)): (path.read_text(errors="replace"), path.stat().st_mtime_ns)
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }

    return take


@pytest.fixture
def files_of() -> Callable[[Path], dict[str, str]]:
    return contents
