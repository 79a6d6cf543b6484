"""Imports of what is gone, left out where nothing uses them."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import DropImport
from backdate.rewriting.rewrite_source import rewrite_source


def without(text: str, name: str) -> str:
    return apply_edits(text, rewrite_source(text, DropImport(name=name), lines=frozenset({1})).edits)


@pytest.mark.parametrize(
    ("before", "name", "after"),
    [
        ("from lib import old, new\nnew()\n", "lib.old", "from lib import new\nnew()\n"),
        ("from lib import old\nx = 1\n", "lib.old", "x = 1\n"),
        ("import imp, os\nos.sep\n", "imp", "import os\nos.sep\n"),
        ("from gone.part import a, b\nx = 1\n", "gone", "x = 1\n"),
        ("from lib import old as o, new\nnew()\n", "lib.old", "from lib import new\nnew()\n"),
        ("from lib import GC\nx = 'G' in 'GC'\n", "lib.GC", "x = 'G' in 'GC'\n"),
        ("from lib import old\nif kind == 'old': pass\n", "lib.old", "if kind == 'old': pass\n"),
    ],
)
def test_what_nothing_uses_is_left_out(before: str, name: str, after: str) -> None:
    assert without(before, name) == after


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("from lib import old\nold()\n", "lib.old"),
        ("from lib import old\n__all__ = ['old']\n", "lib.old"),
        ("from gone import a, b\na()\n", "gone"),
        ('from lib import old\ngetattr(module, u"old")\n', "lib.old"),
        ("from lib import old\ndef f(x: 'old'): pass\n", "lib.old"),
        ("from lib import older\n", "lib.old"),
        ("try: import imp\nexcept ImportError: pass\n", "imp"),
    ],
)
def test_all_else_stays(text: str, name: str) -> None:
    assert without(text, name) == text
