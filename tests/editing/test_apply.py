"""Patches: what is applied, and what is refused because it leads out of the tree."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backdate.editing.apply import apply_patch
from backdate.editing.diff import diff_files
from backdate.errors import SourceError

_CONTENT = st.one_of(
    st.none(), st.binary(max_size=60).map(lambda data: data.replace(b"\0", b"x").replace(b"\r", b"y"))
)
_NAMES = st.from_regex(r"[a-z][a-z0-9_ ]{0,5}(/[a-z]{1,4}[0-9])?", fullmatch=True).map(str.strip)
_CHANGE = "--- {0}\n+++ {0}\n@@ -1 +1 @@\n-old\n+new\n"


def _write(tree: Path, files: dict[str, bytes | None]) -> None:
    tree.mkdir()
    for name, data in files.items():
        if data is not None:
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_bytes(data)


def _read(tree: Path) -> dict[str, bytes]:
    return {p.relative_to(tree).as_posix(): p.read_bytes() for p in tree.rglob("*") if p.is_file()}


@settings(max_examples=60, deadline=None)
@given(old=st.dictionaries(_NAMES, _CONTENT, max_size=3), data=st.data())
def test_what_diff_writes_is_applied(tmp_path_factory: pytest.TempPathFactory, old, data) -> None:
    old = {name: content for name, content in old.items() if not any(o.startswith(name + "/") for o in old)}
    new = {name: data.draw(_CONTENT) for name in old}
    tree = tmp_path_factory.mktemp("p") / "tree"
    _write(tree, old)
    patch = diff_files(old, new)

    apply_patch(patch, tree)

    expected = {name: content for name, content in new.items() if content is not None}
    # GNU patch -E removes a file that becomes empty, as the published patches want it
    emptied = {name for name in expected if expected[name] == b"" and old[name]}
    assert _read(tree) == {name: content for name, content in expected.items() if name not in emptied}


@pytest.mark.parametrize(
    "name",
    ["../out", "a/../../out", "/etc/passwd", ".git/hooks/pre-commit", "a/.GIT/config", "-o", '"../\\157ut"'],
)
def test_names_that_lead_out_are_refused(tmp_path: Path, name: str) -> None:
    tree = tmp_path / "tree"
    _write(tree, {"a/file": b"old\n"})
    (tmp_path / "out").write_text("old\n")

    with pytest.raises(SourceError, match="leads out"):
        apply_patch(_CHANGE.format(name), tree)

    assert (tmp_path / "out").read_text() == "old\n"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    _write(tree, {"real": b"x\n"})
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("old\n")
    (tree / "link").symlink_to(tmp_path / "outside")
    (tree / "one").symlink_to(tmp_path / "outside" / "file")

    for name in ("link/file", "one"):
        with pytest.raises(SourceError, match="through the link"):
            apply_patch(_CHANGE.format(name), tree)

    assert (tmp_path / "outside" / "file").read_text() == "old\n"


@pytest.mark.parametrize(
    "patch",
    [
        "diff --git a b\nrename from a\nrename to b\n",
        "diff --git l l\nnew file mode 120000\n--- /dev/null\n+++ l\n@@ -0,0 +1 @@\n+/etc\n",
        "diff --git x x\nold mode 100644\nnew mode 100755\n",
        "GIT binary patch\ndiff --git x x\nGIT binary patch\nliteral 3\n",
    ],
)
def test_what_is_no_change_of_text_is_refused(tmp_path: Path, patch: str) -> None:
    with pytest.raises(SourceError, match=r"no change of text|no file"):
        apply_patch(patch, tmp_path)


def test_ed_scripts_do_not_reach_the_program(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old\n")
    script = "1d\n!touch pwned\n.\n"

    assert apply_patch("--- a\t\n" + script, tmp_path) == ()
    assert apply_patch("Index: a\n" + script + _CHANGE.format("a"), tmp_path) == ("a",)

    assert sorted(path.name for path in tmp_path.iterdir()) == ["a"]
    assert (tmp_path / "a").read_text() == "new\n"


@pytest.mark.parametrize(
    "patch",
    [
        "--- a\n+++ a\n@@ -1,3 +1 @@\n-old\n+new\n",
        "--- a\n+++ a\n",
        "@@ -1 +1 @@\n-old\n+new\n",
        "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n",
        "--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-old\n+new\n",
        "--- a\n+++ a\n@@ -1 +1 @@\n-\ud800\n+new\n",
    ],
)
def test_damaged_patches_are_named(tmp_path: Path, patch: str) -> None:
    (tmp_path / "a").write_text("old\n")
    with pytest.raises(SourceError, match="the gold patch"):
        apply_patch(patch, tmp_path, what="the gold patch")


def test_a_patch_that_does_not_fit_says_so(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("something else\n")
    with pytest.raises(SourceError, match="does not apply"):
        apply_patch(_CHANGE.format("a"), tmp_path)
    assert not list(tmp_path.glob("*.rej"))


def test_offsets_and_fuzz_are_those_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("first\nsecond\none\ntwo\nold\nthree\n")
    patch = "--- a\n+++ a\n@@ -1,4 +1,4 @@\n other\n two\n-old\n+new\n three\n"

    apply_patch(patch, tmp_path)

    assert "new\n" in (tmp_path / "a").read_text()


def test_an_empty_patch_is_skipped(tmp_path: Path) -> None:
    assert apply_patch("", tmp_path) == ()
    assert apply_patch("\n", tmp_path) == ()
