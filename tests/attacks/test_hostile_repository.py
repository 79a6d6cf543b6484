"""A repository that somebody hands over runs programs wherever git looks at it."""

from __future__ import annotations

import hashlib
import os
import subprocess
import zlib
from pathlib import Path

import pytest

from backdate.environments.references.repositories import _submodules
from backdate.environments.references.types import DEFAULT_POLICY, parse_git
from backdate.errors import SourceError, SourceProblem
from backdate.projects.sources import git as git_module
from backdate.projects.sources.checkout import check_out
from backdate.projects.sources.folder import copy_folder
from backdate.projects.sources.specification import GitSource, parse_source
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


def test_no_file_behind_a_link_in_the_place_of_a_folder_is_read(repository: Path, tmp_path: Path) -> None:
    """git names a file of its index also where a link stands for the folder; ignored, nothing tells of it."""
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "key").write_text("of the host")
    (repository / "data").mkdir()
    (repository / "data" / "key").write_text("x")
    subprocess.run(["git", "-C", str(repository), "add", "data"], check=True)
    (repository / ".git" / "info" / "exclude").write_text("data\n")
    (repository / "data" / "key").unlink()
    (repository / "data").rmdir()
    (repository / "data").symlink_to(tmp_path / "secrets")
    copy_folder(repository, tmp_path / "out", limits=TreeLimits())
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["demo.py"]


def test_no_program_checks_the_signatures_of_commits(repository: Path, tmp_path: Path) -> None:
    program = tmp_path / "program.sh"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    program.chmod(0o755)
    for name, value in (("log.showSignature", "true"), ("gpg.program", str(program))):
        subprocess.run(["git", "-C", str(repository), "config", name, value], check=True)
    head, _, message = git_module.run_git("cat-file", "commit", "HEAD", cwd=repository).partition(b"\n\n")
    signature = b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----\n\n"
    commit = written(repository, b"commit", head + signature + message)
    assert git_module.commit_date(repository / ".git", commit) is not None
    assert b"commit" in git_module.run_git("show", "--no-patch", commit, git_dir=repository / ".git")
    assert not (tmp_path / "ran").exists()


def written(repository: Path, kind: bytes, data: bytes) -> str:
    """The id of a new object."""
    raw = kind + b" %d\0" % len(data) + data
    name = hashlib.sha1(raw, usedforsecurity=False).hexdigest()
    path = repository / ".git/objects" / name[:2] / name[2:]
    path.parent.mkdir(exist_ok=True)
    if not path.exists():
        path.write_bytes(zlib.compress(raw, 1))
    return name


def checked_out(repository: Path, revision: str, target: Path) -> None:
    check_out(
        GitSource(location=str(repository), local=True, revision=revision),
        target,
        limits=TreeLimits(),
        clone_timeout_s=60,
    )


def test_folders_within_folders_are_not_followed_for_ever(repository: Path, tmp_path: Path) -> None:
    """Copying their names took hours: each is as long as all above it together."""
    tree = written(repository, b"tree", b"100644 a.py\0" + bytes.fromhex(written(repository, b"blob", b"x")))
    for _ in range(300):
        tree = written(repository, b"tree", b"40000 " + b"d" * 250 + b"\0" + bytes.fromhex(tree))
    who = b"n <e@x> 1 +0000"
    text = b"tree %s\nauthor %s\ncommitter %s\n\nx\n" % (tree.encode(), who, who)
    commit = written(repository, b"commit", text)
    with pytest.raises(SourceError, match="more than 100 folders deep") as raised:
        checked_out(repository, commit, tmp_path / "out")
    assert raised.value.problem is SourceProblem.TOO_LARGE


def test_a_pipe_in_the_place_of_an_object_is_not_waited_for(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blob = git_module.run_git("rev-parse", "HEAD:demo.py", cwd=repository).decode().strip()
    path = repository / ".git/objects" / blob[:2] / blob[2:]
    path.unlink()
    os.mkfifo(path)
    monkeypatch.setattr(git_module, "_TIMEOUT_S", 3)
    with pytest.raises(SourceError, match="git cat-file did not answer"):
        checked_out(repository, "HEAD", tmp_path / "out")


@pytest.mark.parametrize("url", ["../../[", "../../[[x", "https://[", "//[", "../..//[::x]/y", "https://h]/"])
def test_an_address_of_a_submodule_that_is_none_is_passed_over(url: str) -> None:
    modules = f'[submodule "a"]\n\tpath = a\n\turl = {url}\n'
    for address in ("https://host/o/r", "https://host//o/r"):
        for found in _submodules(address, modules, f"160000 commit {'a' * 40}\ta\n"):
            DEFAULT_POLICY.refusal(found.fetched_from)


@pytest.mark.parametrize(
    "address",
    [
        'git+https://host/x".git',
        "git+https://host/x\\.git",
        "git+https://[::ffff:127.0.0.1]git@ %x]file://K99999",
        "git+https://a[::1]/x",
        "git+https://[v1.x]/y",
    ],
)
def test_an_address_that_would_not_be_one_in_git_s_configuration_is_none(address: str) -> None:
    assert parse_git(address) is None


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
