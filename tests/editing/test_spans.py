"""Edits at spans: the value changes as asked, and nothing else in the file does."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit, Fragment, apply_edits


@given(st.text(min_size=1, max_size=30), st.text(max_size=10), st.data())
def test_a_plain_fragment_is_replaced_in_its_file(text: str, replacement: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    content = f"before {text} after"
    fragment = Fragment.plain(text, len("before "))
    changed = apply_edits(content, fragment.replace(start, end, replacement))
    assert changed == f"before {text[:start]}{replacement}{text[end:]} after"


@given(st.data())
def test_a_value_of_several_literals_is_replaced_through_its_parts(data: st.DataObject) -> None:
    parts = data.draw(st.lists(st.text(alphabet="ab'\n\\", min_size=1, max_size=5), min_size=1, max_size=4))
    source = "x = (" + "  # a comment\n  ".join(map(repr, parts)) + "\n)"
    value = "".join(parts)
    node = ast.parse(source).body[0].value  # type: ignore[attr-defined]
    fragment = SourceText(source).literal(node)
    assert fragment is not None
    start = data.draw(st.integers(0, len(value) - 1))
    end = data.draw(st.integers(start + 1, len(value)))
    changed = apply_edits(source, fragment.replace(start, end, "Z"))
    assert ast.literal_eval(changed.removeprefix("x = ")) == value[:start] + "Z" + value[end:]
    assert changed.count("# a comment") == len(parts) - 1


def test_a_cut_takes_what_stands_between_the_parts() -> None:
    fragment = Fragment("ab", (0, 5), (1, 6))
    assert apply_edits("a \\\n b!", [fragment.cut(0, 2)]) == "!"


def test_an_empty_span_and_overlapping_edits_are_errors() -> None:
    with pytest.raises(ValueError, match="not empty"):
        Fragment.plain("a", 0).replace(1, 1, "x")
    with pytest.raises(AssertionError, match="overlapping"):
        apply_edits("abc", [Edit(0, 2, ""), Edit(1, 3, "")])
