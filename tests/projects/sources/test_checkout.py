from __future__ import annotations

import os
import shutil
import subprocess
import zlib
from datetime import UTC, datetime
from hashlib import sha1
from pathlib import Path

import pytest
from patience import PATIENCE_S

from backdate.errors import SourceError
from backdate.projects.sources import checkout
from backdate.projects.sources.checkout import check_out
from backdate.projects.sources.specification import GitSource
from backdate.projects.sources.tree import TreeLimits


def bring(path: Path, target: Path, *, revision: str = "HEAD", subdirectory: str = "", **limits: int):
    source = GitSource(location=str(path), local=True, revision=revision, subdirectory=subdirectory)
    return check_out(source, target, limits=TreeLimits(**limits), clone_timeout_s=PATIENCE_S)


def store(repository: Path, kind: bytes, data: bytes) -> str:
    """Write an object as git would, whatever it says."""
    whole = kind + b" %d\0" % len(data) + data
    name = sha1(whole).hexdigest()
    path = repository / ".git/objects" / name[:2] / name[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(whole))
    return name


def commit_tree(
    repository: Path, entries: list[tuple[bytes, bytes, str]], when: bytes = b"1614594600 +0000"
) -> str:
    tree = b"".join(mode + b" " + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries)
    text = b"tree %s\nauthor a <a> %s\ncommitter a <a> %s\n\nx\n" % (
        store(repository, b"tree", tree).encode(),
        when,
        when,
    )
    return store(repository, b"commit", text)


def test_a_revision_is_its_files(repository: Path, tmp_path: Path, git, files_of, snapshot) -> None:
    (repository / "demo.py").write_text("x = 2\n")
    git("commit", "-qam", "two", cwd=repository)
    before = snapshot(repository)
    origin, python_files = bring(repository, tmp_path / "out", revision="v1.2.0")
    assert files_of(tmp_path / "out")["demo.py"] == "x = 1\n"
    assert files_of(tmp_path / "out")["link"] == "-> demo.py"
    assert os.access(tmp_path / "out/run.sh", os.X_OK)
    assert python_files == 2
    assert origin.revision == git("rev-parse", "v1.2.0", cwd=repository)
    assert origin.dated == datetime(2021, 3, 1, 10, 30, tzinfo=UTC)
    assert (origin.kind, origin.modified, origin.missing) == ("git", False, ())
    assert snapshot(repository) == before


def test_files_are_as_committed_whatever_attributes_say(
    repository: Path, tmp_path: Path, git, files_of
) -> None:
    canary = tmp_path / "canary"
    git("config", "filter.evil.smudge", f"touch {canary}", cwd=repository)
    (repository / "v.py").write_text("v = '$Format:%H$'\n$Id$\n")
    git("add", "v.py", cwd=repository)
    (repository / ".gitattributes").write_text("v.py export-subst ident eol=crlf\n")
    git("add", ".gitattributes", cwd=repository)
    git("commit", "-qm", "x", cwd=repository)
    (repository / ".git/info").mkdir(exist_ok=True)
    (repository / ".git/info/attributes").write_text("* filter=evil\n")
    bring(repository, tmp_path / "out")
    assert files_of(tmp_path / "out")["v.py"] == "v = '$Format:%H$'\n$Id$\n"
    assert not canary.exists()


def test_a_subdirectory_alone(repository: Path, tmp_path: Path, files_of) -> None:
    origin, _ = bring(repository, tmp_path / "out", subdirectory="pkg")
    assert files_of(tmp_path / "out") == {"__init__.py": "y = 1\n"}
    assert origin.location.endswith("#subdirectory=pkg")
    with pytest.raises(SourceError, match="holds no file in 'nothing'"):
        bring(repository, tmp_path / "other", subdirectory="nothing")


@pytest.mark.parametrize("form", ["bare", "gitdir"])
def test_bare_repositories_and_git_folders(repository: Path, tmp_path: Path, git, form: str) -> None:
    path = repository / ".git"
    if form == "bare":
        path = tmp_path / "bare.git"
        git("clone", "-q", "--bare", str(repository), str(path), cwd=tmp_path)
    assert bring(path, tmp_path / "out")[1] == 2


def test_objects_missing_from_a_partial_copy_are_reported(
    repository: Path, tmp_path: Path, git, files_of
) -> None:
    blob = git("rev-parse", "HEAD:demo.py", cwd=repository)
    folder = git("rev-parse", "HEAD:pkg", cwd=repository)
    for name in (blob, folder):
        (repository / ".git/objects" / name[:2] / name[2:]).unlink()
    origin, _ = bring(repository, tmp_path / "out")
    assert "demo.py" not in files_of(tmp_path / "out")
    assert "run.sh" in files_of(tmp_path / "out")
    assert [text.split()[0] for text in origin.missing] == ["demo.py", "pkg/"]


def test_a_partial_clone_is_not_completed_by_running_things(repository: Path, tmp_path: Path, git) -> None:
    canary = tmp_path / "canary"
    clone = tmp_path / "partial"
    git("config", "uploadpack.allowFilter", "true", cwd=repository)
    url = f"file://{repository}"
    git("clone", "-q", "--bare", "--filter=blob:none", url, str(clone), cwd=tmp_path)
    git("config", "remote.origin.uploadpack", f"touch {canary};git-upload-pack", cwd=clone)
    with pytest.raises(SourceError, match="holds no file"):
        bring(clone, tmp_path / "out")
    assert not canary.exists()


