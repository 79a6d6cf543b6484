"""Functions that a decorator made coroutines of, as ``async def`` (PEP 492)."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from backdate.editing.spans import Edit
from backdate.rewriting.decorators import decorated_functions, without_decorator
from backdate.rewriting.guards import is_guarded
from backdate.rewriting.import_edits import ImportEdits
from backdate.rewriting.names import SourceNames
from backdate.rewriting.rewrite import DecoratedCoroutine
from backdate.rewriting.rewritten import LeftAlone, LeftAloneReason, RewrittenSource
from backdate.rewriting.source_tree import SourceTree

_INNER = frozenset({"function_definition", "lambda", "class_definition"})
_PRIMARY = frozenset(
    {"call", "attribute", "identifier", "subscript", "parenthesized_expression", "string", "list", "none"}
)
_UNWRAPPED_IN = frozenset({"return_statement", "expression_statement", "assignment"})
"""Where the parentheses that a ``yield`` needs go, because an ``await`` needs none."""


def define_async(
    tree: SourceTree, rewrite: DecoratedCoroutine, lines: frozenset[int] | None
) -> RewrittenSource:
    """The edits for functions whose decorator is on ``lines``: all of the function, or nothing of it.

    A function that also yields is left alone: as an ``async def`` it would be an asynchronous generator.
    """
    names, imports = SourceNames(tree), ImportEdits(tree)
    edits: list[Edit] = []
    heads: set[int] = set()
    left: list[LeftAlone] = []
    for decorator, function in decorated_functions(tree, names, rewrite.decorator):
        line = tree.line(decorator.start_byte)
        if lines is not None and line not in lines:
            continue
        if is_guarded(tree, decorator, rewrite.decorator, "", anywhere=lines is None):
            left.append(LeftAlone(reason=LeftAloneReason.GUARDED, line=line))
            continue
        made = _asynchronous(tree, function)
        if made is None:
            left.append(LeftAlone(reason=LeftAloneReason.ARGUMENTS, line=line))
            continue
        edits += [without_decorator(tree, decorator), *made]
        heads |= {expression.start_byte for expression in decorator.named_children}
    if not edits:
        return RewrittenSource(left=tuple(left))
    for imported in names.imported():
        if imported.dotted == rewrite.decorator and names.is_unused(imported, heads):
            imports.drop_entry(imported)
    changed = sorted({tree.line(edit.start) for edit in edits})
    return RewrittenSource(
        edits=tuple(sorted({*edits, *imports.edits()})), lines=tuple(changed), left=tuple(left)
    )


def _asynchronous(tree: SourceTree, function: Node) -> list[Edit] | None:
    """The edits within a function; None where it cannot be an ``async def``."""
    first, body = function.child(0), function.child_by_field_name("body")
    if body is None or first is None or first.type != "def":
        return None
    edits = [Edit(function.start_byte, function.start_byte, "async ")]
    for node in _yields(body):
        waited = next(iter(node.named_children), None)
        if waited is None or not any(child.type == "from" for child in node.children):
            return None
        if tree.text[node.start_byte : waited.start_byte].split() != ["yield", "from"]:
            return None  # a comment, or a line that is continued
        edits += _awaited(tree, node, waited)
    return edits


def _yields(body: Node) -> Iterator[Node]:
    """The ``yield`` expressions of one function, without those of functions in it."""
    waiting = list(body.children)
    while waiting:
        node = waiting.pop()
        if node.type == "yield" and node.is_named:
            yield node
        if node.type not in _INNER:
            waiting += node.children


def _awaited(tree: SourceTree, node: Node, waited: Node) -> Iterator[Edit]:
    start, end = node.start_byte, node.end_byte
    parent = node.parent
    outer = parent.parent if parent is not None else None
    block = _with_over(parent)
    if parent is not None and block is not None:  # of a lock: PEP 492 has a statement for it
        yield Edit(block.start_byte, block.start_byte, "async ")
        yield Edit(parent.start_byte, waited.start_byte, "")
        yield Edit(waited.end_byte, parent.end_byte, "")
        return
    if parent is not None and parent.type == "parenthesized_expression" and outer is not None:
        # Over several lines the parentheses join what would else be two statements.
        one_line = tree.line(parent.start_byte) == tree.line(parent.end_byte)
        bare = tree.code(parent)[1:-1].strip() == tree.code(node)
        if outer.type in _UNWRAPPED_IN and one_line and bare:
            start, end = parent.start_byte, parent.end_byte
    if waited.type in _PRIMARY:
        yield Edit(start, waited.start_byte, "await ")
        if end > waited.end_byte:
            yield Edit(waited.end_byte, end, "")
        return
    yield Edit(start, waited.start_byte, "await (")
    yield Edit(waited.end_byte, end, ")")


def _with_over(enclosed: Node | None) -> Node | None:
    """The ``with`` statement whose only context is the expression in these parentheses."""
    node = enclosed
    if node is None or node.type != "parenthesized_expression":
        return None
    while node is not None and node.type in ("parenthesized_expression", "with_item", "with_clause"):
        parent = node.parent
        if node.type == "with_clause" and node.named_child_count != 1:
            return None
        node = parent
    return node if node is not None and node.type == "with_statement" else None
