"""Python source of strangers, parsed: what a file defines on which lines, and its literals."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant in source; of an f-string each of its constant pieces."""

    value: str | int | float
    line: int


@dataclass(frozen=True, slots=True)
class Definition:
    """A name that source defines for others."""

    name: str
    line: int
    callable_name: str = ""
    """Of a parameter: the function that has it."""


def definitions(module: ast.Module) -> Iterator[Definition]:
    """Functions, classes, their parameters and attributes, and variables of modules and classes.

    Variables of a function are its own business.
    """
    for node in ast.walk(module):
        if isinstance(node, FunctionNode):
            yield Definition(node.name, node.lineno)
            for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                if argument.arg not in ("self", "cls"):
                    yield Definition(argument.arg, argument.lineno, node.name)
        elif isinstance(node, ast.ClassDef):
            yield Definition(node.name, node.lineno)
        if isinstance(node, ast.Module | ast.ClassDef):
            yield from _variables(node)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield Definition(node.attr, node.lineno)


def _variables(scope: ast.Module | ast.ClassDef) -> Iterator[Definition]:
    for statement in _without_functions(scope):
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            for target in targets:
                for node in ast.walk(target):
                    if isinstance(node, ast.Name):
                        yield Definition(node.id, node.lineno)
        elif isinstance(statement, ast.ImportFrom | ast.Import):
            for alias in statement.names:
                yield Definition(alias.asname or alias.name, statement.lineno)


def _without_functions(scope: ast.Module | ast.ClassDef) -> Iterator[ast.stmt]:
    """The statements that run with the scope, those below ``if``, ``try`` and ``with`` too."""
    waiting: list[ast.stmt] = list(scope.body)
    while waiting:
        statement = waiting.pop(0)
        yield statement
        if not isinstance(statement, FunctionNode | ast.ClassDef):
            waiting += [child for child in ast.walk(statement) if isinstance(child, ast.stmt)][1:]


def literals(node: ast.AST) -> Iterator[Literal]:
    """The strings and numbers below ``node``, but for docstrings."""
    docstrings = {
        id(inner.body[0].value)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Module | ast.ClassDef | FunctionNode)
        and inner.body
        and isinstance(inner.body[0], ast.Expr)
    }
    for inner in ast.walk(node):
        if not isinstance(inner, ast.Constant) or id(inner) in docstrings:
            continue
        if isinstance(inner.value, str | int | float) and not isinstance(inner.value, bool):
            yield Literal(inner.value, inner.lineno)


def dotted(node: ast.AST) -> tuple[str, ...]:
    """("a", "b", "c") for ``a.b.c``; empty for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return (node.id, *reversed(parts)) if isinstance(node, ast.Name) else ()