def test_submodules_and_large_file_pointers_are_said(repository: Path, tmp_path: Path, git) -> None:
    (repository / "big.bin").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:x\nsize 1\n")
    git("add", "-A", cwd=repository)
    git("submodule", "--quiet", "add", str(repository), "sub", cwd=repository)
    git("commit", "-qm", "x", cwd=repository)
    origin, _ = bring(repository, tmp_path / "out")
    assert [text.split()[0] for text in origin.missing] == ["big.bin", "sub"]


@pytest.mark.parametrize("name", [b"..", b".git", b".GIT", b"a/b", b"", b"."])
def test_hostile_names_in_trees_are_refused(repository: Path, tmp_path: Path, name: bytes) -> None:
    blob = store(repository, b"blob", b"x")
    inner = store(repository, b"tree", b"100644 f\0" + bytes.fromhex(blob))
    entries = [(b"40000", name, inner)]
    if name == b"a/b":
        entries = [(b"100644", b"/etc/x", blob)]
    commit = commit_tree(repository, entries)
    with pytest.raises(SourceError, match="leads out of it"):
        bring(repository, tmp_path / "out", revision=commit)


def test_a_tree_that_writes_through_its_own_link_is_refused(repository: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    target = store(repository, b"blob", str(outside).encode())
    payload = store(repository, b"blob", b"x")
    folder = store(repository, b"tree", b"100644 f\0" + bytes.fromhex(payload))
    commit = commit_tree(repository, [(b"120000", b"a", target), (b"40000", b"a", folder)])
    with pytest.raises(SourceError):
        bring(repository, tmp_path / "out", revision=commit)
    assert not list(outside.iterdir())


def test_a_tree_of_billions_ends_at_the_limit(repository: Path, tmp_path: Path) -> None:
    blob = store(repository, b"blob", b"x")
    entries = b"".join(b"100644 %d\0" % i + bytes.fromhex(blob) for i in range(10))
    for _ in range(10):
        tree = store(repository, b"tree", entries)
        entries = b"".join(b"40000 %d\0" % i + bytes.fromhex(tree) for i in range(10))
    text = b"tree %s\ncommitter a <a> 1 +0000\n\n" % store(repository, b"tree", entries).encode()
    commit = store(repository, b"commit", text)
    with pytest.raises(SourceError, match="more than"):
        bring(repository, tmp_path / "out", revision=commit, files=50)


@pytest.mark.parametrize("when", [b"99999999999999 +0000", b"x", b"999999999999 +0000"])
def test_an_absurd_date_is_none(repository: Path, tmp_path: Path, when: bytes) -> None:
    blob = store(repository, b"blob", b"x")
    commit = commit_tree(repository, [(b"100644", b"a.py", blob)], when=when)
    origin, _ = bring(repository, tmp_path / "out", revision=commit)
    assert origin.dated is None


def test_a_damaged_tree_is_an_error_of_ours(repository: Path, tmp_path: Path) -> None:
    tree = store(repository, b"tree", b"100644 a\0short")
    commit = store(repository, b"commit", b"tree %s\ncommitter a <a> 1 +0000\n\n" % tree.encode())
    with pytest.raises(SourceError, match="damaged tree"):
        bring(repository, tmp_path / "out", revision=commit)


def test_errors_name_the_source(repository: Path, tmp_path: Path, git) -> None:
    with pytest.raises(SourceError, match="has no revision 'nothing'"):
        bring(repository, tmp_path / "out", revision="nothing")
    with pytest.raises(SourceError, match="is not a git repository"):
        bring(tmp_path, tmp_path / "out")
    empty = tmp_path / "empty"
    empty.mkdir()
    git("init", "-q", cwd=empty)
    with pytest.raises(SourceError, match="has no commit yet"):
        bring(empty, tmp_path / "out")


def test_a_failed_clone_shows_gits_message_without_the_token(tmp_path: Path, git) -> None:
    source = GitSource(
        location="https://user:s3cret@127.0.0.1:9/a/b", local=False, revision="HEAD", subdirectory=""
    )
    with pytest.raises(SourceError, match=r"git says: .*127\.0\.0\.1") as caught:
        check_out(source, tmp_path / "out", limits=TreeLimits(), clone_timeout_s=PATIENCE_S)
    assert "s3cret" not in str(caught.value)
    assert not [path for path in tmp_path.iterdir() if "clone" in path.name]


def test_a_clone_is_read_and_removed(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkout, "_NETWORK", "file")
    source = GitSource(location=f"file://{repository}", local=False, revision="v1.2.0")
    origin, python_files = check_out(
        source, tmp_path / "w/out", limits=TreeLimits(), clone_timeout_s=PATIENCE_S
    )
    assert python_files == 2
    assert origin.version_hint == "1.2.0"
    assert [path.name for path in (tmp_path / "w").iterdir()] == ["out"]


def test_a_clone_that_takes_too_long_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkout, "git_command", lambda *_, **__: ["sh", "-c", "sleep 60 & wait"])
    source = GitSource(location="https://host/a", local=False, revision="HEAD")
    with pytest.raises(SourceError, match="could not be cloned within"):
        check_out(source, tmp_path / "out", limits=TreeLimits(), clone_timeout_s=0.3)


def test_a_repository_in_another_hash(tmp_path: Path, git) -> None:
    path = tmp_path / "new"
    path.mkdir()
    try:
        git("init", "-q", "--object-format=sha256", cwd=path)
    except subprocess.CalledProcessError:
        pytest.skip("this git knows no SHA-256 repositories")
    (path / "a.py").write_text("x")
    git("add", "-A", cwd=path)
    git("commit", "-qm", "x", cwd=path)
    origin, _ = bring(path, tmp_path / "out")
    assert origin.revision is not None
    assert len(origin.revision) == 64
    shutil.rmtree(path)
