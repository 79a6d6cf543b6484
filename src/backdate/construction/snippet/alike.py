"""The same function drawn several times, up to its names: one snippet with the cases of all."""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace

from backdate.construction.snippet.usages import DrawnSnippet, UsageKind
from backdate.mining.literals import parsed
from backdate.serial import digest

_ORDER = (UsageKind.FUNCTION, UsageKind.EXCERPT, UsageKind.TEST, UsageKind.DOCTEST)
_MOST_CASES = 16


def shape_of(drawn: DrawnSnippet) -> str:
    """A digest of the code in which variables, parameters and its own functions are numbered."""
    tree = parsed(drawn.code)
    if tree is None:
        return digest(drawn.code)
    return digest(ast.dump(_Numbered().visit(copy.deepcopy(tree))))


class _Numbered(ast.NodeTransformer):
    def __init__(self) -> None:
        self._numbers: dict[str, str] = {}

    def _number(self, name: str) -> str:
        return self._numbers.setdefault(name, f"_{len(self._numbers)}")

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = self._number(node.name)
        if node.body and isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant):
            node.body = node.body[1:] or [ast.Pass()]
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.arg, node.annotation = self._number(node.arg), None
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id in self._numbers or isinstance(node.ctx, ast.Store):
            node.id = self._number(node.id)
        return node


def without_duplicates(drawn: Iterable[DrawnSnippet]) -> tuple[list[DrawnSnippet], int]:
    """One of each shape, whole functions first, with the cases of the others; how many are left out."""
    by_shape: dict[tuple[str, ...], list[DrawnSnippet]] = {}
    for one in sorted(drawn, key=lambda one: _ORDER.index(one.kind)):
        by_shape.setdefault((one.names[0], shape_of(one)), []).append(one)
    kept = [_merged(members) for members in by_shape.values()]
    return kept, sum(map(len, by_shape.values())) - len(kept)


def _merged(members: Sequence[DrawnSnippet]) -> DrawnSnippet:
    rows = itertools.zip_longest(*(one.cases for one in members))
    cases = dict.fromkeys(case for row in rows for case in row if case is not None)
    before = dict.fromkeys(line for one in members for line in one.before.splitlines())
    return replace(
        members[0], cases=tuple(cases)[:_MOST_CASES], before="".join(f"{line}\n" for line in before)
    )
