"""Edits: what they change, what they leave alone, and taking them back."""

import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backdate.editing.patch_text import encode_patch


def put(bench, name: str, data: bytes):
    path = bench.root / "pkg" / name
    path.write_bytes(data)
    return path


def test_lines_are_replaced_inserted_and_deleted(bench) -> None:
    path = put(bench, "c.py", b"a\nb\nc\n")
    bench.ok("edit_file", path="pkg/c.py", first_line=2, last_line=2, new_text="B\nBB")
    assert path.read_bytes() == b"a\nB\nBB\nc\n"
    bench.ok("edit_file", path="pkg/c.py", first_line=1, last_line=0, new_text="top\n")
    assert path.read_bytes() == b"top\na\nB\nBB\nc\n"
    bench.ok("edit_file", path="pkg/c.py", first_line=2, last_line=5, new_text="")
    assert path.read_bytes() == b"top\n"
    bench.ok("edit_file", path="pkg/c.py", first_line=2, last_line=1, new_text="end")
    assert path.read_bytes() == b"top\nend\n"
    assert "lines 1 to 2" in bench.no("edit_file", path="pkg/c.py", first_line=3, last_line=4, new_text="x")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a = 1\r\nb = 2\r\nc = 3\r\n", b"a = 1\r\nB = 2\r\nc = 3\r\n"),
        (b"a = 1\nb = 2\nc = 3", b"a = 1\nB = 2\nc = 3"),
        (b"\xef\xbb\xbfa = 1\nb = 2\n", b"\xef\xbb\xbfa = 1\nB = 2\n"),
        (b"# coding: latin-1\nb = '\xe9'\n", b"# coding: latin-1\nB = 2\n"),
        (b"a = '\xff\xfe'\nb = 2\n", b"a = '\xff\xfe'\nB = 2\n"),
        (b"a\x0cb\nb = 2\nmixed\r\n", b"a\x0cb\nB = 2\nmixed\r\n"),
        (b"a\nb = 2", b"a\nB = 2"),
    ],
)
def test_what_is_not_edited_stays_byte_by_byte(bench, before, after) -> None:
    path = put(bench, "d.py", before)
    bench.ok("edit_file", path="pkg/d.py", first_line=2, last_line=2, new_text="B = 2\n")
    assert path.read_bytes() == after


def test_an_encoding_that_cannot_hold_the_text_is_told(bench) -> None:
    path = put(bench, "e.py", b"# coding: latin-1\nx = 1\n")
    told = bench.no("edit_file", path="pkg/e.py", first_line=2, last_line=2, new_text="x = '\u20ac'")
    assert "written in iso-8859-1" in told
    assert "not a text" in bench.no("edit_file", path="pkg/e.py", first_line=2, last_line=2, new_text="\0")
    assert path.read_bytes() == b"# coding: latin-1\nx = 1\n"


def test_an_edit_that_is_off_by_one_shows_at_once(bench) -> None:
    told = bench.ok("edit_file", path="pkg/a.py", first_line=4, last_line=4, new_text="    return float(1)\n")
    assert "no longer valid Python" in told
    assert "4|     return float(1)" in told
    bench.ok("revert_last")
    assert bench.box.patch() == ""


def test_replacing_all_tells_how_many_and_what_was_not_found(bench) -> None:
    path = put(bench, "g.py", b"np.int\r\nnp.int\r\n")
    told = bench.ok("replace_all_in_file", path="pkg/g.py", old_text="np.int\n", new_text="int\n")
    assert told.startswith("2 occurrences")
    assert path.read_bytes() == b"int\r\nint\r\n"
    assert "does not contain" in bench.no("replace_all_in_file", path="pkg/g.py", old_text="z", new_text="")
    assert "changes nothing" in bench.no("replace_all_in_file", path="pkg/g.py", old_text="t", new_text="t")
    put(bench, "h.py", b"a" * 1_000_000)
    assert "larger than" in bench.no(
        "replace_all_in_file", path="pkg/h.py", old_text="a", new_text="b" * 1000
    )


def test_the_last_five_edits_can_be_taken_back(bench) -> None:
    path = put(bench, "i.py", b"x = 0\n")
    for number in range(1, 8):
        bench.ok("edit_file", path="pkg/i.py", first_line=1, last_line=1, new_text=f"x = {number}")
    for _ in range(5):
        bench.ok("revert_last")
    assert path.read_bytes() == b"x = 2\n"
    assert "no edit to take back" in bench.no("revert_last")
    assert "+x = 2" in bench.box.patch()


def test_an_executable_stays_one_and_no_file_is_made(bench) -> None:
    path = put(bench, "j.py", b"x = 0\n")
    path.chmod(0o755)
    bench.ok("edit_file", path="pkg/j.py", first_line=1, last_line=1, new_text="x = 1")
    assert path.stat().st_mode & 0o777 == 0o755
    assert "new files cannot be made" in bench.no(
        "edit_file", path="pkg/new.py", first_line=1, last_line=0, new_text="x"
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from([b"a\n", b"b\r\n", b"\xff\n", b"\x0c\n", b"  c\n"]), min_size=1, max_size=12),
    st.booleans(),
    st.lists(st.tuples(st.integers(1, 14), st.integers(0, 14), st.text(max_size=12)), max_size=5),
)
def test_the_patch_makes_the_tree_that_the_edits_made(bench, tmp_path_factory, lines, cut, edits) -> None:
    data = b"".join(lines)
    path = put(bench, "k.txt", data[:-1] if cut else data)
    before = path.read_bytes()
    fresh = type(bench)(bench.root)
    for first, last, text in edits:
        fresh.call("edit_file", path="pkg/k.txt", first_line=first, last_line=last, new_text=text)
    work = tmp_path_factory.mktemp("apply")
    (work / "pkg").mkdir()
    (work / "pkg" / "k.txt").write_bytes(before)
    patch = fresh.box.patch()
    if patch and path.read_bytes():
        subprocess.run(
            ["git", "apply", "-p0", "--whitespace=nowarn", "-"],
            cwd=work,
            input=encode_patch(patch),
            check=True,
            capture_output=True,
        )
        assert (work / "pkg" / "k.txt").read_bytes() == path.read_bytes()
