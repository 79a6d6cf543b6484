"""Tests that hand calls to their runner: ``yield check, value`` becomes ``check(value)``."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from backdate.editing.spans import Edit
from backdate.rewriting.rewrite import CallYielded
from backdate.rewriting.rewritten import LeftAlone, LeftAloneReason, RewrittenSource
from backdate.rewriting.source_tree import SourceTree, source_tree

_FUNCTIONS = frozenset({"identifier", "attribute"})
_INNER = frozenset({"function_definition", "lambda", "class_definition"})


def yield_tests(text: str) -> Iterator[tuple[str, int, tuple[int, ...]]]:
    """The tests of a file that yield: the name, its line, and the lines of the yields."""
    tree = source_tree(text)
    for function in _tests(tree):
        name = function.child_by_field_name("name")
        if name is not None:
            lines = tuple(tree.line(node.start_byte) for node in _yields(function))
            yield tree.code(name), tree.line(function.start_byte), lines


def call_yielded(tree: SourceTree, _: CallYielded, lines: frozenset[int] | None) -> RewrittenSource:
    """The edits for tests with a ``yield`` on ``lines``: all of a test, or nothing where one is no call."""
    edits: list[Edit] = []
    left: list[LeftAlone] = []
    for function in _tests(tree):
        yields = list(_yields(function))
        if lines is not None and lines.isdisjoint(tree.line(node.start_byte) for node in yields):
            continue
        made = [_called(tree, node) for node in yields]
        whole = [edit for edit in made if edit is not None]
        if len(whole) == len(made):
            edits += whole
        else:
            line = tree.line(function.start_byte)
            left.append(LeftAlone(reason=LeftAloneReason.ARGUMENTS, line=line))
    changed = sorted({tree.line(edit.start) for edit in edits})
    return RewrittenSource(edits=tuple(sorted(edits)), lines=tuple(changed), left=tuple(left))


def _tests(tree: SourceTree) -> Iterator[Node]:
    """Functions and methods called ``test…``, not decorated, that yield."""
    for node in _statements(tree.root):
        name = node.child_by_field_name("name")
        is_test = node.type == "function_definition" and name is not None
        if is_test and name is not None and tree.code(name).startswith("test") and any(_yields(node)):
            yield node


def _statements(root: Node) -> Iterator[Node]:
    """Those of the outermost level and of classes on it."""
    for node in root.named_children:
        yield node
        body = node.child_by_field_name("body") if node.type == "class_definition" else None
        if body is not None:
            yield from body.named_children


def _yields(function: Node) -> Iterator[Node]:
    body = function.child_by_field_name("body")
    waiting = list(reversed(body.children)) if body is not None else []
    while waiting:
        node = waiting.pop()
        if node.type == "yield" and node.is_named:
            yield node
        if node.type not in _INNER:
            waiting += reversed(node.children)


def _called(tree: SourceTree, node: Node) -> Edit | None:
    """The call in the place of one ``yield``; None where it is none, or its value is used."""
    given = [child for child in node.named_children if child.type != "comment"]
    inner = given[0] if len(given) == 1 else None
    if node.parent is None or node.parent.type != "expression_statement" or inner is None:
        return None
    parts = inner.named_children if inner.type in ("expression_list", "tuple") else [inner]
    if not parts or parts[0].type not in _FUNCTIONS or any(part.type == "comment" for part in parts):
        return None
    if inner.type == "tuple" and len(parts) > 1:  # as it is laid out, but for the name
        comma = tree.text.index(",", parts[0].end_byte)
        rest = tree.text[comma + 1 : inner.end_byte].lstrip(" ")
        return Edit(node.start_byte, node.end_byte, f"{tree.code(parts[0])}({rest}")
    arguments = tree.text[parts[1].start_byte : parts[-1].end_byte] if len(parts) > 1 else ""
    return Edit(node.start_byte, node.end_byte, f"{tree.code(parts[0])}({arguments})")
