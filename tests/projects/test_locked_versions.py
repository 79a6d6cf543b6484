"""What lock files of each tool name, and what is told of those that are not read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.errors import ConfigurationError
from backdate.projects.locked_versions import LockedVersions, read_locked_versions
from backdate.timeline.instants import parse_instant

ONE_OF_PDM = "[metadata]\nlock_version='4.5'\n[[package]]\nname='a'\nversion='1'\n"
UV = """
version = 1
revision = 3
[[package]]
name = "p"
version = "0.1"
source = { editable = "." }
[[package]]
name = "Six"
version = "1.16.0"
source = { registry = "https://pypi.org/simple" }
sdist = { url = "https://x/six-1.16.0.tar.gz", hash = "sha256:AA", upload-time = "2021-05-05T14:18:18.379Z" }
wheels = [
    { url = "https://x/six.whl", hash = "sha256:bb", upload-time = "2021-05-05T14:18:17Z" },
]
[[package]]
name = "numpy"
version = "1.26.4"
source = { registry = "https://pypi.org/simple" }
resolution-markers = ["python_full_version < '3.10'", "sys_platform == 'win32'"]
[[package]]
name = "numpy"
version = "2.0.0"
source = { registry = "https://pypi.org/simple" }
resolution-markers = ["python_full_version >= '3.10'"]
[[package]]
name = "mine"
version = "2"
source = { git = "https://example.org/mine?rev=1#abc" }
"""
POETRY = """
[[package]]
name = "colorama"
version = "0.4.6"
files = [{ file = "c.whl", hash = "sha256:cc" }]
markers = "sys_platform == \\"win32\\""
[[package]]
name = "mine"
version = "1"
[package.source]
type = "git"
url = "https://example.org/mine"
[metadata]
lock-version = "2.1"
python-versions = ">=3.9"
"""
OLD_POETRY = """
[[package]]
name = "six"
version = "1.15.0"
[metadata]
lock-version = "1.1"
[metadata.files]
six = [{ file = "six.whl", hash = "sha256:dd" }]
"""
PDM = """
[metadata]
lock_version = "4.5.0"
[[package]]
name = "six"
version = "1.16.0"
marker = "python_version >= \\"3.8\\""
files = [{ file = "six.whl", hash = "sha256:bb" }]
[[package]]
name = "here"
version = "1"
path = "./here"
"""
PYLOCK = """
lock-version = "1.0"
created-by = "uv"
[[packages]]
name = "six"
version = "1.16.0"
marker = "sys_platform == 'linux'"
wheels = [{ url = "https://x/six.whl", upload-time = 2021-05-05T14:18:17Z, hashes = { sha256 = "bb" } }]
[[packages]]
name = "here"
directory = { path = "." }
"""
REQUIREMENTS = """# made by a tool
--index-url https://pypi.org/simple
six==1.16.0 \\
    --hash=sha256:bb \\
    --hash=sha256:AA
