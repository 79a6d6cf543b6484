"""Whole trees: what is found, what is followed, what is never touched."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backdate.editing.patch_text import encode_patch
from backdate.errors import ConfigurationError
from backdate.projects.unpinning import Unpinning, apply_unpinning, tree, unpin_file, unpin_tree
from backdate.projects.unpinning.discovery import file_format, is_test_data
from backdate.serial import from_json, to_json

PROJECT = {
    "requirements.txt": b"numpy==1.0\n-r reqs/more.list\n-c pins.list\n",
    "reqs/more.list": b"six==1\n-r ../requirements.txt\n",
    "pins.list": b"attrs<20",
    "setup.py": b"from setuptools import setup\nsetup(author='Andr\xe9', install_requires=['foo==1'])\n",
    "poetry.lock": b"[[package]]\nname = 'x'\n",
    "docs/Pipfile.lock": b"",
    "tests/requirements.txt": b"pytest==5",
    "tests/fixtures/requirements.txt": b"data==1",
    "tests/project/pyproject.toml": b"[project]\ndependencies = ['data==1']",
    "src/x.py": b"import six  # six==1\n",
    "MANIFEST.in": b"a==1\n",
    "notes.txt": b"a==1\n",
}


def write_tree(root: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


def read_tree(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def test_a_project(tmp_path: Path) -> None:
    root = write_tree(tmp_path, PROJECT)
    unpinning = unpin_tree(root)
    assert read_tree(root) == PROJECT
    assert unpinning.files == {
        "requirements.txt": b"numpy\n-r reqs/more.list\n-c pins.list\n",
        "reqs/more.list": b"six\n-r ../requirements.txt\n",
        "pins.list": b"attrs",
        "setup.py": PROJECT["setup.py"].replace(b"foo==1", b"foo"),
        "tests/requirements.txt": b"pytest",
    }
    assert unpinning.removed == ("docs/Pipfile.lock", "poetry.lock")
    assert {change.file: change.kind for change in unpinning.changes}["pins.list"] == "constraint"
    assert [skipped.file for skipped in unpinning.skipped] == [
        "tests/fixtures/requirements.txt",
        "tests/project/pyproject.toml",
    ]


def test_applying_it(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", PROJECT)
    (root / "setup.py").chmod(0o755)
    os.link(root / "setup.py", tmp_path / "elsewhere")
    unpinning = unpin_tree(root)
    apply_unpinning(unpinning, root)
    expected = {
        name: data for name, data in PROJECT.items() if name not in unpinning.removed
    } | unpinning.files
    assert read_tree(root) == expected
    assert (root / "setup.py").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "elsewhere").read_bytes() == PROJECT["setup.py"]
    again = unpin_tree(root)
    assert (again.changes, again.files, again.removed, again.patch) == ((), {}, (), "")


@pytest.mark.parametrize("program", ["git", "patch"])
def test_the_patch_applies(program: str, tmp_path: Path) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    files = PROJECT | {"docs/Pipfile.lock": b"{}"}  # GNU patch cannot delete an empty file
    patched = write_tree(tmp_path / "patched", files)
    written = write_tree(tmp_path / "written", files)
    unpinning = unpin_tree(patched)
    command = {"git": ["git", "apply", "-p0", "-"], "patch": ["patch", "-p0", "--binary"]}[program]
    subprocess.run(command, cwd=patched, input=encode_patch(unpinning.patch), check=True, capture_output=True)
    apply_unpinning(unpinning, written)
    assert read_tree(patched) == read_tree(written)


def test_applying_to_another_tree_is_refused(tmp_path: Path) -> None:
    unpinning = unpin_tree(write_tree(tmp_path / "one", PROJECT))
    other = write_tree(tmp_path / "two", PROJECT | {"setup.py": b"other"})
    with pytest.raises(ConfigurationError, match=r"setup\.py"):
        apply_unpinning(unpinning, other)
    assert read_tree(other) == PROJECT | {"setup.py": b"other"}


def test_it_is_written_as_json_and_read_back(tmp_path: Path) -> None:
    unpinning = unpin_tree(write_tree(tmp_path, PROJECT))
    assert from_json(Unpinning, to_json(unpinning)) == unpinning


def test_links_are_followed_inside_the_tree_only(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_bytes(b"secret==1")
    root = write_tree(
        tmp_path / "tree",
        {"real/base.list": b"a==1", "x/requirements.txt": b"-r ../../outside.txt\n-r up/outside.txt"},
    )
    (root / "requirements.txt").symlink_to("real/base.list")
    (root / "requirements-out.txt").symlink_to(outside)
    (root / "requirements-loop.txt").symlink_to("requirements-loop.txt")
    (root / "x" / "up").symlink_to(tmp_path)
    (root / "poetry.lock").symlink_to("real/base.list")
    (root / "linked").symlink_to(tmp_path)
    unpinning = unpin_tree(root)
    assert unpinning.files == {"real/base.list": b"a"}
    assert unpinning.removed == ()
    assert "secret" not in unpinning.patch
    assert sorted(skipped.file for skipped in unpinning.skipped) == [
        "poetry.lock",
        "requirements-loop.txt",
        "requirements-out.txt",
        "x/requirements.txt",
        "x/requirements.txt",
    ]


def test_a_link_put_in_the_way_afterwards_is_refused(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "tree", {"requirements.txt": b"a==1"})
    unpinning = unpin_tree(root)
    outside = tmp_path / "outside"
    outside.write_bytes(b"a==1")
    (root / "requirements.txt").unlink()
    (root / "requirements.txt").symlink_to(outside)
    with pytest.raises(ConfigurationError):
        apply_unpinning(unpinning, root)
    assert outside.read_bytes() == b"a==1"


def test_special_and_large_files_are_skipped(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"setup.cfg": b"[options]\ninstall_requires = a==1\n", "pyproject.toml": b""})
    os.truncate(root / "pyproject.toml", 50 * 2**20)
    os.mkfifo(root / "requirements.txt")
    (root / "requirements-folder.txt").mkdir()
    (root / "requirements.in").write_bytes(
        b"-r .\n-r requirements-folder.txt\n-r ${X}.txt\n-r https://x/y.txt\n-r setup.cfg\n"
    )
    (root / os.fsdecode(b"requirements-\xff.txt")).write_bytes(b"a==1")
    unpinning = unpin_tree(root)
    assert set(unpinning.files) == {"setup.cfg"}
    reasons = {skipped.file: skipped.reason for skipped in unpinning.skipped}
    assert "larger than" in reasons["pyproject.toml"]
    assert "regular" in reasons["requirements.txt"]
    assert "UTF-8" in reasons["requirements-\\udcff.txt"]
    to_json(unpinning)


def test_a_tree_of_many_files_is_read_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "_MOST_FILES", 3)
    root = write_tree(tmp_path, {f"requirements-{i}.txt": b"a==1" for i in range(5)})
    unpinning = unpin_tree(root)
    assert len(unpinning.files) == 3
    assert len(unpinning.skipped) == 2


def test_references_that_go_round_end(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path, {"requirements.txt": b"-r a.list", "a.list": b"-r b.list", "b.list": b"x==1\n-r ./a.list"}
    )
    assert unpin_tree(root).files == {"b.list": b"x\n-r ./a.list"}


def test_a_folder_is_needed(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="not a folder"):
        unpin_tree(tmp_path / "none")
    with pytest.raises(ConfigurationError, match="not a file whose pins"):
        unpin_file("README.md", b"")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("requirements.txt", "requirements"),
        ("requirements-dev.txt", "requirements"),
        ("dev-requirements.in", "requirements"),
        ("test_requirements.pip", "requirements"),
        ("requirements/base.txt", "requirements"),
        ("reqs.txt", "requirements"),
        ("constraints.txt", "constraints"),
        ("upper-constraints.txt", "constraints"),
        ("sub/pyproject.toml", "pyproject"),
        ("Pipfile", "pipfile"),
        ("environment.yml", "conda"),
        ("environment-dev.yaml", "conda"),
        ("conda_env.yml", "conda"),
        ("poetry.lock", "lock"),
        ("Pipfile.lock", "lock"),
        ("pdm.lock", "lock"),
        ("uv.lock", "lock"),
        ("conda-lock.yml", "lock"),
        ("pylock.toml", "lock"),
        ("pylock.dev.toml", "lock"),
        ("requirements-dev.lock", "lock"),
        ("MANIFEST.in", None),
        ("README.txt", None),
        ("Cargo.lock", None),
        ("requirements.md", None),
        ("docker-compose.yml", None),
    ],
)
def test_formats(path: str, expected: str | None) -> None:
    assert file_format(path) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("requirements.txt", False),
        ("tests/requirements.txt", False),
        ("tests/requirements/base.txt", False),
        ("tests/setup.py", True),
        ("tests/poetry.lock", True),
        ("src/tests/data/requirements.txt", True),
        ("fixtures/x/pyproject.toml", True),
        ("packages/x/pyproject.toml", False),
    ],
)
def test_test_data(path: str, expected: bool) -> None:
    assert is_test_data(path) is expected


FILES = (
    "requirements.txt",
    "constraints.txt",
    "pyproject.toml",
    "Pipfile",
    "setup.cfg",
    "setup.py",
    "environment.yml",
)
FRAGMENTS = st.sampled_from(
    [
        b"a==1",
        b"install_requires",
        b"[options]\n",
        b"=",
        b"dependencies",
        b"[project]\n",
        b":",
        b"- pip",
        b"setup(",
        b")",
        b"['a<2']",
        b"\n",
        b"  ",
        b"\\",
        b"'",
        b'"""',
        b"\r",
        b"\xff\xfe",
        b"\xc3",
        b"\0",
        b"[",
        b"]",
        b"{",
        b"#",
        b";",
        b"-r x",
    ]
)


@settings(max_examples=400)
@given(
    st.sampled_from(FILES), st.one_of(st.binary(max_size=200), st.lists(FRAGMENTS, max_size=30).map(b"".join))
)
def test_any_bytes_are_read(name: str, data: bytes) -> None:
    after, draft = unpin_file(name, data)
    assert after == data or draft.edits
    again, _ = unpin_file(name, after)
    assert again == after
    to_json([*draft.changes, *draft.skipped])
