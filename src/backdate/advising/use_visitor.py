"""Walking one file's syntax tree: which dotted names it uses, and of what its classes are made."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from backdate.advice import SourcePlace

_MOST_PLACES = 200
"""Of one name."""
_MOST_NAMES = 20_000
_LONGEST_CONSTANT = 60
ABSENCE = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError"})
"""Exceptions by whose handlers a project is ready for a name to be gone."""
_PARTIAL = frozenset({"functools.partial", "functools.partialmethod"})
ANY_ERROR = frozenset({*ABSENCE, "Exception", "BaseException"})


@dataclass(frozen=True, slots=True, kw_only=True)
class CallShape:
    """What one call gives, without the values."""

    positional: int
    keywords: frozenset[str] = frozenset()
    starred: bool = False
    """Whether it gives more than is written, by "*" or "**"."""


@dataclass(slots=True)
class NameUses:
    """Where one dotted name is used."""

    places: dict[SourcePlace, None] = field(default_factory=dict)
    keywords: dict[str, dict[SourcePlace, None]] = field(default_factory=dict)
    """Keyword arguments with which it is called, and where."""
    values: dict[str, dict[str, None]] = field(default_factory=dict)
    """The constants that keyword arguments are given, as they are written; "" for what is no constant."""
    calls: dict[CallShape, None] = field(default_factory=dict)
    of_object: bool = False
    """Whether it was found as an attribute of an object, or of a base class, and not by its dotted name."""


@dataclass(slots=True)
class ProjectUses:
    """What the files of a tree use, by dotted name ("numpy.random.rand", with every part before it)."""

    names: dict[str, NameUses] = field(default_factory=dict)
    defined: dict[str, dict[SourcePlace, None]] = field(default_factory=dict)
    """Attributes that classes of the project define, below the dotted name of the base class."""
    files: tuple[str, ...] = ()
    statements: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """First and last lines of the statements that take several lines and hold no other, by file."""

    def lines_around(self, place: SourcePlace) -> frozenset[SourcePlace]:
        """The lines of the statement at ``place``: an error names one of them, a use another."""
        known = self.statements.get(place.file, ())
        first, last = next((span for span in known if span[0] <= place.line <= span[1]), (place.line,) * 2)
        return frozenset(SourcePlace(file=place.file, line=line) for line in range(first, last + 1))

    def of_modules(self, modules: Sequence[str]) -> dict[str, NameUses]:
        """The names in top-level or dotted ``modules``, and the modules themselves."""
        starts = tuple(f"{module}." for module in modules)
        return {name: uses for name, uses in self.names.items() if f"{name}.".startswith(starts)}

    def places_of(self, name: str) -> tuple[SourcePlace, ...]:
        """Where ``name`` is used."""
        uses = self.names.get(name)
        return tuple(uses.places) if uses else ()

    def record(self, name: str, place: SourcePlace, *, of_object: bool = False) -> NameUses | None:
        """Note a use of ``name``; None when there are more names than are kept."""
        uses = self.names.get(name)
        if uses is None:
            if len(self.names) >= _MOST_NAMES or len(name) > 300:
                return None
            uses = self.names[name] = NameUses(of_object=of_object)
        if len(uses.places) < _MOST_PLACES:
            uses.places[place] = None
        uses.of_object = uses.of_object and of_object
        return uses


class UseVisitor(ast.NodeVisitor):
    """Walks one file; ``_scopes`` holds what names stand for, the innermost last."""

    def __init__(self, file: str, uses: ProjectUses, guards: frozenset[str] = ANY_ERROR) -> None:
        self._file, self._uses = file, uses
        self._scopes: list[dict[str, str]] = [{}]
        self._objects: list[dict[str, str]] = [{}]
        """The dotted classes of what variables hold; "self.x" as well."""
        self._options: dict[str, dict[str, ast.expr]] = {}
        """Of variables that hold a dictionary what stands in it under names."""
        self._bases: list[tuple[tuple[str, ...], frozenset[str]]] = []
        self._guarded = 0
        self._guards = guards

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.name.partition(".")[0]
            self._bind(alias.asname or top, alias.name if alias.asname else top)
            self._record(alias.name, node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if node.level or not node.module:
                self._bind(alias.asname or alias.name, "")
                continue
            dotted = f"{node.module}.{alias.name}"
            self._bind(alias.asname or alias.name, dotted)
            self._record(node.module if alias.name == "*" else dotted, alias if alias.lineno else node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        dotted, of_object = self._resolve(node)
        if dotted:
            self._record(dotted, node, of_object=of_object)
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            inner = inner.value
        if not dotted or isinstance(inner, ast.Call):
            self.visit(inner)

    def visit_Name(self, node: ast.Name) -> None:
        dotted, of_object = self._resolve(node)
        if dotted and not of_object and isinstance(node.ctx, ast.Load):
            self._record(dotted, node)

    def visit_Call(self, node: ast.Call) -> None:
        dotted, of_object = self._resolve(node.func)
        uses = self._record(dotted, node.func, of_object=of_object) if dotted else None
        if uses is not None:
            self._given(uses, node)
            if len(uses.calls) < _MOST_PLACES:
                uses.calls[_shape_of(node)] = None
        if dotted in _PARTIAL and node.args:
            kept, of_object = self._resolve(node.args[0])
            uses = self._record(kept, node.args[0], of_object=of_object) if kept else None
            if uses is not None:
                self._given(uses, node)
        self.generic_visit(node)

    def _given(self, uses: NameUses, node: ast.Call) -> None:
        """Note the keyword arguments of a call, those of dictionaries that it unpacks as well."""
        for keyword in node.keywords:
            given = {keyword.arg: keyword.value} if keyword.arg else self._dictionary(keyword.value)
            for name, value in given.items():
                if len(uses.keywords) < _MOST_PLACES:
                    uses.keywords.setdefault(name, {})[self._place(value)] = None
                    uses.values.setdefault(name, {})[_constant(value)] = None

    def _dictionary(self, node: ast.expr | None) -> dict[str, ast.expr]:
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

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self._assigned(target, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.annotation)
        if node.value is not None:
            self.visit(node.value)
        self._assigned(node.target, node.value)

    def visit_With(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self.visit(item.context_expr)
            if item.optional_vars is not None:
                self._assigned(item.optional_vars, None)
        for statement in node.body:
            self.visit(statement)

    visit_AsyncWith = visit_With  # noqa: N815 - as ast names it

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self._assigned(node.target, None)
        self.generic_visit(node)

    visit_AsyncFor = visit_For  # noqa: N815 - as ast names it

    def visit_Try(self, node: ast.Try) -> None:
        guarded = any(_catches(handler, self._guards) for handler in node.handlers)
        self._guarded += guarded
        for statement in node.body:
            self.visit(statement)
        self._guarded -= guarded
        # what stands in a handler is for other releases than the one at hand
        for handler in node.handlers:
            self._guarded += guarded
            self.visit(handler)
            self._guarded -= guarded
        for statement in (*node.orelse, *node.finalbody):
            self.visit(statement)

    def visit_If(self, node: ast.If) -> None:
        guarded = _asks_for_release(node.test)
        self.visit(node.test)
        self._guarded += guarded
        for statement in (*node.body, *node.orelse):
            self.visit(statement)
        self._guarded -= guarded

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for decorator in node.decorator_list:
            self.visit(decorator)
        arguments = node.args
        for default in (*arguments.defaults, *filter(None, arguments.kw_defaults)):
            self.visit(default)
        own = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        for argument in (*own, *filter(None, (arguments.vararg, arguments.kwarg))):
            if argument.annotation is not None:
                self.visit(argument.annotation)
        if node.returns is not None:
            self.visit(node.returns)
        self._scopes.append(dict.fromkeys((argument.arg for argument in own), ""))
        self._objects.append({})
        outside, self._options = self._options, dict(self._options)
        for argument in (*own, *filter(None, (arguments.vararg, arguments.kwarg))):
            self._options.pop(argument.arg, None)
        for statement in node.body:
            self.visit(statement)
        self._options = outside
        self._scopes.pop()
        self._objects.pop()

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - as ast names it

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for expression in (*node.decorator_list, *node.bases, *(word.value for word in node.keywords)):
            self.visit(expression)
        bases = tuple(dotted for dotted, of in map(self._resolve, node.bases) if dotted and not of)
        own = _defined_in(node)
        if len(bases) == 1 and len(node.bases) == 1:
            for name, line in own.items():
                dotted = f"{bases[0]}.{name}"
                if len(self._uses.defined) < _MOST_NAMES:
                    places = self._uses.defined.setdefault(dotted, {})
                    places[SourcePlace(file=self._file, line=line)] = None
        self._bases.append((bases, frozenset(own)))
        self._scopes.append({})
        self._objects.append({})
        for statement in node.body:
            self.visit(statement)
        self._scopes.pop()
        self._objects.pop()
        self._bases.pop()

    def _bind(self, name: str, dotted: str) -> None:
        self._scopes[-1][name] = dotted
        self._objects[-1].pop(name, None)

    def _assigned(self, target: ast.expr, value: ast.expr | None) -> None:
        """A variable holds something else from here on: an object of a class, or what is not known."""
        if isinstance(target, ast.Tuple | ast.List):
            for element in target.elts:
                self._assigned(element, None)
            return
        if isinstance(target, ast.Subscript | ast.Starred):
            if isinstance(target, ast.Subscript) and value is not None:
                self._filled(target, value)
            self.visit(target)
            return
        name = _variable(target)
        if not name:
            self.visit(target)
            return
        made = ""
        alias = ""
        if isinstance(value, ast.Call):
            made, of_object = self._resolve(value.func)
            made = "" if of_object else made
        elif value is not None:
            alias, of_object = self._resolve(value)
            alias = "" if of_object else alias
        if name.startswith("self."):
            if self._bases and len(self._objects) > 1:
                self._objects[-2][name] = made
            return
        self._scopes[-1][name] = alias
        self._objects[-1][name] = made
        self._options[name] = dict(self._dictionary(value))

    def _filled(self, target: ast.Subscript, value: ast.expr) -> None:
        """``options["name"] = value``."""
        key = target.slice
        if (
            isinstance(target.value, ast.Name)
            and isinstance(key, ast.Constant)
            and isinstance(key.value, str)
        ):
            self._options.setdefault(target.value.id, {})[key.value] = value

    def _resolve(self, node: ast.expr) -> tuple[str, bool]:
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
        if node.id in ("self", "cls") and parts and self._bases:
            return self._of_self(parts)
        for scope, objects in zip(reversed(self._scopes), reversed(self._objects), strict=True):
            if objects.get(node.id) and parts:
                return ".".join((objects[node.id], *parts)), True
            if node.id in scope:
                home = scope[node.id]
                return (".".join((home, *parts)), False) if home else ("", False)
        return "", False

    def _resolve_called(self, node: ast.Call, parts: list[str]) -> tuple[str, bool]:
        """Of ``Class(…).attribute``, and of ``super().attribute``."""
        if not parts:
            return "", False
        if isinstance(node.func, ast.Name) and node.func.id == "super" and self._bases:
            bases, _ = self._bases[-1]
            return (".".join((bases[0], *parts)), True) if len(bases) == 1 else ("", False)
        made, of_object = self._resolve(node.func)
        return (".".join((made, *parts)), True) if made and not of_object else ("", False)

    def _of_self(self, parts: list[str]) -> tuple[str, bool]:
        key = f"self.{parts[0]}"
        for objects in reversed(self._objects):
            if key in objects:
                return (
                    (".".join((objects[key], *parts[1:])), True)
                    if objects[key] and parts[1:]
                    else ("", False)
                )
        bases, own = self._bases[-1]
        if len(bases) != 1 or parts[0] in own:
            return "", False
        return ".".join((bases[0], *parts)), True

    def _record(
        self, dotted: str, node: ast.expr | ast.alias | ast.stmt, *, of_object: bool = False
    ) -> NameUses | None:
        if self._guarded:
            return None
        return self._uses.record(dotted, self._place(node), of_object=of_object)

    def _place(self, node: ast.expr | ast.alias | ast.stmt) -> SourcePlace:
        return SourcePlace(file=self._file, line=node.lineno)


def _constant(node: ast.expr) -> str:
    return repr(node.value)[:_LONGEST_CONSTANT] if isinstance(node, ast.Constant) else ""


def _shape_of(node: ast.Call) -> CallShape:
    plain = [argument for argument in node.args if not isinstance(argument, ast.Starred)]
    named = frozenset(keyword.arg for keyword in node.keywords if keyword.arg)
    starred = len(plain) < len(node.args) or len(named) < len(node.keywords)
    return CallShape(positional=len(plain), keywords=named, starred=starred)


def _variable(target: ast.expr) -> str:
    if isinstance(target, ast.Name):
        return target.id
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
        return f"self.{target.attr}"
    return ""


def _catches(handler: ast.ExceptHandler, guards: frozenset[str]) -> bool:
    """Whether a handler is for what is not there."""
    if handler.type is None:
        return guards == ANY_ERROR
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(kind, ast.Name) and kind.id in guards for kind in kinds)


def _asks_for_release(test: ast.expr) -> bool:
    """Whether a condition asks for a version, or whether something is there."""
    for node in ast.walk(test):
        if isinstance(node, ast.Name) and node.id in ("hasattr", "TYPE_CHECKING"):
            return True
        text = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if "version" in text.casefold() or "VERSION" in text:
            return True
    return False


def _defined_in(node: ast.ClassDef) -> Mapping[str, int]:
    """The attributes that a class defines, in its body and on ``self``, each with its first line."""
    own: dict[str, int] = {}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
            name = _variable(inner)
            if name:
                own.setdefault(inner.attr, inner.lineno)
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            own.setdefault(statement.name, statement.lineno)
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    own.setdefault(target.id, statement.lineno)
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            own.setdefault(statement.target.id, statement.lineno)
    return own
