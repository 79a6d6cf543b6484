"""Where what a call is given by a name, or an attribute of its object, is written down as a value."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from backdate.rewriting.argument_edits import same_code
from backdate.rewriting.source_tree import SourceTree, ancestors, is_field

_SCOPES = frozenset({"function_definition", "lambda", "class_definition"})
_BINDS = {
    "assignment": ("left", "right"),
    "default_parameter": ("name", "value"),
    "typed_default_parameter": ("name", "value"),
}
"""Where a name and its value stand in what binds it."""
_OF_OBJECT = frozenset({"self", "cls"})


def values_bound_to(tree: SourceTree, value: Node, only: str) -> list[Node]:
    """The expressions that are written like ``only`` and bound to what ``value`` is: a name of the module, of
    the function around it or of its parameters; or, for ``self.name``, an attribute of classes of the file.

    Empty where ``value`` is something else.
    """
    if value.type == "identifier":
        name = tree.code(value)
        scopes = [_scope(value), None]
        bound = [one for one in _bindings(tree, name) if _scope(one) in scopes or _is_default(one, value)]
    elif value.type == "attribute":
        owner, attribute = value.child_by_field_name("object"), value.child_by_field_name("attribute")
        if owner is None or attribute is None or tree.code(owner) not in _OF_OBJECT:
            return []
        bound = [one for one in _bindings(tree, tree.code(attribute)) if _is_of_class(one)]
    else:
        return []
    values = [_value_of(one) for one in bound]
    return [one for one in values if one is not None and same_code(tree.code(one), only)]


def _bindings(tree: SourceTree, name: str) -> Iterator[Node]:
    """The names that an assignment or a parameter's default binds to a value."""
    for node in tree.identifiers(name):
        parent = node.parent
        if parent is not None and parent.type in _BINDS and is_field(parent, _BINDS[parent.type][0], node):
            yield node


def _value_of(bound: Node) -> Node | None:
    return None if bound.parent is None else bound.parent.child_by_field_name(_BINDS[bound.parent.type][1])


def _scope(node: Node) -> Node | None:
    """The function, lambda or class in which ``node`` stands; None in the module."""
    return next((one for one in ancestors(node) if one.type in _SCOPES), None)


def _is_default(bound: Node, value: Node) -> bool:
    """Whether a parameter with a default is one of a function around ``value``."""
    if bound.parent is None or bound.parent.type == "assignment":
        return False
    return _scope(bound) in [one for one in ancestors(value) if one.type in _SCOPES]


def _is_of_class(bound: Node) -> bool:
    scope = _scope(bound)
    assigned = bound.parent is not None and bound.parent.type == "assignment"
    return assigned and scope is not None and scope.type == "class_definition"
