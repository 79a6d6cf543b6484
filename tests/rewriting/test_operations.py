"""Methods in the place of operators."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import ReplaceUse
from backdate.rewriting.rewrite_source import rewrite_source

COMMON = ReplaceUse(target=".__and__", template="{self}.intersection({0})")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = a.index & b.index\n", "x = a.index.intersection(b.index)\n"),
        ("x = (a | c) & b['x'] & d\n", "x = (a | c).intersection(b['x']).intersection(d)\n"),
        ("x = -a & (b - 1)\n", "x = (-a).intersection(b - 1)\n"),
        ("for i in a & b: pass\n", "for i in a.intersection(b): pass\n"),
        ("x = (a & b).c\n", "x = a.intersection(b).c\n"),
        ("x = not(a & b).c\n", "x = not(a.intersection(b)).c\n"),
        ("x = (a &\n b).c\n", "x = (a.intersection(b)).c\n"),
        ("x = ((a & b) & c)[0]\n", "x = a.intersection(b).intersection(c)[0]\n"),
        ("x = a | b\n", "x = a | b\n"),
        ("x &= b\n", "x &= b\n"),
        ("x = '&'\n", "x = '&'\n"),
    ],
)
def test_a_method_takes_the_place_of_an_operator(before: str, after: str) -> None:
    assert apply_edits(before, rewrite_source(before, COMMON, lines=frozenset({1})).edits) == after
