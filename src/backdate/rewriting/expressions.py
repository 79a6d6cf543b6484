"""Expressions of statements by the role that they have, and other ones in their place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from backdate.editing.spans import Edit
from backdate.rewriting.argument_edits import argument_value
from backdate.rewriting.calls import call_at
from backdate.rewriting.import_edits import ImportEdits
from backdate.rewriting.names import SourceNames
from backdate.rewriting.rewrite import ChangeWith, ExpressionRole, ReplaceExpression
from backdate.rewriting.rewritten import LeftAlone, LeftAloneReason, RewrittenSource
from backdate.rewriting.source_tree import SourceTree, ancestors, is_field, source_tree, statement_of
from backdate.rewriting.spelling import spell_expression
from backdate.rewriting.template import as_python, fill, given_by, is_template

_MOST_NODES = 5_000
"""Of one statement: a table of a million numbers is none that anybody restructures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedExpression:
    """An expression, and where it stands."""

    role: ExpressionRole
    code: str
    name: str = ""
    """Of a call of an attribute without arguments, the attribute; of an item its key, of keys their code."""
    in_async: bool = False
    """Whether it stands in an ``async`` function."""


def expressions_on(text: str, lines: frozenset[int]) -> tuple[PlacedExpression, ...]:
    """The expressions of the statements on ``lines``, the outer ones first; none of what is no Python."""
    tree = source_tree(text)
    if not tree.is_python:
        return ()
    found = {
        PlacedExpression(
            role=role, code=tree.code(node), name=_name(tree, role, node), in_async=_is_async(node)
        ): None
        for role, node in _on_lines(tree, lines)
    }
    return tuple(found)


def attributes_on(text: str, lines: frozenset[int]) -> tuple[str, ...]:
    """The attributes of objects that statements on ``lines`` read and do not call, the outer ones first."""
    tree = source_tree(text)
    found: dict[str, None] = {}
    for node in nodes_on(tree, lines) if tree.is_python else ():
        parent = node.parent
        attribute = node.child_by_field_name("attribute")
        if node.type != "attribute" or attribute is None or parent is None:
            continue
        is_called = parent.type == "call" and is_field(parent, "function", node)
        is_stored = parent.type in ("assignment", "augmented_assignment") and is_field(parent, "left", node)
        if not is_called and not is_stored:
            found[tree.code(attribute)] = None
    return tuple(found)


def replace_expression(
    tree: SourceTree, rewrite: ReplaceExpression, lines: frozenset[int] | None
) -> RewrittenSource:
    """The edits that put the template for the expression on ``lines``."""
    names, imports = SourceNames(tree), ImportEdits(tree)
    edits: list[Edit] = []
    wanted = _plain(rewrite.expression)
    for role, node in _on_lines(tree, lines or frozenset()):
        if role is not rewrite.role or _plain(tree.code(node)) != wanted or not is_template(rewrite.template):
            continue
        is_item = role in (ExpressionRole.ITEM, ExpressionRole.KEYS)
        inner = node.child_by_field_name("value") if is_item else node
        python = spell_expression(names, imports, as_python(rewrite.template), node)
        if inner is None or python is None:
            continue
        filled = fill(python, {"self": given_by(tree, inner)}, use=node)
        overlaps = any(edit.start < node.end_byte and node.start_byte < edit.end for edit in edits)
        if filled is not None and filled != tree.code(node) and not overlaps:
            edits.append(Edit(node.start_byte, node.end_byte, filled))
    if not edits:
        return RewrittenSource(left=(LeftAlone(reason=LeftAloneReason.NOT_THERE),))
    changed = sorted({tree.line(edit.start) for edit in edits})
    return RewrittenSource(edits=tuple(sorted({*edits, *imports.edits()})), lines=tuple(changed))


def change_with(tree: SourceTree, rewrite: ChangeWith, lines: frozenset[int] | None) -> RewrittenSource:
    """The edits that make ``with`` statements on ``lines`` asynchronous, or no longer so."""
    edits: list[Edit] = []
    for start in tree.words("with"):
        word = tree.root.descendant_for_byte_range(start, start + 4)
        statement = word.parent if word is not None and word.type == "with" else None
        if statement is None or statement.type != "with_statement":
            continue
        first = statement.child(0)
        is_async = first is not None and first.type == "async"
        header = statement.named_child(0)
        if header is None or lines is None or is_async == rewrite.to_async or first is None:
            continue
        rows = range(tree.line(statement.start_byte), tree.line(header.end_byte) + 1)
        if lines.isdisjoint(rows) or (rewrite.to_async and not _is_async(statement)):
            continue
        if rewrite.to_async:
            edits.append(Edit(statement.start_byte, statement.start_byte, "async "))
            edits += _without_await(tree, header) if rewrite.awaited else ()
        else:
            edits.append(Edit(first.start_byte, start, ""))
    changed = sorted({tree.line(edit.start) for edit in edits})
    left = () if edits else (LeftAlone(reason=LeftAloneReason.NOT_THERE),)
    return RewrittenSource(edits=tuple(edits), lines=tuple(changed), left=left)


