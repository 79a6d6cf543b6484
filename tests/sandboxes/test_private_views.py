"""Views of a folder in which a command changes nothing of it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from ordinary_user import require_another_user, run_tests_as_user

from backdate.errors import SandboxUnavailable
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.interface import Command, Mount, Workspace


@pytest.fixture
def sandbox() -> Bubblewrap:
    made = Bubblewrap()
    try:
        made.require()
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    return made


def can_lay_over(folder: Path) -> bool:
    """Whether this system has overlays in ``folder``, for this user."""
    for name in ("lower", "upper", "work", "view"):
        (folder / name).mkdir(parents=True)
    options = ",".join(f"{kind}dir={folder / kind}" for kind in ("lower", "upper", "work"))
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    more = "" if os.geteuid() == 0 else ",userxattr"
    mount = ["mount", "-i", "-t", "overlay", "overlay", "-o", options + more, str(folder / "view")]
    return subprocess.run(["unshare", "-m", *user, *mount], capture_output=True, check=False).returncode == 0


def test_what_is_there_is_seen_and_not_changed(sandbox: Bubblewrap, tmp_path: Path) -> None:
    source, changes = tmp_path / "source", tmp_path / "changes"
    source.mkdir()
    changes.mkdir()
    for name in ("kept", "changed", "removed"):
        (source / name).write_text(name, encoding="utf-8")
    mount = Mount(source=source, target="/seen", writable=True, changes=changes, own=True)

    def run(line: str) -> str:
        command = Command(argv=("/bin/sh", "-c", line), cwd="/tmp")
        sandbox.run(command, Workspace(mounts=(mount,)), log=tmp_path / "log")
        return (tmp_path / "log").read_text(encoding="utf-8")

    first = run(
        "cd /seen; cat *; echo new > new; echo x > changed; rm -f removed; grep CapEff /proc/self/status"
    )
    second = run("cd /seen; ls")
    assert "CapEff:\t0000000000000000" in first
    assert {path.name: path.read_text(encoding="utf-8") for path in source.iterdir()} == {
        name: name for name in ("kept", "changed", "removed")
    }
    laid_over = can_lay_over(tmp_path / "probe")
    assert first.startswith("changedkeptremoved") == laid_over
    told = "backdate: the private view begins empty" in first
    assert told is not laid_over
    assert second.split()[-3 if laid_over else -2 :] == ["changed", *(["kept"] if laid_over else []), "new"]
    (line,) = (line for line in sandbox.probe() if line.name == "private views")
    assert line.ok or not line.needed


def test_a_view_that_begins_empty_is_said_so(sandbox: Bubblewrap, tmp_path: Path) -> None:
    changes = tmp_path / "changes"
    changes.mkdir()
    # No overlay can be laid over the kernel's own files.
    mount = Mount(source=Path("/proc/sys"), target="/seen", writable=True, changes=changes)
    command = Command(argv=("/bin/sh", "-c", "ls /seen"), cwd="/tmp")
    sandbox.run(command, Workspace(mounts=(mount,)), log=tmp_path / "log")
    text = (tmp_path / "log").read_text(encoding="utf-8")
    assert text.startswith("backdate: the private view begins empty")
    assert "kernel" not in text.splitlines()


@pytest.mark.slow
def test_nor_where_an_ordinary_user_runs_it() -> None:
    require_another_user()
    file = "tests/sandboxes/test_private_views.py"
    done = run_tests_as_user(f"{file}::test_what_is_there_is_seen_and_not_changed")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "1 passed" in done.stdout
