"""Added code that changes what others import: libraries patched while the project runs, shims in packages."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import PurePosixPath

from backdate.evaluation.flags.names import Names, text_of_expression

_SETTERS = ("setattr", "builtins.setattr")
_CHANGING = frozenset({"update", "setdefault", "__setitem__"})


def patched_modules(node: ast.AST, names: Names, own: frozenset[str]) -> Iterator[str]:
    """What of other people's modules ``node`` changes: "collections.Mapping".

    ``own``: the top-level names of the project's modules.
    """
    targets: list[ast.expr] = []
    match node:
        case ast.Assign(targets=assigned):
            targets = assigned
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            targets = [target]
        case ast.Call(func=function, args=[owner, name, *_]) if names.meanings(function) & set(_SETTERS):
            yield from _foreign(names, owner, text_of_expression(name) or "…", own)
        case ast.Call(func=ast.Attribute(value=ast.expr() as owner, attr=method)) if method in _CHANGING:
            for meaning in names.meanings(owner):
                module = meaning.removesuffix(".__dict__")
                if module != meaning and module.partition(".")[0] not in own:
                    yield module
    for changed in targets:
        if isinstance(changed, ast.Attribute):
            yield from _foreign(names, changed.value, changed.attr, own)
        elif isinstance(changed, ast.Subscript):
            for meaning in names.meanings(changed.value):
                if meaning.endswith(".__dict__") and meaning.partition(".")[0] not in own:
                    yield f"{meaning.removesuffix('.__dict__')}.{text_of_expression(changed.slice) or '…'}"


def _foreign(names: Names, owner: ast.expr, attribute: str, own: frozenset[str]) -> Iterator[str]:
    for meaning in sorted(names.meanings(owner)):
        if meaning.partition(".")[0] not in own:
            yield f"{meaning}.{attribute}"


def is_shim(node: ast.stmt) -> bool:
    """Whether a statement at the top of an ``__init__.py`` does more than import and name things."""
    match node:
        case (
            ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.With() | ast.For() | ast.While()
        ):
            return True
        case ast.Expr(value=ast.Call()):
            return True
        case ast.Assign(targets=targets):
            return not all(isinstance(target, ast.Name | ast.Tuple) for target in targets)
        case ast.If(body=body, orelse=other):
            return any(map(is_shim, (*body, *other)))
        case ast.Try(body=body, handlers=handlers, orelse=other, finalbody=last):
            inner = [statement for handler in handlers for statement in handler.body]
            return any(map(is_shim, (*body, *inner, *other, *last)))
    return False


def is_package_file(file: str) -> bool:
    """Whether ``file`` runs whenever anything of its package is imported."""
    return PurePosixPath(file).name == "__init__.py"
