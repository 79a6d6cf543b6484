"""Which keys a dictionary has that a call is given as ``**``, where all that is done with it is in sight."""

from __future__ import annotations

from tree_sitter import Node

from backdate.rewriting.calls import FunctionCall, call_at
from backdate.rewriting.names import SourceNames, is_use
from backdate.rewriting.source_tree import is_field, scope_of

_READING = ("get", "keys", "values", "items")
"""Methods of dictionaries that change nothing."""


def may_be_given(names: SourceNames, call: FunctionCall, keyword: str) -> bool:
    """Whether ``*args``, or a ``**`` of which not all keys are known, may give ``keyword``."""
    for argument in call.given:
        if argument.type == "list_splat":
            return True
        if argument.type == "dictionary_splat":
            value = argument.named_child(0)
            keys = _known_keys(names, value) if value is not None else None
            if keys is None or keyword in keys:
                return True
    return False


def _known_keys(names: SourceNames, value: Node) -> frozenset[str] | None:
    """The keys of a display, a call of ``dict``, or a function's own variable; None where others may be."""
    if value.type == "dictionary":
        entries = [child for child in value.named_children if child.type != "comment"]
        return _texts(names, [entry.child_by_field_name("key") for entry in entries])
    if value.type == "call":
        call = call_at(value)
        if call is None or names.dotted(call.function).dotted != "builtins.dict":
            return None
        if any(argument.type != "keyword_argument" for argument in call.given):
            return None
        given = (argument.child_by_field_name("name") for argument in call.given)
        return frozenset(names.tree.code(name) for name in given if name is not None)
    return _of_variable(names, value) if value.type == "identifier" else None


def _of_variable(names: SourceNames, variable: Node) -> frozenset[str] | None:
    code, scope = names.tree.code(variable), scope_of(variable)
    own = [binding for binding in names.bindings(code) if binding.scope == scope]
    if scope.type != "function_definition" or not own:
        return None
    keys: frozenset[str] = frozenset()
    for node in names.tree.identifiers(code):
        inside = scope.start_byte <= node.start_byte < scope.end_byte
        found = _of_mention(names, node) if inside else frozenset()
        if found is None:
            return None
        keys |= found
    return keys


def _of_mention(names: SourceNames, node: Node) -> frozenset[str] | None:
    """The keys that one mention of the variable gives it; None where it may give any."""
    parent = node.parent
    if parent is None:
        return None
    if parent.type == "assignment" and is_field(parent, "left", node):
        right = parent.child_by_field_name("right")
        shown = right is not None and right.type in ("dictionary", "call")
        return _known_keys(names, right) if right is not None and shown else None
    if parent.type == "subscript" and is_field(parent, "value", node):
        return _texts(names, parent.children_by_field_name("subscript"))
    if parent.type == "dictionary_splat" or not is_use(node):
        # an attribute, a keyword and a parameter of the same name are other things, but a parameter binds
        own = parent.type in ("dictionary_splat", "attribute", "keyword_argument")
        return frozenset() if own else None
    if parent.type == "attribute":
        method = parent.child_by_field_name("attribute")
        return frozenset() if method is not None and names.tree.code(method) in _READING else None
    return None


def _texts(names: SourceNames, keys: list[Node | None] | list[Node]) -> frozenset[str] | None:
    """The texts of literal keys; None where one is no plain literal."""
    found = set()
    for key in keys:
        code = names.tree.code(key) if key is not None else ""
        if key is None or key.type != "string" or code[:1] not in "\"'" or "\\" in code:
            return None
        found.add(code.strip(code[0]))
    return frozenset(found)
