"""Diffs are judged by the programs that apply them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from backdate.editing import diff
from backdate.editing.diff import diff_files, diff_texts
from backdate.editing.patch_text import encode_patch

LINES = st.lists(
    st.sampled_from([b"a", b"b", b"c==1", b"c", b"", b"d\r", b"\xe9", b"\x0c", b" x", b"-y", b"--- z"]),
    max_size=14,
)


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    lines = draw(LINES)
    return b"\n".join(lines) + (b"\n" if lines and draw(st.booleans()) else b"")


NAMES = st.sampled_from(
    ["setup.py", "docs/requirements.txt", "with space.txt", "ünï.txt", 'quo"te', "tab\there"]
)
TREES = st.dictionaries(NAMES, contents(), max_size=4)


def write_tree(root: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def read_tree(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".git" not in path.parts
    }


def command(program: str) -> list[str]:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    if program == "git":
        return ["git", "apply", "-p0", "--whitespace=nowarn", "-"]
    return ["patch", "-p0", "--binary", "--silent", "--no-backup-if-mismatch"]


def apply(program: str, root: Path, patch: str) -> None:
    done = subprocess.run(
        command(program), cwd=root, input=encode_patch(patch), capture_output=True, check=False
    )
    assert done.returncode == 0, (done.stdout, done.stderr, patch)


@pytest.mark.slow
@pytest.mark.parametrize("program", ["git", "patch"])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(old=TREES, new=TREES)
def test_applying_reproduces_the_new_tree(
    program: str, tmp_path_factory: pytest.TempPathFactory, old: dict[str, bytes], new: dict[str, bytes]
) -> None:
    assume(old != new)
    root = tmp_path_factory.mktemp("tree")
    write_tree(root, old)
    patch = diff_files(old, new)
    if program == "patch":  # GNU patch removes a file that becomes empty, and cannot delete an empty one
        assume(not any(old.get(name) and data == b"" for name, data in new.items()))
        assume(not any(data == b"" and name not in new for name, data in old.items()))
    apply(program, root, patch)
    assert read_tree(root) == new


@pytest.mark.parametrize("program", ["git", "patch"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"pysnmp==4.4.9", b"pysnmp"),
        (b"a\r\nb==1\r\n", b"a\r\nb\r\n"),
        ("a==1\r\nb==2\r\n".encode("utf-16"), "a\r\nb\r\n".encode("utf-16")),
        (b"\xff\xfe==1\n", b"\xff\xfe\n"),
        (b"a\n", b"a"),
        (b"a", b"a\n"),
        (b"x\n", None),
        (None, b"x"),
    ],
)
def test_awkward_files_apply(program: str, tmp_path: Path, old: bytes | None, new: bytes | None) -> None:
    if old is not None:
        write_tree(tmp_path, {"f.txt": old})
    apply(program, tmp_path, diff_texts("f.txt", old, new))
    assert read_tree(tmp_path) == ({} if new is None else {"f.txt": new})


def test_the_format_is_the_published_one() -> None:
    assert diff_texts("requirements.txt", b"pysnmp==4.4.9", b"pysnmp") == (
        "--- requirements.txt\n+++ requirements.txt\n@@ -1 +1 @@\n"
        "-pysnmp==4.4.9\n\\ No newline at end of file\n+pysnmp\n\\ No newline at end of file\n"
    )


def test_nothing_changed_is_no_patch() -> None:
    assert diff_files({"a": b"x", "b": None}, {"a": b"x"}) == ""


@pytest.mark.parametrize("program", ["git", "patch"])
@pytest.mark.parametrize("same_length", [True, False])
def test_a_large_file_is_compared_without_the_quadratic_matcher(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, same_length: bool
) -> None:
    monkeypatch.setattr(diff, "_MATCHED_PAIRS", 10)
    old = b"".join(b"name%d==1\n" % i for i in range(40))
    new = b"".join(b"name%d%s\n" % (i, b"==1" if i % 9 else b"") for i in range(40))
    new = new if same_length else new + b"more\nand more\n"
    write_tree(tmp_path, {"f": old})
    patch = diff_texts("f", old, new)
    assert ("-name1==1\n" in patch) is not same_length
    apply(program, tmp_path, patch)
    assert (tmp_path / "f").read_bytes() == new
