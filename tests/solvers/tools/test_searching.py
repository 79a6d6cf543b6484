"""Searching: the quick way and the slow way find the same lines."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.solvers.tools.interface import ToolRefusal
from backdate.solvers.tools.searching import compile_pattern, matching_lines

PATTERNS = [
    "a",
    "a+b",
    "[^a]b",
    r"\s+b",
    r"a\b",
    r"\Bb",
    "x*",
    "a|b",
    r"a[\s\S]*b",
    "^a",
    "b$",
    r"\Aa",
    "(?i)A",
    "(",
    ".",
]


@given(st.sampled_from(PATTERNS), st.text("ab x\n\r", max_size=40))
def test_every_line_that_matches_by_itself_is_found(pattern: str, text: str) -> None:
    found = [number for number, _ in matching_lines(compile_pattern(pattern), text.encode())]
    compiled = re.compile(re.escape(pattern) if pattern == "(" else pattern)
    lines = re.split(r"\r\n|\n|\r", text)
    assert found == [number for number, line in enumerate(lines, start=1) if compiled.search(line)]


def test_many_lines_that_only_seem_to_match_do_not_cost_a_search_each() -> None:
    data = b"a\n" * 50_000 + b"b\n"
    assert list(matching_lines(compile_pattern(r"a[\s\S]*b"), data)) == []


@pytest.mark.parametrize("query", ["", "  ", "x" * 2000])
def test_empty_and_endless_queries_are_refused(query: str) -> None:
    with pytest.raises(ToolRefusal):
        compile_pattern(query)


def test_bytes_that_are_not_utf8_are_searched(tmp_path) -> None:
    assert [number for number, _ in matching_lines(compile_pattern("caf"), b"\xff\ncaf\xe9\n")] == [2]
    assert [number for number, _ in matching_lines(compile_pattern("café"), "x\ncafé\n".encode())] == [2]
