"""Indices in trees of Python's syntax."""

from __future__ import annotations

import ast

from moved_python import moved_python

from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.sources.index_nodes import index_nodes

READER = """import ast


def index_of(text):
    node = ast.parse(text, mode="eval").body
    if isinstance(node.slice, ast.Index):
        return ast.literal_eval(node.slice.value)
    return None
"""


def proposed(
    text: str,
    kind: CauseKind = CauseKind.ASSERTION,
    new: str = "3.12.1",
    executed: frozenset[int] = frozenset({6}),
    **more: object,
) -> list[str]:
    cause = Cause(kind=kind, type="AssertionError", message="assert None == 1")
    group, evidence = moved_python(text, cause, new=new, executed=executed, **more)
    return [one.file_edits[0].text for one in index_nodes(group, evidence)]


def test_the_index_is_read_as_it_is_now() -> None:
    (text,) = proposed(READER)
    assert text == READER.replace(
        "isinstance(node.slice, ast.Index)", "not isinstance(node.slice, ast.Slice)"
    ).replace("node.slice.value", "node.slice")
    names: dict[str, object] = {"ast": ast}
    exec(compile(text, "a", "exec", dont_inherit=True), names)
    assert names["index_of"]("x[1]") == 1  # type: ignore[operator]
    assert names["index_of"]("x[1:2]") is None  # type: ignore[operator]


def test_what_is_denied_is_asked_straight() -> None:
    denied = READER.replace("if isinstance(node.slice", "if not isinstance(node.slice")
    (text,) = proposed(denied)
    assert "if isinstance(node.slice, ast.Slice):" in text


def test_others_are_left_alone() -> None:
    assert proposed(READER, kind=CauseKind.MISSING_MODULE) == []
    assert proposed(READER, new="3.8.18") == []
    assert proposed(READER, executed=frozenset({5})) == []
    assert proposed(READER, kept_files=frozenset({"a.py"})) == []
    assert proposed("import ast\nx = node.slice\ny = cut.value\nz = isinstance(node.slice, int)\n") == []
