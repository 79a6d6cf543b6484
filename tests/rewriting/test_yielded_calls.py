"""Tests that yield calls, as nose and pytest 3 ran them, call them."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import CallYielded
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.rewriting.rewritten import LeftAloneReason
from backdate.rewriting.yielded_calls import yield_tests

EVERY = frozenset(range(1, 60))


def rewritten(text: str, *lines: int) -> str:
    made = rewrite_source(text, CallYielded(), lines=frozenset(lines) or EVERY)
    return apply_edits(text, made.edits)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("yield assert_equal, f(a), b", "assert_equal(f(a), b)"),
        ("yield self.check, a  # why", "self.check(a)  # why"),
        ("yield assert_raises, ValueError, lambda: f(a)", "assert_raises(ValueError, lambda: f(a))"),
        ("yield check", "check()"),
        ("yield (check, a)", "check(a)"),
        ("yield (\n            check,\n            a,\n        )", "check(\n            a,\n        )"),
    ],
)
def test_a_yield_becomes_the_call(before: str, after: str) -> None:
    text = "def test_it():\n    for a in [1, 2]:\n        {}\n"
    assert rewritten(text.format(before)) == text.format(after)
    method = "class TestIt:\n    def test_it(self):\n        {}\n"
    assert rewritten(method.format(before)) == method.format(after)


@pytest.mark.parametrize(
    "text",
    [
        "def values():\n    yield check, 1\n",
        "@fixture\ndef test_data():\n    yield check, 1\n",
        "def test_it():\n    def inner():\n        yield check, 1\n    list(inner())\n",
    ],
)
def test_what_is_no_test_stays(text: str) -> None:
    assert rewritten(text) == text
    assert list(yield_tests(text)) == []


@pytest.mark.parametrize(
    "line", ["x = yield check, 1", "yield", "yield 1", "yield from checks()", "yield 'a', f"]
)
def test_a_test_with_another_yield_is_left_alone(line: str) -> None:
    text = f"def test_it():\n    yield check, 1\n    {line}\n"
    made = rewrite_source(text, CallYielded(), lines=EVERY)
    assert made.edits == ()
    assert [left.reason for left in made.left] == [LeftAloneReason.ARGUMENTS]


def test_only_tests_on_the_lines_change() -> None:
    text = "def test_a():\n    yield f, 1\n\ndef test_b():\n    yield f, 2\n"
    assert list(yield_tests(text)) == [("test_a", 1, (2,)), ("test_b", 4, (5,))]
    assert rewritten(text, 5) == text.replace("yield f, 2", "f(2)")
