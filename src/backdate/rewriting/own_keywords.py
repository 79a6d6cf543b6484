"""A keyword for a call that hands on what its function is given: ``def __init__(self, **options)``.

Whether callers give the keyword is not known there, so it is set in the dictionary where it is not in it.
"""

from __future__ import annotations

from tree_sitter import Node

from backdate.editing.spans import Edit
from backdate.rewriting.calls import FunctionCall
from backdate.rewriting.names import SourceNames, is_use
from backdate.rewriting.source_tree import SourceTree, is_field, scope_of, statement_of

_SIMPLE = frozenset({"expression_statement", "return_statement"})
_OF_KEYS = frozenset({"get", "pop", "setdefault"})


def hands_on_own(tree: SourceTree, names: SourceNames, call: FunctionCall, keyword: str) -> bool:
    """Whether the call hands on the ``**`` of the function that it stands in, which is nothing else there,
    in a statement of its own, and that function does not say the keyword."""
    unpacked = [argument for argument in call.given if argument.type in ("dictionary_splat", "list_splat")]
    handed = unpacked[0].named_child(0) if len(unpacked) == 1 else None
    if handed is None or handed.type != "identifier" or unpacked[0].type != "dictionary_splat":
        return False
    statement, function = statement_of(call.node), scope_of(call.node)
    shares_a_line = tree.text[tree.line_start(statement.start_byte) : statement.start_byte].strip()
    if statement.type not in _SIMPLE or shares_a_line:
        return False
    return _is_its_own(tree, names, function, tree.code(handed)) and not _says(tree, function, keyword)


def set_own_keyword(tree: SourceTree, call: FunctionCall, keyword: str, value: str) -> Edit:
    """The line before the call's statement that gives ``keyword`` where the caller did not; the call is one
    that ``hands_on_own``."""
    handed = next(argument.named_child(0) for argument in call.given if argument.type == "dictionary_splat")
    assert handed is not None
    statement = statement_of(call.node)
    first = tree.line_start(statement.start_byte)
    line = tree.text[first : tree.line_end(statement.start_byte)]
    newline = line[len(line.rstrip("\r\n")) :] or "\n"
    quote = '"' if tree.text.count('"') >= tree.text.count("'") else "'"
    setting = f"{tree.code(handed)}.setdefault({quote}{keyword}{quote}, {value})"
    return Edit(first, first, f"{tree.indentation(statement.start_byte)}{setting}{newline}")


def _is_its_own(tree: SourceTree, names: SourceNames, function: Node, name: str) -> bool:
    """Whether ``name`` is the ``**`` parameter of ``function``, bound nowhere else in it, and handed on to
    nothing else: of other uses single keys are read and written."""
    parameters = function.child_by_field_name("parameters")
    if function.type != "function_definition" or parameters is None:
        return False
    own = [one for one in parameters.named_children if one.type == "dictionary_splat_pattern"]
    if len(own) != 1 or tree.code(own[0]).lstrip("* ") != name:
        return False
    if len([binding for binding in names.bindings(name) if binding.scope == function]) != 1:
        return False
    uses = [node for node in tree.identifiers(name) if is_use(node) and _within(function, node)]
    others = [node for node in uses if not _is_of_keys(tree, node)]
    return len(others) == 1


def _is_of_keys(tree: SourceTree, use: Node) -> bool:
    parent = use.parent
    if parent is None:
        return False
    if parent.type == "attribute" and is_field(parent, "object", use):
        method = parent.child_by_field_name("attribute")
        return method is not None and tree.code(method) in _OF_KEYS
    return parent.type == "comparison_operator" or (
        parent.type == "subscript" and is_field(parent, "value", use)
    )


def _within(outer: Node, node: Node) -> bool:
    return outer.start_byte <= node.start_byte < outer.end_byte


def _says(tree: SourceTree, function: Node, keyword: str) -> bool:
    """Whether the function names the keyword: as a name, a parameter, a key."""
    code = tree.code(function)
    return (
        f'"{keyword}"' in code
        or f"'{keyword}'" in code
        or any(
            is_field(node.parent, "name", node) and _within(function, node)
            for node in tree.identifiers(keyword)
            if node.parent is not None
        )
    )
