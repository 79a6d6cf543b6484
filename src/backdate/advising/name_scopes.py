"""What the names of a file stand for while its syntax tree is walked: imports, variables, ``self``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from contextlib import contextmanager


class NameScopes:
    """The scopes that the walk is in, the innermost last, and what names stand for in each."""

    def __init__(self) -> None:
        self._names: list[dict[str, str]] = [{}]
        """The dotted name that a name stands for; "" where that is not known."""
        self._objects: list[dict[str, str]] = [{}]
        """The dotted classes of what variables hold; "self.x" as well."""
        self._options: dict[str, dict[str, ast.expr]] = {}
        """Of variables that hold a dictionary what stands in it under names."""
        self._classes: list[tuple[tuple[str, ...], Set[str]]] = []
        """The dotted bases of each class around, and the attributes that it defines itself."""

    @contextmanager
    def in_function(self, arguments: ast.arguments) -> Iterator[None]:
        """In the body of a function that takes ``arguments``."""
        own = own_arguments(arguments)
        self._names.append(dict.fromkeys((argument.arg for argument in own), ""))
        self._objects.append({})
        outside, self._options = self._options, dict(self._options)
        for argument in all_arguments(arguments):
            self._options.pop(argument.arg, None)
        yield
        self._options = outside
        self._objects.pop()
        self._names.pop()

    @contextmanager
    def in_class(self, bases: tuple[str, ...], own: Set[str]) -> Iterator[None]:
        """In the body of a class with these dotted ``bases``, which defines the attributes ``own``."""
        self._classes.append((bases, own))
        self._names.append({})
        self._objects.append({})
        yield
        self._objects.pop()
        self._names.pop()
        self._classes.pop()

    def bind(self, name: str, dotted: str) -> None:
        """``name`` stands for ``dotted`` from here on; "" for what is not known."""
        self._names[-1][name] = dotted
        self._objects[-1].pop(name, None)

    def assign(self, name: str, value: ast.expr | None) -> None:
        """The variable ``name`` (or "self.name") holds ``value`` from here on; None for what is not known."""
        alias, made = "", ""
        if isinstance(value, ast.Call):
            made, of_object = self.resolve(value.func)
            made = "" if of_object else made
        elif value is not None:
            alias, of_object = self.resolve(value)
            alias = "" if of_object else alias
        if name.startswith("self."):
            if self._classes and len(self._objects) > 1:
                self._objects[-2][name] = made
            return
        self._names[-1][name] = alias
        self._objects[-1][name] = made
        self._options[name] = dict(self.dictionary(value))

    def fill(self, target: ast.Subscript, value: ast.expr) -> None:
        """``options["name"] = value``."""
        key = target.slice
        if (
            isinstance(target.value, ast.Name)
            and isinstance(key, ast.Constant)
            and isinstance(key.value, str)
        ):
            self._options.setdefault(target.value.id, {})[key.value] = value

    def dictionary(self, node: ast.expr | None) -> dict[str, ast.expr]:
        """What stands under names in a dictionary that is written out; nothing of another expression."""
        if isinstance(node, ast.Name):
            return self._options.get(node.id, {})
        if isinstance(node, ast.Dict):
            return {
                key.value: value
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant) and isinstance(key.value, str)
            }
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
            return {word.arg: word.value for word in node.keywords if word.arg}
        return {}

    def resolve(self, node: ast.expr) -> tuple[str, bool]:
        """The dotted name that an expression stands for, and whether by way of an object; "" for none."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        parts.reverse()
        if isinstance(node, ast.Call):
            return self._resolve_called(node, parts)
        if not isinstance(node, ast.Name):
            return "", False
        if node.id in ("self", "cls") and parts and self._classes:
            return self._resolve_self(parts)
        for names, objects in zip(reversed(self._names), reversed(self._objects), strict=True):
            if objects.get(node.id) and parts:
                return ".".join((objects[node.id], *parts)), True
            if node.id in names:
                home = names[node.id]
                return (".".join((home, *parts)), False) if home else ("", False)
        return "", False

    def _resolve_called(self, node: ast.Call, parts: list[str]) -> tuple[str, bool]:
        """Of ``Class(…).attribute``, and of ``super().attribute``."""
        if not parts:
            return "", False
        if isinstance(node.func, ast.Name) and node.func.id == "super" and self._classes:
            bases, _ = self._classes[-1]
            return (".".join((bases[0], *parts)), True) if len(bases) == 1 else ("", False)
        made, of_object = self.resolve(node.func)
        return (".".join((made, *parts)), True) if made and not of_object else ("", False)

    def _resolve_self(self, parts: list[str]) -> tuple[str, bool]:
        """Of ``self.attribute``: what was assigned to it, or what the one base class has."""
        key = f"self.{parts[0]}"
        for objects in reversed(self._objects):
            if key in objects:
                return (
                    (".".join((objects[key], *parts[1:])), True)
                    if objects[key] and parts[1:]
                    else ("", False)
                )
        bases, own = self._classes[-1]
        if len(bases) != 1 or parts[0] in own:
            return "", False
        return ".".join((bases[0], *parts)), True


def own_arguments(arguments: ast.arguments) -> list[ast.arg]:
    """The arguments of a function that have a name of their own: all but ``*args`` and ``**kwargs``."""
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def all_arguments(arguments: ast.arguments) -> list[ast.arg]:
    """Every argument of a function."""
    return [*own_arguments(arguments), *filter(None, (arguments.vararg, arguments.kwarg))]


def variable_of(target: ast.expr) -> str:
    """The variable that an assignment to ``target`` sets: "x" or "self.x"; "" for anything else."""
    if isinstance(target, ast.Name):
        return target.id
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
        return f"self.{target.attr}"
    return ""
