"""Tests that are methods: what their class prepares, as statements before the test's own."""

from __future__ import annotations

import ast
import copy

_PREPARING = ("setup_class", "setUpClass", "setup_method", "setUp", "setup")


def methods_of(tree: ast.Module) -> dict[ast.FunctionDef, ast.ClassDef]:
    """The class of each method of a module's own classes."""
    return {
        method: node
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        for method in node.body
        if isinstance(method, ast.FunctionDef)
    }


def with_preparation(method: ast.FunctionDef, around: ast.ClassDef) -> list[ast.stmt]:
    """The body of a test after what its class's own set-up does; ``self.x`` is the variable ``x``.

    Where a local variable has the name of such an attribute the body stays as it is.
    """
    prepared = [
        statement
        for name in _PREPARING
        for one in around.body
        if isinstance(one, ast.FunctionDef) and one.name == name
        for statement in one.body
    ]
    own = {
        node.id
        for statement in (*prepared, *method.body)
        for node in ast.walk(statement)
        if isinstance(node, ast.Name)
    }
    renamed = _AttributesAsNames()
    body = [renamed.visit(copy.deepcopy(statement)) for statement in (*prepared, *method.body)]
    return method.body if renamed.names & own else body


class _AttributesAsNames(ast.NodeTransformer):
    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"):
            self.names.add(node.attr)
            return ast.copy_location(ast.Name(id=node.attr, ctx=node.ctx), node)
        self.generic_visit(node)
        return node
