"""The statements of a straight-line block (a test's body, a docstring's examples) that one value needs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from backdate.construction.snippet.module_code import bound_names, free_names

_TRANSPARENT = frozenset(
    [
        "suppress_warnings",
        "warns",
        "deprecated_call",
        "catch_warnings",
        "assert_warns",
        "errstate",
        "assertWarns",
        "assert_no_warnings",
    ]
)
"""Context managers of tests that change nothing of the values computed within."""
_MOST_STATEMENTS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """A value, and the statements before it that it needs."""

    statements: tuple[ast.stmt, ...]
    result: ast.expr
    given: tuple[tuple[ast.expr, ast.expr], ...] = ()
    """Targets of the loops around it, each with the literal that it goes through."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementBlock:
    """Statements that run one after the other."""

    statements: tuple[ast.stmt, ...]
    given: tuple[tuple[ast.expr, ast.expr], ...] = ()


def blocks_of(
    body: Sequence[ast.stmt], *, given: tuple[tuple[ast.expr, ast.expr], ...] = ()
) -> Iterator[StatementBlock]:
    """The block that ``body`` is, and those of its loops over literals with what stands before them."""
    flat: list[ast.stmt] = []
    for statement in body:
        if isinstance(statement, ast.With) and all(_is_transparent(item) for item in statement.items):
            flat += statement.body
        else:
            flat.append(statement)
    if any(isinstance(one, ast.With) and all(map(_is_transparent, one.items)) for one in flat):
        yield from blocks_of(flat, given=given)
        return
    yield StatementBlock(statements=tuple(flat), given=given)
    for position, statement in enumerate(flat):
        if isinstance(statement, ast.For) and isinstance(statement.iter, ast.List | ast.Tuple):
            around = (*given, (statement.target, statement.iter))
            yield from blocks_of((*flat[:position], *statement.body), given=around)


def _is_transparent(item: ast.withitem) -> bool:
    called = item.context_expr.func if isinstance(item.context_expr, ast.Call) else item.context_expr
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name in _TRANSPARENT


def slices_of(block: StatementBlock, is_use: Callable[[ast.AST], bool]) -> Iterator[Slice]:
    """One slice for each statement of the block that holds a use."""
    for position, statement in enumerate(block.statements):
        if isinstance(statement, ast.For | ast.While | ast.If | ast.Try | ast.With | ast.ClassDef):
            continue
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.Import | ast.ImportFrom):
            continue
        if not any(map(is_use, ast.walk(statement))):
            continue
        found = _result(block.statements, position, is_use)
        if found is None:
            continue
        result, last = found
        kept = _needed(block.statements[:last], result)
        if kept is not None:
            names = free_names([result, *kept])
            around = tuple(one for one in block.given if set(_targets(one[0])) & names)
            yield Slice(statements=kept, result=result, given=around)


def _result(
    statements: Sequence[ast.stmt], position: int, is_use: Callable[[ast.AST], bool]
) -> tuple[ast.expr, int] | None:
    """The value that shows what the use gives, and how many statements stand before it."""
    statement = statements[position]
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        names = list(_targets(statement.targets[0]))
        if not names:
            return None

        def reads_it(node: ast.AST) -> bool:
            return isinstance(node, ast.Name) and node.id in names

        for later in range(position + 1, len(statements)):
            following = statements[later]
            if set(bound_names([following])) & set(names):
                break
            shown = _shown(following, reads_it, later=True)
            if shown is not None:
                return shown, later
        target = statement.targets[0]
        value: ast.expr = (
            ast.Name(id=names[0], ctx=ast.Load())
            if isinstance(target, ast.Name)
            else ast.Tuple(elts=[ast.Name(id=name, ctx=ast.Load()) for name in names], ctx=ast.Load())
        )
        return value, position + 1
    shown = _shown(statement, is_use)
    return None if shown is None else (shown, position)


def _shown(statement: ast.stmt, holds: Callable[[ast.AST], bool], *, later: bool = False) -> ast.expr | None:
    """The part of an assertion or expression that is looked at, where it ``holds`` what is asked for.

    ``later``: of a statement after the use, which counts only where its value is printed or asserted.
    """
    if isinstance(statement, ast.Return) and statement.value is not None:
        return statement.value if any(map(holds, ast.walk(statement.value))) else None
    if isinstance(statement, ast.Assert):
        return _operand(statement.test, holds)
    if not isinstance(statement, ast.Expr):
        return None
    value = statement.value
    if later and not isinstance(value, ast.Call):
        return None
    if isinstance(value, ast.Call):
        name = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
        if "raises" in name.lower() or "warns" in name.lower():
            return None
        if name.lower().startswith("assert") or name in ("eq_", "ok_", "print"):
            parts = (_operand(argument, holds) for argument in value.args[:2])
            return next((part for part in parts if part is not None), None)
        if later:
            return None  # done for what it changes: what it gives is not looked at
    return _operand(value, holds)


def _operand(value: ast.expr, holds: Callable[[ast.AST], bool]) -> ast.expr | None:
    if isinstance(value, ast.Compare):
        sides = [value.left, *value.comparators]
        return next((side for side in sides if any(map(holds, ast.walk(side)))), None)
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not):
        return _operand(value.operand, holds)
    return value if any(map(holds, ast.walk(value))) else None


def _needed(before: Sequence[ast.stmt], result: ast.expr) -> tuple[ast.stmt, ...] | None:
    """The statements that bind or change what ``result`` reads; None where they are too many."""
    names = free_names([result])
    kept: list[ast.stmt] = []
    for statement in reversed(before):
        if isinstance(statement, ast.Assert | ast.Import | ast.ImportFrom) or not _touches(statement, names):
            continue
        kept.append(statement)
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if len(targets) == 1 and _is_of_names(targets[0]):
            names -= set(_targets(targets[0]))  # whatever they were before is not read
        names |= free_names([statement])
        if len(kept) > _MOST_STATEMENTS:
            return None
    return tuple(reversed(kept))


def _touches(statement: ast.stmt, names: set[str]) -> bool:
    """Whether it binds one of ``names``, or may change what one of them stands for."""
    if set(bound_names([statement])) & names:
        return True
    if isinstance(statement, ast.Assign | ast.AugAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return any(
            isinstance(one, ast.Name) and one.id in names for target in targets for one in ast.walk(target)
        )
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        called = statement.value
        leaf = called.func.attr if isinstance(called.func, ast.Attribute) else getattr(called.func, "id", "")
        if leaf.lower().startswith("assert") or leaf == "print":
            return False
        base = called.func.value if isinstance(called.func, ast.Attribute) else None
        given = [one.id for one in called.args if isinstance(one, ast.Name)]
        of_name = isinstance(base, ast.Name) and base.id in names
        return of_name or (not isinstance(base, ast.Constant) and bool(set(given) & names))
    if isinstance(statement, ast.For | ast.While | ast.If | ast.With):
        return any(
            _touches(one, names)
            for one in ast.walk(statement)
            if isinstance(one, ast.stmt) and one is not statement
        )
    return False


def _is_of_names(target: ast.expr) -> bool:
    """Whether names alone are bound, none of what they stand for is changed."""
    if isinstance(target, ast.Tuple | ast.List):
        return all(map(_is_of_names, target.elts))
    return isinstance(target, ast.Name)


def _targets(target: ast.expr) -> Iterator[str]:
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Tuple | ast.List):
        for one in target.elts:
            yield from _targets(one)
