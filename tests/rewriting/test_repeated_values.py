"""What a template has twice: written again where nothing is computed, else bound to a name."""

from __future__ import annotations

import ast

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import ReplaceUse
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.rewriting.rewritten import LeftAloneReason

MAD = ReplaceUse(target=".mad", template="({self} - {self}.mean()).abs()")
ORDERED = ReplaceUse(target=".mad", template="{0} if {self} else {self}")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = a['b'].mad()\n", "x = (a['b'] - a['b'].mean()).abs()\n"),
        ("x = a[[k, 'b'], 1:2].mad()\n", "x = (a[[k, 'b'], 1:2] - a[[k, 'b'], 1:2].mean()).abs()\n"),
        ("def a(): x = f().mad()\n", "def a(): x = ((found := f()) - found.mean()).abs()\n"),
        ("x = lambda b: f(b).mad()\n", "x = lambda b: ((found := f(b)) - found.mean()).abs()\n"),
        ("def a(): x = f().b.mad()\n", "def a(): x = ((found := f().b) - found.mean()).abs()\n"),
        ("def a(): x = (a - f()).mad()\n", "def a(): x = ((found := a - f()) - found.mean()).abs()\n"),
        ("def a(): found = f().mad()\n", "def a(): found = ((found_1 := f()) - found_1.mean()).abs()\n"),
    ],
)
def test_a_value_is_computed_once(before: str, after: str) -> None:
    ast.parse(after)
    assert apply_edits(before, rewrite_source(before, MAD, lines=frozenset({1})).edits) == after


@pytest.mark.parametrize(
    ("source", "rewrite"),
    [
        ("x = f().mad()\n", MAD),
        ("def a(): x = [f(a).mad() for a in b]\n", MAD),
        ("def a(): x = lambda b=f().mad(): b\n", MAD),
        ("class A: x = f().mad()\n", MAD),
        ("def a(): x = f().mad(1)\n", ORDERED),
        ("def a(): x = f'{f().mad()}'\n", MAD),
    ],
)
def test_where_no_name_can_be_bound_a_computed_value_is_left_alone(source: str, rewrite: ReplaceUse) -> None:
    made = rewrite_source(source, rewrite, lines=frozenset({1}))
    assert made.edits == ()
    assert [left.reason for left in made.left] == [LeftAloneReason.ARGUMENTS]