colorama[x]==0.4.6 ; sys_platform == "win32"   # via click
loose>=1
-e .
mine @ https://example.org/mine.whl
"""


def read(folder: Path, name: str, text: str) -> LockedVersions:
    (folder / name).write_text(text)
    return read_locked_versions(folder / name)


def test_uv(tmp_path: Path) -> None:
    found = read(tmp_path, "uv.lock", UV)
    assert found.tool == "uv"
    assert found.constraints == (
        'numpy==1.26.4 ; python_full_version < "3.10" or sys_platform == "win32"',
        'numpy==2.0.0 ; python_full_version >= "3.10"',
        "six==1.16.0",
    )
    six = found.versions[0]
    assert six.hashes == {"sha256:aa", "sha256:bb"}
    assert six.uploaded == parse_instant("2021-05-05T14:18:18.379Z")
    assert found.left_out == ("mine (from git)",)


def test_poetry(tmp_path: Path) -> None:
    found = read(tmp_path, "poetry.lock", POETRY)
    assert found.constraints == ('colorama==0.4.6 ; sys_platform == "win32"',)
    assert found.left_out == ("mine (from git)",)
    older = read(tmp_path, "poetry.lock", OLD_POETRY)
    assert [(one.name, one.hashes) for one in older.versions] == [("six", {"sha256:dd"})]


def test_pdm(tmp_path: Path) -> None:
    found = read(tmp_path, "pdm.lock", PDM)
    assert found.constraints == ('six==1.16.0 ; python_version >= "3.8"',)
    assert found.left_out == ("here (not from an index)",)


def test_pylock(tmp_path: Path) -> None:
    found = read(tmp_path, "pylock.prod.toml", PYLOCK)
    assert found.constraints == ('six==1.16.0 ; sys_platform == "linux"',)
    assert found.versions[0].uploaded == parse_instant("2021-05-05T14:18:17Z")
    assert found.versions[0].hashes == {"sha256:bb"}


def test_requirements(tmp_path: Path) -> None:
    found = read(tmp_path, "requirements.txt", REQUIREMENTS)
    assert found.constraints == ('colorama==0.4.6 ; sys_platform == "win32"', "six==1.16.0")
    assert found.versions[0].hashes == {"sha256:bb", "sha256:aa"}
    assert found.left_out == ("loose>=1", "-e .", "mine @ https://example.org/mine.whl")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("uv.lock", "version = 2\n[[package]]\nname='a'\n", "its format is 2, and of uv.lock 1 is read"),
        ("poetry.lock", "[metadata]\nlock-version = '3.0'\n", r"poetry.lock 1.x and 2.x is read"),
        ("pdm.lock", "[metadata]\nlock_version = '5.0'\n", "its format is 5.0"),
        ("Cargo.lock", "version = 4\n[[package]]\nname='a'\n", "of Rust's Cargo"),
        ("pylock.toml", "lock-version = '2.0'\npackages = []\n", "export it"),
        ("Pipfile.lock", '{"default": {}}', "not TOML"),
        ("other.lock", "a = 1\n", "no known tool"),
        ("conda.yml", "a: 1\n", "it is none of uv.lock"),
        ("requirements.txt", "six>=1\n", "names no version"),
        ("requirements.txt", "six==1 or what\n", "is no requirement"),
        ("uv.lock", "version = 1\npackage = 3\n", "is damaged"),
        ("uv.lock", "version = 1\n[[package]]\nname='a'\nsource={registry='x'}\n", "is damaged: KeyError"),
        (
            "pdm.lock",
            "[metadata]\nlock_version='4.5'\n[[package]]\nname='a'\nversion='1'\nmarker='x y'\n",
            "'a' '1': ",
        ),
        (
            "pdm.lock",
            '[metadata]\nlock_version="4.5"\n[[package]]\nname="a\\n--index-url x"\nversion="1"\n',
            "pdm.lock is not read: 'a",
        ),
        (  # the escape within the quotes becomes a line end, and what follows a line of the constraints
            "pdm.lock",
            ONE_OF_PDM + "marker='os_name == \"x\\n--find-links /tmp\"'\n",
            "'a' '1': a marker or version with a control character",
        ),
        (
            "pdm.lock",
            ONE_OF_PDM + f"marker='{'(' * 60_000}os_name == \"x\"{')' * 60_000}'\n",
            "its marker has more than 100,000 characters",
        ),
    ],
)
def test_what_is_not_read(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        read(tmp_path, name, text)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "uv.lock")
    with pytest.raises(ConfigurationError, match="it is no file"):
        read_locked_versions(tmp_path / "uv.lock")


def test_no_file_that_a_link_of_a_checkout_leads_to_is_told(tmp_path: Path) -> None:
    (tmp_path / "netrc").write_text("machine private.example login alice password a-secret\n")
    (tmp_path / "requirements.txt").symlink_to("netrc")
    with pytest.raises(ConfigurationError, match="it is a link") as told:
        read_locked_versions(tmp_path / "requirements.txt")
    assert "a-secret" not in str(told.value)


def test_a_lock_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_locked_versions(tmp_path / "uv.lock")


@given(st.text())
def test_any_text_is_versions_or_an_error(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("lock")
    for name, head in (
        ("requirements.txt", "a==1\n"),
        ("pylock.toml", "lock-version = '1.0'\npackages = [\n"),
    ):
        (folder / name).write_text(head + text, encoding="utf-8", errors="replace")
        try:
            found = read_locked_versions(folder / name)
        except ConfigurationError:
            continue
        assert all("\n" not in line for line in found.constraints)
