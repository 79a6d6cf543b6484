"""Another class in the place of one, with what code uses of its members: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from backdate.editing.encodings import split_lines
from backdate.editing.line_maps import LineMap
from backdate.editing.spans import Edit, apply_edits
from backdate.rewriting.names import SourceNames
from backdate.rewriting.replace_name import replace_name
from backdate.rewriting.replace_use import replace_use
from backdate.rewriting.rewrite import ReplaceClass, ReplaceUse
from backdate.rewriting.rewritten import RewrittenSource
from backdate.rewriting.source_tree import SourceTree, is_field, source_tree
from backdate.rewriting.template import placeholders_of


def replace_class(tree: SourceTree, rewrite: ReplaceClass, lines: frozenset[int] | None) -> RewrittenSource:
    """The edits for a class that is used on ``lines``, and for its members in the whole file.

    Members are those of the class itself, of a call of it, and of a variable that only such calls are
    assigned to. What another function hands over is left alone.
    """
    renamed = replace_name(tree, rewrite, lines)
    if not renamed.edits:
        return renamed
    text = apply_edits(tree.text, renamed.edits)
    for member, template in rewrite.members:
        text = _with_member(text, rewrite.new, member, template)
    return RewrittenSource(edits=_line_edits(tree.text, text), lines=renamed.lines, left=renamed.left)


def _with_member(text: str, class_name: str, member: str, template: str) -> str:
    tree = source_tree(text)
    names = SourceNames(tree)
    on = frozenset(
        tree.line(node.start_byte)
        for node in tree.identifiers(member)
        if (owner := _owner(node)) is not None and _is_of(names, owner, class_name)
    )
    if not on:
        return text
    called = any(name.isdigit() for name in placeholders_of(template))
    use = ReplaceUse(target=f".{member}", template=template, called=called)
    return apply_edits(text, replace_use(tree, use, on).edits)


def _owner(node: Node) -> Node | None:
    """What ``node`` is an attribute of."""
    parent = node.parent
    if parent is None or parent.type != "attribute" or not is_field(parent, "attribute", node):
        return None
    return parent.child_by_field_name("object")


def _is_of(names: SourceNames, owner: Node, class_name: str) -> bool:
    """Whether an expression is the class, a call of it or its methods, or a variable with the result."""
    if owner.type in ("identifier", "attribute") and names.dotted(owner).dotted == class_name:
        return True
    if owner.type == "call":
        return _makes_one(names, owner, class_name)
    if owner.type != "identifier":
        return False
    values = list(_assigned(names, names.tree.code(owner)))
    return bool(values) and all(
        value is not None and value.type == "call" and _makes_one(names, value, class_name)
        for value in values
    )


def _makes_one(names: SourceNames, call: Node, class_name: str) -> bool:
    function = call.child_by_field_name("function")
    if function is None or function.type not in ("identifier", "attribute"):
        return False
    dotted = names.dotted(function).dotted
    return dotted == class_name or dotted.rpartition(".")[0] == class_name


def _assigned(names: SourceNames, name: str) -> Iterator[Node | None]:
    """What a variable gets, wherever it is bound; None for what is no plain assignment."""
    for binding in names.bindings(name):
        parent = binding.node.parent
        is_plain = (
            parent is not None and parent.type == "assignment" and is_field(parent, "left", binding.node)
        )
        yield parent.child_by_field_name("right") if is_plain and parent is not None else None


def _line_edits(before: str, after: str) -> tuple[Edit, ...]:
    """The edits of whole lines that make one text of another."""
    old, new = split_lines(before), split_lines(after)
    starts = [0]
    for line in old:
        starts.append(starts[-1] + len(line))
    return tuple(
        Edit(starts[first], starts[last], "".join(new[new_first:new_last]))
        for first, last, new_first, new_last in LineMap.between(before, after).units
    )
