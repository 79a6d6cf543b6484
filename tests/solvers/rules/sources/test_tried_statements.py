"""A statement is put between ``try`` and a handler, and the rest of its file stays."""

from __future__ import annotations

import ast

import pytest

from backdate.editing.spans import apply_edits
from backdate.solvers.rules.sources.tried_statements import tried


def put(text: str, line: int) -> str:
    tree = ast.parse(text)
    statement = next(node for node in ast.walk(tree) if isinstance(node, ast.Assign) and node.lineno == line)
    around = next((one for one in ast.walk(tree) if isinstance(one, ast.Try) and statement in one.body), None)
    return apply_edits(text, tried(text, statement, ("except E:", "    x = None"), around))


def test_it_stands_one_level_further_in() -> None:
    text = "def f():\r\n    x = g(\r\n        1,\r\n    )  # why\r\n    return x\r\n"
    assert put(text, 2) == (
        "def f():\r\n    try:\r\n        x = g(\r\n            1,\r\n        )  # why\r\n"
        "    except E:\r\n        x = None\r\n    return x\r\n"
    )
    assert put("x = g()", 1) == "try:\n    x = g()\nexcept E:\n    x = None\n"


def test_where_it_is_tried_already_another_handler_is_enough() -> None:
    text = "try:\n    x = g()\nexcept F:\n    x = 1\ny = x\n"
    assert put(text, 2) == "try:\n    x = g()\nexcept F:\n    x = 1\nexcept E:\n    x = None\ny = x\n"
    two = "try:\n    x = g()\n    h()\nexcept F:\n    x = 1\n"
    assert put(two, 2) == (
        "try:\n    try:\n        x = g()\n    except E:\n        x = None\n    h()\nexcept F:\n    x = 1\n"
    )


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x = g(); y = 1\n", 1),
        ("if y: x = g()\n", 1),
        ("x = g('''a\nb''')\n", 1),
        ("try:\n    x = g()\nexcept:\n    pass\n", 2),
    ],
)
def test_what_would_change_or_cannot_be_told_apart_stays(text: str, line: int) -> None:
    assert put(text, line) == text
