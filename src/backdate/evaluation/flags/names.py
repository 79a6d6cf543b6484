"""What the names in a file stand for, as far as its syntax tree tells: imports, aliases, computed names.

``import sys as s; m = getattr(s, "mod" + "ules")`` makes ``m`` stand for "sys.modules". A name that may stand
for several things stands for all of them: whoever looks for suspicious ones has to know each.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

_MOST_ROUNDS = 5
"""Aliases of aliases of aliases are followed no further."""
IMPORTERS = frozenset(
    {"__import__", "builtins.__import__", "importlib.import_module", "importlib.__import__"}
)
GETTERS = frozenset({"getattr", "builtins.getattr"})
_NAMESPACES = ("vars", "builtins.vars")
_MOST_MEANINGS = 50
"""Of one name: hostile code can make them double with every line."""
_LONGEST_TEXT = 1000


class Names:
    """The names of one file."""

    def __init__(self, tree: ast.Module) -> None:
        self._known: dict[str, set[str]] = {}
        nodes = list(ast.walk(tree))
        for node in nodes:
            for name, meaning in _imported(node):
                self._known.setdefault(name, set()).add(meaning)
        assignments = [pair for node in nodes for pair in _assigned(node)]
        for _ in range(_MOST_ROUNDS):
            before = sum(map(len, self._known.values()))
            for name, value in assignments:
                self._learn(name, value)
            if sum(map(len, self._known.values())) == before:
                break

    def _learn(self, name: str, value: ast.expr) -> None:
        try:
            meanings = self.meanings(value)
        except RecursionError:
            return  # too deep to be read: whoever looks at the expression itself says so
        known = self._known.setdefault(name, set()) if meanings else set()
        known.update(sorted(meanings)[: _MOST_MEANINGS - len(known)])

    def meanings(self, node: ast.expr) -> frozenset[str]:
        """The dotted names of modules, or of what is in them, that ``node`` may be; none where it tells none.

        Raises RecursionError for an expression that is nested too deep.
        """
        match node:
            case ast.Name(id=name):
                return frozenset(self._known.get(name, {name} if _is_builtin(name) else ()))
            case ast.Attribute(value=owner, attr=attribute):
                return frozenset(f"{meaning}.{attribute}" for meaning in self.meanings(owner))
            case ast.NamedExpr(value=value):
                return self.meanings(value)
            case ast.IfExp(body=body, orelse=other):
                return self.meanings(body) | self.meanings(other)
            case ast.BoolOp(values=values):
                return frozenset(
                    meaning for value in values[:_MOST_MEANINGS] for meaning in self.meanings(value)
                )
            case ast.Call(func=function, args=arguments):
                return self._of_call(self.meanings(function), arguments)
            case ast.Subscript(value=owner, slice=key):
                return self._of_item(self.meanings(owner), text_of_expression(key))
        return frozenset()

    def _of_call(self, functions: frozenset[str], arguments: list[ast.expr]) -> frozenset[str]:
        if functions & IMPORTERS and arguments:
            name = text_of_expression(arguments[0])
            return frozenset() if name is None else frozenset({name})
        if functions & GETTERS and len(arguments) > 1:
            name = text_of_expression(arguments[1])
            owners = self.meanings(arguments[0])
            return (
                frozenset()
                if name is None
                else frozenset(f"{owner_meaning}.{name}" for owner_meaning in owners)
            )
        if functions & set(_NAMESPACES) and arguments:
            return frozenset(f"{meaning}.__dict__" for meaning in self.meanings(arguments[0]))
        return frozenset()

    def _of_item(self, owners: frozenset[str], key: str | None) -> frozenset[str]:
        """``sys.modules["gc"]`` is gc; ``sys.__dict__["modules"]`` is sys.modules."""
        if key is None:
            return frozenset()
        attributes = {owner.removesuffix("__dict__") + key for owner in owners if owner.endswith(".__dict__")}
        return frozenset(attributes | {key for owner in owners if owner == "sys.modules"})


def text_of_expression(node: ast.expr) -> str | None:
    """The text that a constant expression is: literals, sums, f-strings, joined lists, slices; else None."""
    match node:
        case ast.Constant(value=str() as text):
            return text[:_LONGEST_TEXT]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            parts = [text_of_expression(left), text_of_expression(right)]
        case ast.JoinedStr(values=values):
            parts = [text_of_expression(part) for part in values]
        case ast.FormattedValue(value=value):
            return text_of_expression(value)
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str() as glue), attr="join"),
            args=[ast.List(elts=items) | ast.Tuple(elts=items)],
        ):
            texts = [text_of_expression(item) for item in items]
            return None if None in texts else glue.join(filter(None, texts))[:_LONGEST_TEXT]
        case ast.Subscript(value=value, slice=ast.Slice(lower=None, upper=None, step=ast.UnaryOp())):
            backwards = text_of_expression(value)
            return None if backwards is None else backwards[::-1]
        case _:
            return None
    known = [part for part in parts if part is not None]
    return "".join(known)[:_LONGEST_TEXT] if len(known) == len(parts) else None


def _imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            top = alias.name.partition(".")[0]
            yield (alias.asname, alias.name) if alias.asname else (top, top)
    elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
        for alias in node.names:
            yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _pairs(target, value)
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value
        case ast.NamedExpr(target=ast.Name(id=name), value=value):
            yield name, value
        case ast.For(target=ast.Name(id=name), iter=ast.List(elts=items) | ast.Tuple(elts=items)):
            for item in items:
                yield name, item
        case ast.withitem(context_expr=value, optional_vars=ast.Name(id=name)):
            yield name, value


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
        for element, other in zip(target.elts, value.elts, strict=False):
            yield from _pairs(element, other)


def _is_builtin(name: str) -> bool:
    return name in (
        "getattr",
        "setattr",
        "vars",
        "exec",
        "eval",
        "compile",
        "__import__",
        "globals",
        "locals",
        "__loader__",
        "__spec__",
        "__builtins__",
    )
