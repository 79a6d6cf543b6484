"""What a patch changes: reading, splitting, joining, writing, and hostile text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from backdate.editing.diff import diff_files
from backdate.editing.foreign_patch import UntextualChange, split_foreign_patch
from backdate.editing.patch import (
    as_git_patch,
    changed_paths,
    join_hunks,
    read_patch,
    split_hunks,
    write_patch,
)
from backdate.editing.patch_text import encode_patch, header_path, unquoted
from backdate.errors import SourceError

PUBLISHED = Path(__file__).parents[2] / "../shared/data/timemachine-bench/verified-dev.jsonl"
NAMES = st.sampled_from(["setup.py", "a/b.txt", "with space", "ünï.txt", 'quo"te', "back\\slash", "a", "b/c"])
LINES = st.lists(
    st.sampled_from([b"a", b"b", b"", b"c\r", b"\xe9", b"\x0c", b"-- d", b"++ e", b"@@ f"]), max_size=40
)
CONTENTS = st.none() | st.builds(
    lambda lines, end: b"\n".join(lines) + (b"\n" if lines and end else b""), LINES, st.booleans()
)


@st.composite
def patches(draw: st.DrawFn) -> str:
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    return diff_files({name: draw(CONTENTS) for name in names}, {name: draw(CONTENTS) for name in names})


@given(patches())
def test_what_is_read_is_written_as_it_was(patch: str) -> None:
    assert write_patch(read_patch(patch)) == patch


@given(patches())
def test_splitting_and_joining_gives_the_same_files(patch: str) -> None:
    files = read_patch(patch)
    parts = split_hunks(files)
    assert len(parts) == sum(len(file.hunks) if file.kind == "change" else 1 for file in files)
    assert tuple(join_hunks(parts)) == files


@given(patches())
def test_the_form_of_git_is_the_same_patch(patch: str) -> None:
    assume(patch)
    parts = split_foreign_patch(encode_patch(as_git_patch(patch)))
    again = [file for part in parts for file in read_patch(part.text)]
    known = {file.path: file for file in read_patch(patch)}
    assert {file.path: (file.kind, file.hunks) for file in again} == {
        path: (file.kind, file.hunks) for path, file in known.items()
    }


def test_lines_are_counted() -> None:
    (file,) = read_patch(diff_files({"a": b"1\n2\n3\n"}, {"a": b"1\n3\n4\n5"}))
    assert (file.added, file.removed, len(file.hunks)) == (2, 1, 1)
    assert changed_paths(diff_files({"b": b"x", "a": b""}, {})) == ("b", "a")


def test_two_parts_of_one_file_under_two_headers_both_stay() -> None:
    hunk = "@@ -1 +1 @@\n-a\n+b\n"
    patch = f"--- x\n+++ x\n{hunk}--- y\n+++ y\n{hunk}--- x\n+++ x\n{hunk}"
    files = read_patch(patch)
    assert [file.path for file in join_hunks(split_hunks(files))] == ["x", "y", "x"]
    assert write_patch(files) == patch


def test_empty_files_are_written_last() -> None:
    """A plain header behind git's header of an empty file would be taken as part of it."""
    patch = "diff --git e e\nnew file mode 100644\ndiff --git x x\n--- x\n+++ x\n@@ -1 +1 @@\n-a\n+b\n"
    files = read_patch(patch)
    assert [file.path for file in files] == ["e", "x"]
    assert {file.path for file in read_patch(write_patch(files))} == {"e", "x"}


@given(st.text(alphabet=st.characters(exclude_characters="/\n"), min_size=1, max_size=20))
def test_any_name_can_be_quoted(name: str) -> None:
    assume("\n" not in name)
    try:
        encode_patch(name)
    except UnicodeEncodeError:
        return
    assert unquoted(header_path(name).rstrip(b"\t") if " " in name else header_path(name)) == encode_patch(
        name
    )


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="-+@ ,01ab/.\n\\\t\"'d", max_size=200))
def test_garbage_raises_nothing_but_source_errors(text: str) -> None:
    try:
        files = read_patch(text)
    except SourceError:
        return
    assert all(not file.path.startswith("/") and ".." not in file.path.split("/") for file in files)


PIECES = [
    "--- a", "+++ a", "--- /dev/null", "+++ /dev/null", '--- "a\\057b"', "+++ a\t2020-01-01", "--- a/../x",
    "diff --git a a", 'diff --git "a b" "a b"', "new file mode 100644", "deleted file mode 120000",
    "old mode 100644", "rename from a", "GIT binary patch", "index 1..2 160000", "Index: a", "1d", "!sh",
    "@@ -1 +1 @@", "@@ -0,0 +1 @@", "@@ -1,2 +1,3 @@ def", "@@ -1,999999999 +1 @@", "@@", "@@ -1,-1 +1 @@",
    "-a", "+b", " c", "", "\\ No newline at end of file", "\udcff", "\ud800", "\r", "--- ", "+++ ",
]  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("\n".join))
def test_what_is_read_of_a_hostile_patch_is_read_again_alike(text: str) -> None:
    try:
        files = read_patch(text)
    except SourceError:
        return
    written = write_patch(files)
    again = read_patch(written)
    assert sorted(again, key=lambda file: not file.hunks) == sorted(files, key=lambda file: not file.hunks)
    assert write_patch(again) == written


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES[:-5]) | st.text(max_size=10), max_size=25).map("\n".join))
def test_a_foreign_patch_is_always_cut_into_parts(text: str) -> None:
    try:
        data = encode_patch(text)
    except UnicodeEncodeError:
        return
    parts = list(split_foreign_patch(data))
    assert parts
    for part in parts:
        assert part.untextual is None or isinstance(part.untextual, UntextualChange)
        try:
            read_patch(part.text)
        except SourceError:
            pass


MANY = 2**18


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "diff --git " + "a " * MANY + "\nnew file mode 100644\n",
        "diff --git a a\n" * (MANY // 4),
        "--- a\n+++ a\n@@ -1," + "9" * MANY + " +1 @@\n-a\n",
        "--- a\n+++ a\n@@ -1,999999999 +1 @@\n" + "-a\n" * MANY,
        "--- a\n+++ a\n" + "@@ -1 +1 @@\n-a\n+b\n" * (MANY // 4),
        '--- "' + "\\001" * MANY + '"\n+++ a\n@@ -1 +1 @@\n-a\n+b\n',
        "--- " + "a/" * MANY + "b\n+++ a\n@@ -1 +1 @@\n-a\n+b\n",
        "\\\n" * MANY,
        "@@ -1 +1 @@\n" * (MANY // 4),
    ],
    ids=range(9),
)
def test_one_trick_many_times_takes_linear_time(text: str) -> None:
    """Quadratic work on any of these takes minutes."""
    for part in split_foreign_patch(encode_patch(text)):
        try:
            read_patch(part.text)
        except SourceError:
            pass
    try:
        files = read_patch(text)
    except SourceError:
        return
    assert join_hunks(split_hunks(files)) == list(files)


@pytest.mark.shared
def test_published_patches_are_written_as_they_were() -> None:
    if not PUBLISHED.exists():
        pytest.skip("the published data is not at ../shared/data")
    rows = [json.loads(line) for line in PUBLISHED.read_text(encoding="utf-8").splitlines()]
    patches = [row[key] for row in rows for key in row if key.endswith("patch") and row[key].strip()]
    assert len(patches) > len(rows)
    for patch in patches:
        files = read_patch(patch)
        assert write_patch(files) == patch
        assert tuple(join_hunks(split_hunks(files))) == files
