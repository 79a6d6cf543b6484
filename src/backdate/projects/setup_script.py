"""What a ``setup.py`` passes to ``setup()``, read from its syntax tree and never executed.

Only what can be known without running anything is resolved: constants, names that the module
binds to constants, concatenation, formatting and joining of them, and ``**`` of a literal dictionary with
what is stored in it later (``setup_args["extras_require"] = …``). Everything else is left out.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TypeAlias

from backdate.editing.python_source import UNPARSABLE, parse_source

Value: TypeAlias = "str | int | float | bool | list[Value] | dict[str, Value] | None"

_DEPTH = 20
"""Names may refer to names; beyond this many steps a value counts as unknown."""

_LENGTH = 100_000
"""Longer strings and lists count as unknown: ``"x" * 10**9`` and repeated doubling are not resolved."""


class _UnknownValue(Exception):
    """A value that cannot be known without running the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One keyword argument of ``setup()``."""

    value: Value
    line: int
    """Counted from 1: where the value is written."""


def setup_arguments(source: str) -> dict[str, Argument] | None:
    """The arguments of the first call of ``setup()`` in ``source`` that can be resolved.

    None when ``source`` is not Python that this interpreter can parse (Python 2, for example).
    """
    try:
        tree = parse_source(source)
        call = _find_call(tree)
        return {} if call is None else _Resolver(_bindings(tree), _stored_items(tree)).arguments(call)
    except UNPARSABLE:
        return None


def _find_call(tree: ast.Module) -> ast.Call | None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", None)
            if name == "setup":
                return node
    return None


def _bindings(tree: ast.Module) -> dict[str, ast.expr]:
    """What the module's names are bound to; a name that is bound twice is left out."""
    bound: dict[str, ast.expr] = {}
    ambiguous: set[str] = set()
    for node in ast.walk(tree):
        targets: list[ast.expr] = []
        value: ast.expr | None = None
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            targets, value = [node.target], node.value
        for target in targets:
            if not isinstance(target, ast.Name):
                continue
            if target.id in bound or value is None or isinstance(node, ast.AugAssign):
                ambiguous.add(target.id)
            else:
                bound[target.id] = value
    return {name: value for name, value in bound.items() if name not in ambiguous}


def _stored_items(tree: ast.Module) -> dict[str, dict[str, ast.expr | None]]:
    """What is stored in dictionaries under constant keys, by name; None for a key that is changed again."""
    stored: dict[str, dict[str, ast.expr | None]] = {}

    def store(target: ast.expr, value: ast.expr | None) -> None:
        match target:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str() as key)):
                items = stored.setdefault(name, {})
                items[key] = None if key in items else value

    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    store(target, value)
            case ast.AugAssign(target=target):
                store(target, None)
            case ast.Call(func=ast.Attribute(value=target, attr="append" | "extend" | "insert" | "update")):
                store(target, None)
    return stored


