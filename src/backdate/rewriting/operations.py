"""Operators as the methods that they call: ``a & b`` is a call of ``.__and__`` of ``a``, given ``b``."""

from __future__ import annotations

from collections.abc import Iterator

from backdate.rewriting.calls import FunctionCall
from backdate.rewriting.source_tree import SourceTree

SYMBOLS = {".__and__": "&", ".__or__": "|"}
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
            yield FunctionCall(node=node, function=node, arguments=node, given=(right,))
