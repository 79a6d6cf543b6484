from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.evaluation import edits as edits_module
from backdate.evaluation.edits import EditedLine, edited_lines, new_lines, precision

TEXTS = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=8).map("\n".join)
BEFORE = "import a\nx = a.old(1)\ny = 2\n"


def lines(before: str, after: str) -> set[int]:
    return {edit.line for edit in edited_lines({"m.py": before}, {"m.py": after})}


def test_a_replaced_line_is_that_line() -> None:
    assert lines(BEFORE, BEFORE.replace("old", "new")) == {2}


def test_a_deleted_line_is_that_line() -> None:
    assert lines(BEFORE, "import a\nx = a.old(1)\n") == {3}


def test_lines_added_at_one_place_are_one_unit() -> None:
    assert lines(BEFORE, "import a\nimport b\nimport c\nx = a.old(1)\ny = 2\n") == {1}


def test_added_lines_at_the_top_are_line_zero() -> None:
    assert lines(BEFORE, "import z\n" + BEFORE) == {0}


def test_a_file_that_is_new_is_an_addition() -> None:
    assert edited_lines({}, {"n.py": "x\ny\n"}) == {EditedLine("n.py", 0)}


def test_half_of_the_edits_are_needed() -> None:
    gold = edited_lines({"m.py": BEFORE}, {"m.py": BEFORE.replace("old", "new")})
    edits = edited_lines({"m.py": BEFORE}, {"m.py": BEFORE.replace("old", "other").replace("y = 2", "y = 3")})
    assert precision(edits, gold) == 0.5


FILE = "import os\nimport gone\n\n\ndef f(x):\n    a = gone.one(x)\n    b = gone.two(x)\n    return a, b\n"


def changed(*changes: tuple[str, str]) -> str:
    text = FILE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


ONE = ("gone.one(x)", "here.one(x)")
ADDED = ("import gone\n", "import gone\nimport here\n")
TWO = ("gone.two(x)", "here.two(x)")


@pytest.mark.parametrize(
    ("gold", "answer", "shared", "edits"),
    [
        # Replacement: each replaced line is a unit, whatever it was replaced with.
        ([ONE], [ONE], 1, 1),
        ([ONE], [("gone.one(x)", "x")], 1, 1),
        ([ONE], [ONE, TWO], 1, 2),
        ([ONE, TWO], [ONE], 1, 1),
        ([ONE], [TWO], 0, 1),
        ([ONE], [("    a = gone.one(x)", "    a = 1\n    a += 1\n    a += x")], 1, 1),  # one line by three
        # Deletion: each deleted line is a unit; deleting and replacing a line edit the same one.
        ([("import gone\n", "")], [("import gone\n", "")], 1, 1),
        ([("import gone\n", "")], [("import gone", "import here")], 1, 1),
        ([("import gone\n", "")], [("import os\nimport gone\n", "")], 1, 2),
        # Addition: what is added at one place is one unit, the line that it follows.
        ([ADDED], [("import gone\n", "import gone\nx = 1\ny = 2\n")], 1, 1),
        ([ADDED], [("import os\n", "import os\nimport here\n")], 0, 1),
        ([ADDED], [ADDED, ONE], 1, 2),
        ([("import os\n", "import here\nimport os\n")], [("import os\n", "import there\nimport os\n")], 1, 1),
    ],
)
def test_the_three_kinds_of_edits_by_hand(gold, answer, shared, edits) -> None:
    # Appendix B.2 and Figure 8 of arXiv 2601.22597: replacement, deletion, addition; Equation 3 over them
    wanted = edited_lines({"m.py": FILE}, {"m.py": changed(*gold)})
    found = edited_lines({"m.py": FILE}, {"m.py": changed(*answer)})
    assert (len(found & wanted), len(found)) == (shared, edits)
    assert precision(found, wanted) == shared / edits


def test_the_same_line_of_another_file_is_another_unit() -> None:
    before = {"m.py": FILE, "n.py": FILE}
    gold = edited_lines(before, {**before, "m.py": changed(ONE)})
    both = edited_lines(before, {"m.py": changed(ONE), "n.py": changed(ONE)})
    assert precision(both, gold) == 0.5


def test_lines_are_those_that_python_counts() -> None:
    paged = "import os\n\f\ndef f():\n    return '\u2028', '\x1c', 1\n"
    assert lines(paged, paged.replace("1", "2")) == {4}
    assert new_lines(paged, paged.replace("1", "2")) == {4}
    old_mac = "a\rb\rc\r"
    assert lines(old_mac, old_mac.replace("b", "x")) == {2}


def test_other_line_ends_are_no_edit() -> None:
    windows = FILE.replace("\n", "\r\n")
    assert lines(FILE, windows) == set()
    assert lines(windows, changed(ONE)) == {6}
    assert lines(FILE, FILE.rstrip("\n")) == set()


def test_an_answer_that_would_take_long_is_compared_as_one_edit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edits_module, "_MOST_STEPS", 1_000_000)
    old = "first\n" + "".join(f"    pass\n{number}\n" for number in range(10_000)) + "last\n"
    new = "first\n" + "".join(f"    pass\n-{number}\n" for number in range(10_000)) + "last\n"
    assert len(edited_lines({"a.py": old}, {"a.py": new})) == 19_999  # not 10,000, which took hours
    assert max(new_lines(old, new)) == 20_001


def test_two_edits_far_apart_are_two_edits() -> None:
    lines = [word for number in range(1_000) for word in (f"def f{number}():", "    return 1", "", "")]
    other = [*lines]
    other[1], other[-3] = "    return 2", "    return 3"
    edits = edited_lines({"a.py": "\n".join(lines)}, {"a.py": "\n".join(other)})
    assert sorted(one.line for one in edits) == [2, 3_998]


def test_no_edit_is_not_precise() -> None:
    assert precision(frozenset(), frozenset({EditedLine("m.py", 1)})) == 0.0


@given(TEXTS, TEXTS)
def test_a_patch_agrees_with_itself(before: str, after: str) -> None:
    edits = edited_lines({"m.py": before}, {"m.py": after})
    assert precision(edits, edits) == (1.0 if edits else 0.0)
    assert bool(edits) == (before.splitlines() != after.splitlines())
    assert all(0 <= edit.line <= len(before.splitlines()) for edit in edits)


@given(TEXTS, TEXTS, TEXTS, TEXTS)
def test_what_surrounds_a_change_only_moves_it(head: str, before: str, after: str, tail: str) -> None:
    def surrounded(text: str) -> str:
        return f"{head}\nFIRST\n{text}\nLAST\n{tail}"

    moved = lines(surrounded(before), surrounded(after))
    start = len(f"{head}\nFIRST\n".splitlines())
    assert all(start <= line <= start + len(before.splitlines()) + 1 for line in moved)
