"""What is said when there is no sandbox."""

from __future__ import annotations

import pytest

from backdate.errors import SandboxUnavailable
from backdate.sandboxes import bubblewrap
from backdate.sandboxes.diagnosis import why_unavailable
from backdate.sandboxes.interface import Command, Workspace


@pytest.fixture
def program(tmp_path):
    def make(version: str) -> str:
        path = tmp_path / "bwrap"
        path.write_text(f"#!/bin/sh\necho bubblewrap {version}\necho bwrap: no permissions >&2\nexit 1\n")
        path.chmod(0o755)
        return str(path)

    return make


def test_missing(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("apt-get", "dnf", "pacman"):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o755)
        assert f"{name} " in (why_unavailable(None, "") or "")
        (tmp_path / name).unlink()
    with pytest.raises(SandboxUnavailable, match=r"install bubblewrap.*--sandbox unsafe-local"):
        bubblewrap.Bubblewrap().run(Command(argv=("true",), cwd="/"), Workspace(), log=tmp_path / "log")
    (line,) = bubblewrap.Bubblewrap().probe()
    assert not line.ok
    assert "unsafe-local" in line.remedy


def test_too_old(program):
    assert "0.6 at" in (why_unavailable(program("0.6.1"), "") or "")
    assert why_unavailable(program("0.11.0"), "") is None


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("kernel/unprivileged_userns_clone", "0"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1"),
        ("user/max_user_namespaces", "0"),
    ],
)
def test_forbidden_by_a_setting(program, tmp_path, setting, value):
    (tmp_path / setting).parent.mkdir()
    (tmp_path / setting).write_text(value + "\n")
    text = why_unavailable(
        program("0.8.0"), "noise\nbwrap: setting up uid map: Permission denied\n", sysctl=tmp_path
    )
    assert text is not None
    assert setting.replace("/", ".") in text
    assert "setting up uid map" in text


def test_otherwise(program, tmp_path):
    text = why_unavailable(program("0.8.0"), "something else", sysctl=tmp_path)
    assert text is not None
    assert "something else" in text


def test_a_bubblewrap_that_fails_is_never_replaced_by_anything(program, tmp_path, monkeypatch):
    program("0.8.0")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    ran = tmp_path / "ran"
    with pytest.raises(SandboxUnavailable, match="no permissions"):
        bubblewrap.Bubblewrap().run(
            Command(argv=("touch", str(ran)), cwd="/"), Workspace(), log=tmp_path / "log"
        )
    assert not ran.exists()
