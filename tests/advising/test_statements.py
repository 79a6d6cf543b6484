"""Statements of two releases of a module, compared without their layout."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import backdate
from backdate.advising.statements import changed_statements, statements_of

OLD = '''
"""Documentation."""
import os

LEVEL: int = 1

class Group(Base):
    """More."""

    @cached
    def parse(self, args: list, *, strict=False) -> None:
        if not args and strict:
            echo("help",
                 color=True)
        try:
            run()
        except (ValueError, KeyError) as error:
            raise Wrong(error)
        finally:
            pass
'''


def texts(source: str) -> list[str]:
    return [one.text for one in statements_of(source)]


def changed(new: str, old: str) -> list[str]:
    return [one.text for one in changed_statements(statements_of(new), statements_of(old))]


def test_statements_have_their_scope_lines_and_head() -> None:
    found = {one.text: one for one in statements_of(OLD)}
    assert found["LEVEL = 1"].names == {"LEVEL"}
    assert not found["LEVEL = 1"].in_function
    head = found["def parse(self, args, *, strict=False):"]
    assert (head.scope, head.is_head, head.first, head.last) == ("Group.parse", True, 10, 11)
    shown = found["echo('help', color=True)"]
    assert (shown.first, shown.last, shown.under) == (13, 14, "if not args and strict:")
    assert found["raise Wrong(error)"].under == "except (ValueError, KeyError):"
    assert "import os" not in found
    assert len(found) == 9


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("def f(self):\n    self.args = split(1)", "def _f(self):\n    self._args = _split(1)", []),
        ("x = _a(1)", "x = __a(1)", ["x = __a(1)"]),
        ("def f(a):\n    return a\n", "def f(a: int) -> int:\n    '''Say.'''\n    return (a)  # so\n", []),
        ("x = f(a)\n", "x = t.cast(T, f(a))\n", []),
        ("class A(object):\n    x = None\n", "class A:\n    x: int\n", []),
        ("x = 'a'\n", 'x = "a"\n', []),
        ("def f(a=1):\n    return a\n", "def f(a=2):\n    return a\n", ["def f(a=2):"]),
        (
            "class A:\n    def f(self):\n        g(1)\n",
            "class B:\n    def f(self):\n        g(1)\n",
            ["class B:"],
        ),
        (
            "def f():\n    g(1)\ndef h():\n    k()\n",
            "def f():\n    g(1)\n    k()\ndef h():\n    k()\n",
            ["k()"],
        ),
        ("if a:\n    b()\n", "if a and c:\n    b()\n", ["if a and c:"]),
        ("@old\ndef f(): pass\n", "@new\ndef f(): pass\n", ["@new"]),
        ("async def f():\n    async with a: b()\n", "async def f():\n    with a: b()\n", []),
    ],
)
def test_what_changed_is_found(old: str, new: str, expected: list[str]) -> None:
    assert changed(new, old) == expected


@pytest.mark.parametrize(
    "source", ["print 'a'", "x = (", "\0", "(" * 5000, "x" * 3_000_000, "x = 1\n" * 60_000]
)
def test_what_cannot_be_parsed_has_none(source: str) -> None:
    assert statements_of(source) == ()


FILES = sorted(Path(backdate.__file__).parent.rglob("*.py"))


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(FILES))
def test_another_layout_changes_nothing(path: Path) -> None:
    source = path.read_text()
    written = ast.unparse(ast.parse(source))
    assert changed(written, source) == changed(source, written) == []
    lines = source.count("\n") + 1
    assert all(1 <= one.first <= one.last <= lines for one in statements_of(source))