def _without_await(tree: SourceTree, header: Node) -> Iterator[Edit]:
    """The edit that leaves of ``(await lock)`` or ``await lock`` the lock alone."""
    items = header.named_children
    value = items[0].named_child(0) if len(items) == 1 else None
    is_in_brackets = value is not None and value.type == "parenthesized_expression"
    awaited = value.named_child(0) if value is not None and is_in_brackets else value
    lock = awaited.named_child(0) if awaited is not None and awaited.type == "await" else None
    if value is not None and lock is not None:
        yield Edit(value.start_byte, value.end_byte, tree.code(lock))


def _on_lines(tree: SourceTree, lines: frozenset[int]) -> Iterator[tuple[ExpressionRole, Node]]:
    for node in nodes_on(tree, lines):
        for role in _roles(tree, node):
            yield role, node


def nodes_on(tree: SourceTree, lines: frozenset[int]) -> Iterator[Node]:
    """The nodes of the statements on ``lines``, or of their parts of compound ones, the outer ones first."""
    seen: set[tuple[int, int, str]] = set()
    for line in sorted(lines):
        start = tree.offset_of_line(line)
        if start is None:
            continue
        leaf = tree.root.descendant_for_byte_range(start, start)
        waiting = [statement_of(leaf)] if leaf is not None else []
        while waiting and len(seen) < _MOST_NODES:
            node = waiting.pop(0)
            key = (node.start_byte, node.end_byte, node.type)
            if key in seen or node.type == "module":
                continue
            seen.add(key)
            yield node
            waiting += [child for child in node.named_children if child.type != "block"]


def _roles(tree: SourceTree, node: Node) -> Iterator[ExpressionRole]:
    parent = node.parent
    if parent is None:
        return
    if node.type == "call":
        yield ExpressionRole.CALL
    if node.type == "subscript" and _name(tree, ExpressionRole.ITEM, node):
        yield ExpressionRole.ITEM
    if node.type == "subscript" and _name(tree, ExpressionRole.KEYS, node):
        yield ExpressionRole.KEYS
    if parent.type == "assignment" and is_field(parent, "right", node):
        yield ExpressionRole.ASSIGNED
    if parent.type in ("for_statement", "for_in_clause") and is_field(parent, "right", node):
        yield ExpressionRole.ITERATED
    if _is_condition(parent, node):
        yield ExpressionRole.CONDITION
    if parent.type == "subscript":
        is_value = is_field(parent, "value", node)
        yield ExpressionRole.SUBSCRIPTED if is_value else ExpressionRole.INDEX
    elif parent.type == "slice":
        yield ExpressionRole.INDEX
    elif (
        parent.type == "argument_list"
        and node.type
        not in (
            "keyword_argument",
            "list_splat",
            "dictionary_splat",
            "comment",
        )
    ) or (parent.type == "keyword_argument" and argument_value(parent) == node):
        yield ExpressionRole.ARGUMENT


def _is_condition(parent: Node, node: Node) -> bool:
    if node.type in ("boolean_operator", "not_operator", "comparison_operator", "parenthesized_expression"):
        return False  # what it consists of decides
    outer = parent.parent
    if parent.type == "parenthesized_expression" and outer is not None:
        return is_field(outer, "condition", parent) or _is_condition(outer, node)
    if parent.type in ("if_statement", "elif_clause", "while_statement"):
        return is_field(parent, "condition", node)
    if parent.type == "conditional_expression":
        return parent.named_child_count > 1 and parent.named_child(1) == node
    return parent.type in ("boolean_operator", "not_operator", "assert_statement")


def _name(tree: SourceTree, role: ExpressionRole, node: Node) -> str:
    if role is ExpressionRole.CALL:
        call = call_at(node)
        if call is None or call.given or call.function.type != "attribute":
            return ""
        attribute = call.function.child_by_field_name("attribute")
        return tree.code(attribute) if attribute is not None else ""
    if role is ExpressionRole.ITEM:
        keys = node.children_by_field_name("subscript")
        text = tree.code(keys[0])[1:-1] if len(keys) == 1 and keys[0].type == "string" else ""
        return text if text.isidentifier() else ""
    if role is ExpressionRole.KEYS:
        keys = node.children_by_field_name("subscript")
        return tree.code(node)[keys[0].start_byte - node.start_byte : -1].strip() if len(keys) > 1 else ""
    return ""


def _is_async(node: Node) -> bool:
    for outer in ancestors(node):
        if outer.type in ("function_definition", "lambda"):
            first = outer.child(0)
            return first is not None and first.type == "async"
    return False


def _plain(code: str) -> str:
    return "".join(code.split())
