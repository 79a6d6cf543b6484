"""Whether two texts of a module are one program, as far as their syntax tells."""

from __future__ import annotations

import ast

from backdate.editing.python_source import parsed_or_none
from backdate.tasks.quality.python_tree import FunctionNode, dotted


def same_program(text: str, other: str, *, exports: bool = False) -> bool:
    """Whether the modules differ in nothing that tests can notice.

    Docstrings, annotations of functions and of their variables, what is for type checkers, and imports that
    nothing uses make no difference. ``exports``: other modules may import what this one imports
    (``__init__.py``), so every import counts. False where one of them cannot be parsed.
    """
    modules = parsed_or_none(text), parsed_or_none(other)
    if modules[0] is None or modules[1] is None:
        return text == other
    return _meaning(modules[0], exports=exports) == _meaning(modules[1], exports=exports)


def _meaning(module: ast.Module, *, exports: bool) -> str:
    for node in ast.walk(module):
        if isinstance(node, FunctionNode):
            _without_annotations(node)
        for name in ("body", "orelse"):
            statements = getattr(node, name, None)
            if isinstance(statements, list):
                kept = [each for each in statements if not _is_text(each) and not _for_checkers(each)]
                setattr(node, name, kept or ([ast.Pass()] if name == "body" and statements else []))
    if not exports:
        _drop_unused_imports(module)
    return ast.dump(module)


def _without_annotations(function: FunctionNode) -> None:
    function.returns = None
    arguments = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
    for argument in (*arguments, function.args.vararg, function.args.kwarg):
        if argument is not None:
            argument.annotation = None
    for node in ast.walk(function):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            node.annotation = ast.Constant(value=None)


def _drop_unused_imports(module: ast.Module) -> None:
    used = {node.id for node in ast.walk(module) if isinstance(node, ast.Name)}
    used |= {
        node.value
        for node in ast.walk(module)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)  # __all__
    }
    for node in ast.walk(module):
        if isinstance(node, ast.Import | ast.ImportFrom):
            node.names = [
                alias
                for alias in node.names
                if (alias.asname or alias.name.partition(".")[0]) in used or alias.name == "*"
            ]
    for node in ast.walk(module):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [  # type: ignore[attr-defined]
                each for each in body if not isinstance(each, ast.Import | ast.ImportFrom) or each.names
            ] or [ast.Pass()]


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _for_checkers(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and dotted(statement.test)[-1:] == ("TYPE_CHECKING",)
