"""Putting another expression in the place of an item that is read: ``x[key]``, ``x.vocab[key].count``."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from backdate.editing.spans import Edit
from backdate.rewriting.guards import is_guarded
from backdate.rewriting.import_edits import ImportEdits
from backdate.rewriting.names import SourceNames
from backdate.rewriting.rewrite import ReplaceItem
from backdate.rewriting.rewritten import LeftAlone, LeftAloneReason, RewrittenSource
from backdate.rewriting.source_tree import SourceTree, is_field
from backdate.rewriting.spelling import spell_expression
from backdate.rewriting.template import Given, as_python, fill, given_by

_OF_OBJECTS = ".__getitem__"
_SEVERAL = frozenset({"pattern_list", "tuple_pattern", "list_pattern", "expression_list"})
_SIMPLE = frozenset({"identifier", "attribute"})
"""What an object is written as whose items are looked at: an item of an item is one of another object."""
_MOST_DOTS = 1
"""``self.model[word]``: what is further inside of an object is another one as well."""


def replace_item(tree: SourceTree, rewrite: ReplaceItem, lines: frozenset[int] | None) -> RewrittenSource:
    """The edits that put the template for items on ``lines``; of any object's on named lines alone.

    Slices, items by several keys and those that are assigned or deleted are left alone, and of uses within
    each other the inner ones.
    """
    if lines is None and rewrite.target.startswith("."):
        return RewrittenSource(left=(LeftAlone(reason=LeftAloneReason.NOT_THERE),))
    names, imports = SourceNames(tree), ImportEdits(tree)
    edits: list[Edit] = []
    changed: set[int] = set()
    left: list[LeftAlone] = []
    done = 0
    for use, item, holder in _uses(names, rewrite):
        if use.start_byte < done or (lines is not None and lines.isdisjoint(tree.statement_lines(use))):
            continue
        line = tree.line(use.start_byte)
        if is_guarded(tree, use, rewrite.target.removesuffix("()"), "", anywhere=lines is None):
            left.append(LeftAlone(reason=LeftAloneReason.GUARDED, line=line))
            continue
        code = _filled(names, imports, rewrite, use, item, holder)
        if code is None:
            left.append(LeftAlone(reason=LeftAloneReason.ARGUMENTS, line=line))
            continue
        edits.append(Edit(use.start_byte, use.end_byte, code))
        changed.add(line)
        done = use.end_byte
    if not edits:
        return RewrittenSource(left=tuple(left))
    made = tuple(sorted({*edits, *imports.edits()}))
    return RewrittenSource(edits=made, lines=tuple(sorted(changed)), left=tuple(left))


def _uses(names: SourceNames, rewrite: ReplaceItem) -> Iterator[tuple[Node, Node, Node]]:
    """The whole use, the item in it, and the object that it is of."""
    waiting = [names.tree.root]
    while waiting:
        node = waiting.pop()
        waiting += reversed(node.named_children)
        holder = _holder(names, node, rewrite.target) if node.type == "subscript" else None
        if holder is None or _is_changed(node):
            continue
        outer = node.parent
        if not rewrite.then:
            yield node, node, holder
        elif outer is not None and outer.type == "attribute" and is_field(outer, "object", node):
            asked = outer.child_by_field_name("attribute")
            if asked is not None and names.tree.code(asked) == rewrite.then and not _is_changed(outer):
                yield outer, node, holder


def _holder(names: SourceNames, item: Node, target: str) -> Node | None:
    """The object that an item is of, where that is what a rewrite is about."""
    value = item.child_by_field_name("value")
    keys = item.children_by_field_name("subscript")
    if value is None or len(keys) != 1 or keys[0].type == "slice":
        return None
    if target == _OF_OBJECTS:
        return value if value.type in _SIMPLE and names.tree.code(value).count(".") <= _MOST_DOTS else None
    if target.endswith("()"):
        function = value.child_by_field_name("function") if value.type == "call" else None
        arguments = value.child_by_field_name("arguments")
        plain = arguments is not None and arguments.named_child_count == 0
        named = function is not None and names.dotted(function).dotted == target.removesuffix("()")
        return value if plain and named else None
    attribute = value.child_by_field_name("attribute") if value.type == "attribute" else None
    is_it = attribute is not None and f".{names.tree.code(attribute)}" == target
    return value.child_by_field_name("object") if is_it else None


def _is_changed(node: Node) -> bool:
    """Whether it is assigned to or deleted."""
    outer = node.parent
    while outer is not None and outer.type in _SEVERAL:
        node, outer = outer, outer.parent
    if outer is None:
        return False
    stored = outer.type in ("assignment", "augmented_assignment", "for_statement")
    return outer.type == "delete_statement" or (stored and is_field(outer, "left", node))


def _filled(
    names: SourceNames, imports: ImportEdits, rewrite: ReplaceItem, use: Node, item: Node, holder: Node
) -> str | None:
    spelled = spell_expression(names, imports, as_python(rewrite.template), use)
    key = item.children_by_field_name("subscript")[0]
    given: dict[str, Given] = {"self": given_by(names.tree, holder), "key": given_by(names.tree, key)}
    return fill(spelled, given, use=use) if spelled is not None else None
