"""Lines of two texts beside each other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from backdate.editing.encodings import split_lines
from backdate.editing.line_maps import LineMap, line_units, with_units

OLD = "import a\n\nx = a.one\ny = a.two\nz = 3\n"
NEW = "import a\nimport b\n\nx = a.uno\ny = a.due\nz = 3\n"

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\n", "d"]), max_size=12).map("".join)


def test_each_changed_line_is_a_unit_of_its_own() -> None:
    units = line_units(split_lines(OLD), split_lines(NEW))
    assert units == ((1, 1, 1, 2), (2, 3, 3, 4), (3, 4, 4, 5))


def test_some_units_alone_are_made() -> None:
    old, new = split_lines(OLD), split_lines(NEW)
    units = line_units(old, new)
    assert with_units(old, new, units[2:]) == OLD.replace("a.two", "a.due")
    assert with_units(old, new, [units[0], units[1]]) == NEW.replace("a.due", "a.two")


def test_lines_are_followed_both_ways() -> None:
    lines, back = LineMap.between(OLD, NEW), LineMap.between(NEW, OLD)
    assert lines.of({1, 3, 5}) == {1, 4, 6}
    assert back.of({2}) == frozenset()
    assert back.of({4, 6}) == {3, 5}
    assert lines.changed == {2, 4, 5}


def test_lines_that_went_are_no_lines_any_more() -> None:
    lines = LineMap.between("a\nb\nc\n", "a\nc\n")
    assert lines.of({1, 2, 3}) == {1, 2}
    assert lines.changed == {2}


@given(TEXTS, TEXTS)
def test_all_units_make_the_new_text_and_none_the_old_one(old: str, new: str) -> None:
    before, after = split_lines(old), split_lines(new)
    units = line_units(before, after)
    assert with_units(before, after, units) == new
    assert with_units(before, after, ()) == old
