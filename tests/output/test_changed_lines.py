"""The lines that a patch changes, as an answer shows them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from backdate.editing.diff import diff_files
from backdate.output.changed_lines import changed_lines

BEFORE = b"import a\n\n\nx = a.old()\n" + b"y = 1\n" * 9 + b"z = a.old()\nlast = 2\n"
AFTER = BEFORE.replace(b"a.old()", b"a.new()").replace(b"last = 2\n", b"last = 2\nmore = 3\n")


def shown(patch: str) -> list[str]:
    return [text.strip() for text, _ in changed_lines(patch)]


def test_each_place_with_what_goes_and_what_comes() -> None:
    assert shown(diff_files({"src/m.py": BEFORE}, {"src/m.py": AFTER})) == [
        "src/m.py:4",
        "- x = a.old()",
        "+ x = a.new()",
        "src/m.py:14",
        "- z = a.old()",
        "+ z = a.new()",
        "src/m.py:16",
        "+ more = 3",
    ]


def test_lines_that_look_like_headers_are_lines() -> None:
    old, new = b"-- a comment\nx\n", b"++ another\nx\n"
    assert shown(diff_files({"q.sql": old}, {"q.sql": new})) == ["q.sql:1", "- -- a comment", "+ ++ another"]


def test_of_a_long_patch_the_first() -> None:
    old = {"m.py": b"".join(b"a%d\n" % number for number in range(40))}
    new = {"m.py": b"".join(b"b%d\n" % number for number in range(40))}
    lines = shown(diff_files(old, new))
    assert len(lines) == 25
    assert lines[-1] == "and 57 more lines (--format json has the patch)"


@given(st.lists(st.sampled_from([b"a", b"- b", b"-- c", b"@@ d", b"+++ e"])), st.data())
def test_what_is_shown_is_what_differs(old: list[bytes], data: st.DataObject) -> None:
    new = [*data.draw(st.permutations(old)), b"new"]
    texts = [b"".join(line + b"\n" for line in lines) for lines in (old, new)]
    lines = [text for text, _ in changed_lines(diff_files({"f": texts[0]}, {"f": texts[1]}))]
    if len(lines) <= 24:
        gone = [line[8:] for line in lines if line.startswith("      - ")]
        come = [line[8:] for line in lines if line.startswith("      + ")]
        assert len(new) - len(old) == len(come) - len(gone)
        assert all(line.encode() in old for line in gone)
        assert all(line.encode() in new for line in come)
