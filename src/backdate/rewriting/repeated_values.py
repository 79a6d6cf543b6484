"""What a template has twice and a use computes once: written again, or bound to a name at first."""

from __future__ import annotations

import ast
import itertools

from tree_sitter import Node

from backdate.rewriting.source_tree import SourceTree, ancestors
from backdate.rewriting.template import as_python

UNCOMPUTED = frozenset({"identifier", "attribute", "integer", "float", "string", "true", "false", "none"})
"""Kinds of expressions for which nothing is computed, or reported: without one a call gives what it gave."""
_MADE_OF_OTHERS = frozenset({"subscript", "list", "tuple", "slice"})
_OWN_SCOPES = frozenset(
    {
        "list_comprehension",
        "set_comprehension",
        "dictionary_comprehension",
        "generator_expression",
        "decorator",
        "parameters",
        "lambda_parameters",
    }
)
"""Where a name cannot be bound within an expression, or stays for others to see."""


def is_side_effect_free(node: Node) -> bool:
    """Whether an expression can be written twice: names, values, and items taken by these."""
    if node.type == "attribute":
        inner = node.child_by_field_name("object")
        return inner is not None and is_side_effect_free(inner)
    if node.type in _MADE_OF_OTHERS:
        return all(map(is_side_effect_free, node.named_children))
    return node.type in UNCOMPUTED


def name_for_value(tree: SourceTree, template: str, use: Node) -> str:
    """A name that the file does not have, to bind a value to where the template has it first; "" for none.

    Only in functions, and of templates that compute their parts in their order.
    """
    if not _in_order(template) or not _can_bind(use):
        return ""
    names = (f"found_{number}" if number else "found" for number in itertools.count())
    return next(name for name in names if not tree.identifiers(name))


def _in_order(template: str) -> bool:
    try:
        parsed = ast.parse(as_python(template), mode="eval")
    except SyntaxError:
        return False
    branching = (ast.IfExp, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    return not any(isinstance(node, branching) for node in ast.walk(parsed))


def _can_bind(use: Node) -> bool:
    for outer in ancestors(use):
        if outer.type in _OWN_SCOPES or outer.type in (
            "interpolation",
            "format_expression",
            "class_definition",
        ):
            return False
        if outer.type in ("function_definition", "lambda"):
            return True
    return False  # everybody who imports the module would see the name
