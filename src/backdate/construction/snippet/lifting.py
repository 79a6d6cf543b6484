"""A slice as a function: literals become its parameters, and what they were its first case."""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from backdate.construction.snippet.literal_values import VARIATIONS, is_literal, literal, varied
from backdate.construction.snippet.slices import Slice

_MOST_PARAMETERS = 3
_MOST_CASES = 10
_MOST_ROWS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class LiftedFunction:
    """A function made from a slice."""

    definition: ast.FunctionDef
    cases: tuple[str, ...]
    """Tuples of arguments as source, those that the slice itself has first."""


def lift(piece: Slice, name: str, *, texts: bool = False) -> LiftedFunction | None:
    """``piece`` as a function called ``name``; None where it has no literal that could be given.

    ``texts``: whether texts that are arguments by position become parameters, too. Of most libraries they are
    modes and names of columns; what the standard library is given is mostly text.
    """
    statements = [copy.deepcopy(one) for one in piece.statements]
    result = copy.deepcopy(piece.result)
    taken = {one.id for node in (*statements, result) for one in ast.walk(node) if isinstance(one, ast.Name)}
    loops = [_of_loop(target, values) for target, values in piece.given]
    if any(one is None for one in loops):
        return None
    from_loops = [one for one in loops if one is not None]
    lifter = _Lifter(
        taken=taken, most=_MOST_PARAMETERS - sum(len(one.names) for one in from_loops), texts=texts
    )
    whole = [*statements, ast.Return(value=result)]
    body = lifter.of_body(whole)
    names = [*(name for one in from_loops for name in one.names), *lifter.values]
    if not names:
        return None
    arguments = ast.arguments(
        posonlyargs=[], args=[ast.arg(arg=one) for one in names], kwonlyargs=[], kw_defaults=[], defaults=[]
    )
    definition = ast.FunctionDef(name=name, args=arguments, body=body, decorator_list=[], returns=None)
    own = list(lifter.values.values())
    of_loops = itertools.islice(itertools.product(*(one.rows for one in from_loops)), _MOST_ROWS)
    rows = [(*itertools.chain.from_iterable(items), *own) for items in of_loops]
    return LiftedFunction(definition=ast.fix_missing_locations(definition), cases=cases_from(rows))


def cases_from(rows: Sequence[tuple[Any, ...]]) -> tuple[str, ...]:
    """The rows themselves, then rows with every value varied, then with one."""
    cases = dict.fromkeys(repr(row) for row in rows)
    for row in rows[:2]:
        for number in range(1, VARIATIONS + 1):
            cases[repr(tuple(varied(value, number) for value in row))] = None
        for position, number in itertools.product(range(len(row)), (1, 2)):
            one = (*row[:position], varied(row[position], number), *row[position + 1 :])
            cases[repr(one)] = None
    return tuple(cases)[:_MOST_CASES]


@dataclass(frozen=True, slots=True, kw_only=True)
class _LiteralLoop:
    names: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def _of_loop(target: ast.expr, values: ast.expr) -> _LiteralLoop | None:
    try:
        items = list(literal(values))
    except (ValueError, TypeError):
        return None
    if isinstance(target, ast.Name):
        return _LiteralLoop(names=(target.id,), rows=tuple((item,) for item in items))
    if not isinstance(target, ast.Tuple) or not all(isinstance(one, ast.Name) for one in target.elts):
        return None
    names = tuple(one.id for one in target.elts if isinstance(one, ast.Name))
    rows = tuple(tuple(item) for item in items if isinstance(item, tuple | list) and len(item) == len(names))
    return _LiteralLoop(names=names, rows=rows) if rows else None


class _Lifter(ast.NodeTransformer):
    """Replaces literals by parameters, those of assignments by the assigned name."""

    def __init__(self, *, taken: set[str], most: int, texts: bool) -> None:
        self._texts = texts
        self.values: dict[str, Any] = {}
        self._taken = taken
        self._most = most
        self._hint = ""

    def of_body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        kept: list[ast.stmt] = []
        bound: dict[str, int] = {}
        for statement in body:
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                bound[statement.targets[0].id] = bound.get(statement.targets[0].id, 0) + 1
        for statement in body:
            target = statement.targets[0] if isinstance(statement, ast.Assign) else None
            if (
                isinstance(statement, ast.Assign)
                and isinstance(target, ast.Name)
                and bound[target.id] == 1
                and is_literal(statement.value)
                and self._has_room()
            ):
                self.values[target.id] = literal(statement.value)
                continue
            kept.append(self.visit(statement))
        return kept

    def _has_room(self) -> bool:
        return len(self.values) < self._most

    def visit(self, node: ast.AST) -> Any:
        if isinstance(
            node, ast.FunctionDef | ast.Lambda | ast.JoinedStr | ast.Subscript | ast.For | ast.While | ast.If
        ):
            return node
        if isinstance(node, ast.expr) and is_literal(node) and self._is_data(node):
            if not self._has_room():
                return node
            name = self._fresh(self._hint or _name_of(literal(node)))
            self.values[name] = literal(node)
            return ast.Name(id=name, ctx=ast.Load())
        return super().visit(node)

    def _is_data(self, node: ast.expr) -> bool:
        """Whether it is more than a mode or the name of a column, as texts mostly are (``lift``)."""
        return (self._texts and not self._hint) or not (
            isinstance(node, ast.Constant) and isinstance(node.value, str)
        )

    def visit_keyword(self, node: ast.keyword) -> ast.keyword:
        before, self._hint = self._hint, node.arg or ""
        node.value = self.visit(node.value)
        self._hint = before
        return node

    def _fresh(self, wish: str) -> str:
        name, number = wish, 1
        while name in self._taken or name in self.values:
            number += 1
            name = f"{wish}{number}"
        return name


def _name_of(value: Any) -> str:
    if isinstance(value, int | float | complex):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, bytes):
        return "data"
    if isinstance(value, dict):
        return "mapping"
    return "rows" if any(isinstance(item, list | tuple) for item in value) else "values"
