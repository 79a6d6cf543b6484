"""What is a list, a text or the like by how it is written: its attributes are no library's."""

from __future__ import annotations

import ast

_DISPLAYS = (
    ast.List,
    ast.ListComp,
    ast.Dict,
    ast.DictComp,
    ast.Set,
    ast.SetComp,
    ast.Tuple,
    ast.Constant,
    ast.JoinedStr,
)


def plain_variables(node: ast.AST) -> set[str]:
    """The names that a piece of code binds to nothing else."""
    bound: dict[str, list[ast.expr]] = {}
    for one in ast.walk(node):
        if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name):
            bound.setdefault(one.targets[0].id, []).append(one.value)
    return {name for name, values in bound.items() if all(isinstance(one, _DISPLAYS) for one in values)}


def is_plain(node: ast.AST, plain: set[str]) -> bool:
    """Whether an attribute, or a call of one, is of such a value or variable."""
    used = node.func if isinstance(node, ast.Call) else node
    if not isinstance(used, ast.Attribute):
        return False
    return isinstance(used.value, _DISPLAYS) or (isinstance(used.value, ast.Name) and used.value.id in plain)
