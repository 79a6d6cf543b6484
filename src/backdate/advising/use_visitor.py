"""Walking one file's syntax tree: which dotted names it uses, and of what its classes are made."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from backdate.advice import SourcePlace
from backdate.advising.name_scopes import NameScopes, all_arguments, variable_of
from backdate.advising.project_uses import CallShape, NameUses, ProjectUses

_LONGEST_CONSTANT = 60
ABSENCE = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError"})
"""Exceptions by whose handlers a project is ready for a name to be gone."""
_OF_IMPORTS = frozenset({"ImportError", "ModuleNotFoundError"})
_IMPORTS = (ast.Import, ast.ImportFrom)
_PARTIAL = frozenset({"functools.partial", "functools.partialmethod"})
ANY_ERROR = frozenset({*ABSENCE, "Exception", "BaseException"})


class UseVisitor(ast.NodeVisitor):
    """Walks one file and adds what it uses to ``uses``. ``guards``: see ``read_uses``."""

    def __init__(self, file: str, uses: ProjectUses, guards: frozenset[str] = ANY_ERROR) -> None:
        self._file, self._uses = file, uses
        self._scopes = NameScopes()
        self._guarded = 0
        """How many guards are around."""
        self._absent = 0
        """How many handlers are around that are for what is not there."""
        self._guards = guards

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            top = alias.name.partition(".")[0]
            self._scopes.bind(alias.asname or top, alias.name if alias.asname else top)
            self._record(alias.name, node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if node.level or not node.module:
                self._scopes.bind(alias.asname or alias.name, "")
                continue
            dotted = f"{node.module}.{alias.name}"
            self._bind(alias.asname or alias.name, dotted)
            self._record(node.module if alias.name == "*" else dotted, alias if alias.lineno else node)

    def _bind(self, name: str, dotted: str) -> None:
        """``name`` stands for ``dotted``; for nothing that is known where a handler imports it from the same
        library as what it is for: the code is ready for both."""
        known = self._scopes.resolve(ast.Name(id=name))[0] if self._absent else ""
        either = known not in ("", dotted) and known.partition(".")[0] == dotted.partition(".")[0]
        self._scopes.bind(name, "" if either else dotted)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        dotted, of_object = self._scopes.resolve(node)
        if dotted:
            self._record(dotted, node, of_object=of_object)
        inner: ast.expr = node
        while isinstance(inner, ast.Attribute):
            inner = inner.value
        if not dotted or isinstance(inner, ast.Call):
            self.visit(inner)

    def visit_Name(self, node: ast.Name) -> None:
        dotted, of_object = self._scopes.resolve(node)
        if dotted and not of_object and isinstance(node.ctx, ast.Load):
            self._record(dotted, node)

    def visit_Call(self, node: ast.Call) -> None:
        dotted, of_object = self._scopes.resolve(node.func)
        uses = self._record(dotted, node.func, of_object=of_object) if dotted else None
        if uses is not None:
            self._given(uses, node)
            uses.record_call(_shape_of(node))
        self._by_keyword(node)
        if dotted in _PARTIAL and node.args:
            kept, of_object = self._scopes.resolve(node.args[0])
            uses = self._record(kept, node.args[0], of_object=of_object) if kept else None
            if uses is not None:
                self._given(uses, node)
        self.generic_visit(node)

    def _by_keyword(self, node: ast.Call) -> None:
        """Note the keyword arguments of a call of an attribute."""
        head: ast.expr = node.func
        while isinstance(head, ast.Attribute):
            head = head.value
        if isinstance(head, ast.Name) and head is not node.func:
            for keyword in node.keywords:
                if keyword.arg:
                    self._uses.record_keyword(keyword.arg, self._place(keyword.value), head.id)

    def _given(self, uses: NameUses, node: ast.Call) -> None:
        """Note the keyword arguments of a call, those of dictionaries that it unpacks as well."""
        for keyword in node.keywords:
            given = {keyword.arg: keyword.value} if keyword.arg else self._scopes.dictionary(keyword.value)
            for name, value in given.items():
                uses.record_argument(name, _constant(value), self._place(value))

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
        # what was imported before is not what an ImportError is about: `imp.find_module("x")` looks for x
        of_body = guarded and (
            any(_catches(one, self._guards) and not _is_of_imports(one) for one in node.handlers)
            or any(isinstance(inner, _IMPORTS) for statement in node.body for inner in ast.walk(statement))
        )
        self._guarded += of_body
        for statement in node.body:
            self.visit(statement)
        self._guarded -= of_body
        # what stands in a handler is for other releases than the one at hand
        for handler in node.handlers:
            self._guarded += guarded
            self._absent += guarded
            self.visit(handler)
            self._absent -= guarded
            self._guarded -= guarded
        for statement in (*node.orelse, *node.finalbody):
            self.visit(statement)

    def visit_If(self, node: ast.If) -> None:
        guarded = _asks_for_release(node.test)
        if _asks_for_name(node.test) and node.end_lineno is not None:
            self._uses.asked.setdefault(self._file, []).append((node.lineno, node.end_lineno))
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
        for argument in all_arguments(arguments):
            if argument.annotation is not None:
                self.visit(argument.annotation)
        if node.returns is not None:
            self.visit(node.returns)
        with self._scopes.in_function(arguments):
            for statement in node.body:
                self.visit(statement)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - as ast names it

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for expression in (*node.decorator_list, *node.bases, *(word.value for word in node.keywords)):
            self.visit(expression)
        bases = tuple(dotted for dotted, of in map(self._scopes.resolve, node.bases) if dotted and not of)
        own = _defined_in(node)
        if len(bases) == 1 and len(node.bases) == 1:
            for name, line in own.items():
                place = SourcePlace(file=self._file, line=line)
                self._uses.record_defined(f"{bases[0]}.{name}", place)
        with self._scopes.in_class(bases, own.keys()):
            for statement in node.body:
                self.visit(statement)

    def _assigned(self, target: ast.expr, value: ast.expr | None) -> None:
        """A variable holds something else from here on: an object of a class, or what is not known."""
        if isinstance(target, ast.Tuple | ast.List):
            for element in target.elts:
                self._assigned(element, None)
            return
        if isinstance(target, ast.Subscript | ast.Starred):
            if isinstance(target, ast.Subscript) and value is not None:
                self._scopes.fill(target, value)
            self.visit(target)
            return
        name = variable_of(target)
        if name and self._absent and isinstance(value, ast.Constant):
            return  # `httpx = None` where it is not installed: elsewhere it is the module still
        if name:
            self._scopes.assign(name, value)
        else:
            self.visit(target)

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


def _catches(handler: ast.ExceptHandler, guards: frozenset[str]) -> bool:
    """Whether a handler is for what is not there."""
    if handler.type is None:
        return guards == ANY_ERROR
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(kind, ast.Name) and kind.id in guards for kind in kinds)


def _is_of_imports(handler: ast.ExceptHandler) -> bool:
    """Whether a handler is for imports that fail, and nothing else."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return all(isinstance(kind, ast.Name) and kind.id in _OF_IMPORTS for kind in kinds)


def _asks_for_release(test: ast.expr) -> bool:
    """Whether a condition asks for a version, or whether something is there."""
    if _asks_for_name(test):
        return True
    for node in ast.walk(test):
        if isinstance(node, ast.Name) and node.id == "TYPE_CHECKING":
            return True
        text = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
        if "version" in text.casefold() or "VERSION" in text:
            return True
    return False


def _asks_for_name(test: ast.expr) -> bool:
    """Whether a condition asks whether something is there."""
    return any(isinstance(node, ast.Name) and node.id == "hasattr" for node in ast.walk(test))


def _defined_in(node: ast.ClassDef) -> Mapping[str, int]:
    """The attributes that a class defines, in its body and on ``self``, each with its first line."""
    own: dict[str, int] = {}
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
            name = variable_of(inner)
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