class _Resolver:
    def __init__(self, bindings: dict[str, ast.expr], stored: dict[str, dict[str, ast.expr | None]]) -> None:
        self._bindings = bindings
        self._stored = stored

    def arguments(self, call: ast.Call) -> dict[str, Argument]:
        arguments: dict[str, Argument] = {}
        for keyword in call.keywords:
            if keyword.arg is None:
                arguments.update(self._expand(keyword.value))
                continue
            try:
                value = self.resolve(keyword.value, _DEPTH)
            except _UnknownValue:
                continue
            arguments[keyword.arg] = Argument(value=value, line=keyword.value.lineno)
        return arguments

    def _expand(self, node: ast.expr) -> dict[str, Argument]:
        """The entries of a dictionary given with ``**``; those with an unknown value are left out.

        What is stored in it later is one of them, unless the dictionary was made with such an entry.
        """
        later: dict[str, ast.expr | None] = {}
        if isinstance(node, ast.Name):
            later = self._stored.get(node.id, {})
            node = self._bindings.get(node.id, node)
        pairs: list[tuple[str, ast.expr]] = []
        if isinstance(node, ast.Dict):
            pairs = [
                (key.value, value)
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant) and isinstance(key.value, str)
            ]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", None) == "dict":
            pairs = [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg]
        arguments: dict[str, Argument] = {}
        made_with = {name for name, _ in pairs}
        pairs = [(name, value) for name, value in pairs if name not in later]
        pairs += [
            (name, value) for name, value in later.items() if value is not None and name not in made_with
        ]
        for name, value in pairs:
            try:
                arguments[name] = Argument(value=self.resolve(value, _DEPTH), line=value.lineno)
            except _UnknownValue:
                continue
        return arguments

    def resolve(self, node: ast.expr, depth: int) -> Value:
        """The value of ``node``. Raises _UnknownValue when only running the file could tell."""
        if depth == 0:
            raise _UnknownValue
        match node:
            case ast.Constant(value=str() | int() | float() | bool() | None as value):
                return value
            case ast.Name(id=name) if name in self._bindings:
                return self.resolve(self._bindings[name], depth - 1)
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                return self._items(items, depth)
            case ast.Dict(keys=keys, values=values):
                return {
                    self._text(key, depth): self.resolve(value, depth - 1)
                    for key, value in zip(keys, values, strict=True)
                }
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._add(self.resolve(left, depth - 1), self.resolve(right, depth - 1))
            case ast.BinOp(left=left, op=ast.Mod(), right=right):
                return self._percent(self._text(left, depth), self.resolve(right, depth - 1))
            case ast.JoinedStr(values=parts):
                return _bounded("".join(self._part(part, depth) for part in parts))
            case ast.Call(func=ast.Attribute(value=receiver, attr=method), args=args, keywords=[]):
                return self._method(self._text(receiver, depth), method, self._items(args, depth))
            case _:
                raise _UnknownValue

    def _items(self, nodes: list[ast.expr], depth: int) -> list[Value]:
        items: list[Value] = []
        for node in nodes:
            value = self.resolve(node.value if isinstance(node, ast.Starred) else node, depth - 1)
            if not isinstance(node, ast.Starred):
                items.append(value)
            elif isinstance(value, list):
                items.extend(value)
            else:
                raise _UnknownValue
        if len(items) > _LENGTH:
            raise _UnknownValue
        return items

    def _text(self, node: ast.expr | None, depth: int) -> str:
        value = None if node is None else self.resolve(node, depth - 1)
        if not isinstance(value, str):
            raise _UnknownValue
        return value

    def _part(self, node: ast.expr, depth: int) -> str:
        if isinstance(node, ast.FormattedValue):
            if node.format_spec is not None or node.conversion != -1:
                raise _UnknownValue
            node = node.value
        return str(self.resolve(node, depth - 1))

    def _add(self, left: Value, right: Value) -> Value:
        if isinstance(left, str) and isinstance(right, str):
            return _bounded(left + right)
        if isinstance(left, list) and isinstance(right, list) and len(left) + len(right) <= _LENGTH:
            return left + right
        raise _UnknownValue

    def _percent(self, template: str, value: Value) -> str:
        """``%`` with plain ``%s`` and ``%d`` only: a width could ask for a gigabyte of blanks."""
        values: list[Value] = value if isinstance(value, list) else [value]
        pieces = template.replace("%d", "%s").split("%s")
        if "%" in "".join(pieces) or len(pieces) != len(values) + 1:
            raise _UnknownValue
        return _interleave(pieces, values)

    def _method(self, receiver: str, method: str, args: list[Value]) -> Value:
        if method == "format":
            pieces = receiver.split("{}")
            if "{" in "".join(pieces) or len(pieces) != len(args) + 1:
                raise _UnknownValue
            return _interleave(pieces, args)
        if method == "join" and len(args) == 1 and isinstance(args[0], list):
            return _bounded(receiver.join(str(item) for item in args[0]))
        if method == "strip" and not args:
            return receiver.strip()
        if method in ("split", "splitlines") and not args:
            return [*(receiver.split() if method == "split" else receiver.splitlines())]
        raise _UnknownValue


def _interleave(pieces: list[str], values: list[Value]) -> str:
    filled = [piece + str(value) for piece, value in zip(pieces, values, strict=False)]
    return _bounded("".join([*filled, pieces[-1]]))


def _bounded(text: str) -> str:
    if len(text) > _LENGTH:
        raise _UnknownValue
    return text
