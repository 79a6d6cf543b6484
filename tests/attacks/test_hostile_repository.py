"""A repository that somebody hands over runs programs wherever git looks at it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from backdate.errors import SourceError
from backdate.projects.sources.folder import copy_folder
from backdate.projects.sources.specification import parse_source
from backdate.projects.sources.tree import TreeLimits


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "demo.py").write_text("x = 1\n")
    for words in (
        ("init", "-q"),
        ("add", "-A"),
        ("-c", "user.name=n", "-c", "user.email=e@x", "commit", "-qm", "first"),
    ):
        subprocess.run(["git", "-C", str(folder), *words], check=True, stdin=subprocess.DEVNULL)
    return folder


def test_no_program_of_its_settings_runs(repository: Path, tmp_path: Path) -> None:
    program = tmp_path / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    program.chmod(0o755)
    names = (
        *("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.gitProxy"),
        *("core.askPass", "diff.external", "filter.x.clean", "filter.x.smudge", "filter.x.process"),
        *("diff.x.textconv", "diff.x.command", "merge.x.driver", "credential.helper", "gpg.program"),
        *("uploadpack.packObjectsHook", "alias.status", "alias.ls-files", "pager.status", "core.hooksPath"),
    )
    for name in names:
        subprocess.run(["git", "-C", str(repository), "config", name, str(program)], check=True)
    hooks = repository / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "post-index-change", "pre-auto-gc", "reference-transaction"):
        (hooks / name).write_text(program.read_text())
        (hooks / name).chmod(0o755)
    (repository / ".gitattributes").write_text("* filter=x diff=x merge=x\n")
    (repository / "demo.py").write_text("x = 2\n")
    copy_folder(repository, tmp_path / "out", limits=TreeLimits())
    assert (tmp_path / "out" / "demo.py").read_text() == "x = 2\n"
    assert not (tmp_path / "ran").exists()


def test_no_link_of_it_is_read(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("of the host")
    (repository / "file").symlink_to(tmp_path / "secret")
    (repository / "folder").symlink_to(tmp_path)
    (repository / "device").symlink_to("/dev/zero")
    copy_folder(repository, tmp_path / "out", limits=TreeLimits())
    held = [
        path.read_text() for path in (tmp_path / "out").rglob("*") if path.is_file() and not path.is_symlink()
    ]
    assert "of the host" not in "".join(held)


@pytest.mark.parametrize(
    "address",
    [
        "ext::sh -c touch% planted",
        "fd::17",
        "--upload-pack=touch planted",
        "ssh://-oProxyCommand=touch planted/x",
        "ssh://-oProxyCommand=touch%20planted@host/x",
        "git@-oProxyCommand=x:path",
        "https://host/x.git@--output=planted",
        "https://host/x\n.git",
        "https://host/\x1b[2J.git",
        "file://host/x",
        "http+unix://x/y",
    ],
)
def test_an_address_that_is_a_command_is_refused(address: str) -> None:
    with pytest.raises(SourceError):
        parse_source(address)
