"""What differs between two releases of a module, statement by statement, however they are laid out.

A statement is what ``ast.unparse`` makes of it, so that comments, line breaks, quotes and annotations count
for nothing. Of a compound statement it is the head alone. Pure functions; sources are only parsed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from backdate.editing.python_source import UNPARSABLE, parse_source

_LONGEST_SOURCE = 2_000_000
_MOST_STATEMENTS = 50_000
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_OF_CAST = 2
_PRIVATE = re.compile(r"\b_(?=[A-Za-z])")
_LEFT_OUT = (ast.Import, ast.ImportFrom, ast.Pass, ast.Global, ast.Nonlocal)
"""What changes nothing by itself: names that are imported show where they are used."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One statement of a module."""

    scope: str
    """The function or class that it stands in, "Command.parse_args"; "" for the module."""
    first: int
    last: int
    """Its lines; of a compound statement those of its head."""
    text: str
    """As ``ast.unparse`` writes it, without annotations."""
    is_head: bool = False
    """Whether it is the head of the function ``scope``, which runs wherever that function does."""
    in_function: bool = False
    under: str = ""
    """The head of the compound statement in which it stands."""
    names: frozenset[str] = frozenset()
    """Names that it assigns."""


def statements_of(source: str) -> tuple[Statement, ...]:
    """The statements of a module, in order; none of what cannot be parsed, or is too long."""
    if len(source) > _LONGEST_SOURCE:
        return ()
    try:
        tree = _WithoutCasts().visit(parse_source(source))
        found = tuple(islice(_statements(tree.body, "", in_function=False), _MOST_STATEMENTS + 1))
        return found if len(found) <= _MOST_STATEMENTS else ()
    except UNPARSABLE:
        return ()


def changed_statements(new: Sequence[Statement], old: Sequence[Statement]) -> tuple[Statement, ...]:
    """Those of ``new`` that ``old`` does not have: in the scope of the same name, else anywhere.

    A function that was moved or renamed has its statements under another scope, and they are the same; so are
    those in which a name became private, or public.
    """
    by_scope: dict[str, set[str]] = {}
    for one in old:
        by_scope.setdefault(_PRIVATE.sub("", one.scope), set()).add(_PRIVATE.sub("", one.text))
    anywhere = set[str]().union(*by_scope.values())
    return tuple(
        one
        for one in new
        if _PRIVATE.sub("", one.text) not in by_scope.get(_PRIVATE.sub("", one.scope), anywhere)
    )


class _WithoutCasts(ast.NodeTransformer):
    """Leaves out ``cast(…, value)`` of typing, which does nothing."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        plain = not node.keywords and not any(isinstance(one, ast.Starred) for one in node.args)
        return node.args[1] if name == "cast" and len(node.args) == _OF_CAST and plain else node


def _is_documentation(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _statements(
    body: Sequence[ast.stmt], scope: str, *, in_function: bool, under: str = ""
) -> Iterator[Statement]:
    for node in body:
        if isinstance(node, _LEFT_OUT) or _is_documentation(node):
            continue
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _definition(node, scope)
            continue
        text = _text_of(node)
        if text:
            inner = next(iter(_bodies(node)), ())
            last = inner[0].lineno - 1 if inner else node.end_lineno or node.lineno
            yield Statement(
                scope=scope,
                first=node.lineno,
                last=max(node.lineno, last),
                text=text,
                in_function=in_function,
                under=under,
                names=frozenset(_assigned(node)),
            )
        for inner in _bodies(node):
            yield from _statements(inner, scope, in_function=in_function, under=text or under)
        for handler in getattr(node, "handlers", ()):
            caught = f"except {ast.unparse(handler.type)}:" if handler.type is not None else "except:"
            yield Statement(
                scope=scope,
                first=handler.lineno,
                last=handler.lineno,
                text=caught,
                in_function=in_function,
                under=under,
            )
            yield from _statements(handler.body, scope, in_function=in_function, under=caught)


def _definition(node: _Function | ast.ClassDef, scope: str) -> Iterator[Statement]:
    name = f"{scope}.{node.name}" if scope else node.name
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    is_function = isinstance(node, _Function)
    for decorator in node.decorator_list:
        yield Statement(
            scope=name,
            first=first,
            last=decorator.end_lineno or first,
            text=f"@{ast.unparse(decorator)}",
            is_head=is_function,
            in_function=is_function,
        )
    yield Statement(
        scope=name,
        first=first,
        last=max(node.lineno, node.body[0].lineno - 1),
        text=_head_of(node),
        is_head=is_function,
        in_function=is_function,
    )
    yield from _statements(node.body, name, in_function=is_function)


def _head_of(node: _Function | ast.ClassDef) -> str:
    if isinstance(node, ast.ClassDef):
        given = ", ".join(ast.unparse(one) for one in (*node.bases, *node.keywords))
        given = "" if given == "object" else given  # as in Python 2
        return f"class {node.name}({given}):" if given else f"class {node.name}:"
    taken = node.args
    for one in (*taken.posonlyargs, *taken.args, *taken.kwonlyargs, taken.vararg, taken.kwarg):
        if one is not None:
            one.annotation = None
    start = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    return f"{start} {node.name}({ast.unparse(taken)}):"


def _bodies(node: ast.stmt) -> Iterator[Sequence[ast.stmt]]:
    for field in ("body", "orelse", "finalbody"):
        inner = getattr(node, field, None)
        if inner:
            yield inner
    for case in getattr(node, "cases", ()):
        yield case.body


def _text_of(node: ast.stmt) -> str:
    match node:
        case ast.Try():
            return ""
        case ast.If():
            return f"if {ast.unparse(node.test)}:"
        case ast.While():
            return f"while {ast.unparse(node.test)}:"
        case ast.For() | ast.AsyncFor():
            return f"for {ast.unparse(node.target)} in {ast.unparse(node.iter)}:"
        case ast.With() | ast.AsyncWith():
            return f"with {', '.join(map(ast.unparse, node.items))}:"
        case ast.Match():
            return f"match {ast.unparse(node.subject)}:"
        case ast.AnnAssign():
            # a name that is declared alone stands for the None that it was declared by before
            return f"{ast.unparse(node.target)} = {ast.unparse(node.value) if node.value else None}"
        case _:
            return "" if getattr(node, "handlers", None) else ast.unparse(node)


def _assigned(node: ast.stmt) -> Iterator[str]:
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    for target in targets if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) else ():
        if isinstance(target, ast.Name):
            yield target.id
