"""Operators as the methods that they call: ``a & b`` is a call of ``.__and__`` of ``a``, given ``b``."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from backdate.rewriting.calls import FunctionCall
from backdate.rewriting.source_tree import SourceTree

SYMBOLS = {".__and__": "&", ".__or__": "|", ".__xor__": "^"}
"""By the method of any object, the operators that rewrites are about."""


def operations_of(tree: SourceTree, method: str) -> Iterator[FunctionCall]:
    """The operations that call ``method``, each as a call whose function is the operation itself."""
    waiting = [tree.root]
    while waiting:
        node = waiting.pop()
        waiting += reversed(node.named_children)
        operator, right = node.child_by_field_name("operator"), node.child_by_field_name("right")
        if node.type != "binary_operator" or operator is None or right is None:
            continue
        if tree.code(operator) == SYMBOLS[method]:
            yield FunctionCall(
                node=_with_parentheses(tree, node), function=node, arguments=node, given=(right,)
            )


def _with_parentheses(tree: SourceTree, node: Node) -> Node:
    """An operation with the parentheses around it, which a call does without; not where they part words."""
    outer = node.parent
    if outer is None or outer.type != "parenthesized_expression" or outer.named_child_count != 1:
        return node
    beside = (
        tree.text[max(outer.start_byte - 1, 0) : outer.start_byte]
        + tree.text[outer.end_byte : outer.end_byte + 1]
    )
    words = any(one.isalnum() or one == "_" for one in beside)
    return node if words or "\n" in tree.code(outer) else outer
