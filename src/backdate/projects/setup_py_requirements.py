"""Where ``install_requires`` of a setup.py holds plain literals, which can be edited without running it.

Only what is certain is read: a list or tuple of strings that is written in the call of ``setup()``, or that
one assignment gives to a name which nothing else in the file touches. The rest is left to people.
"""

from __future__ import annotations

import ast

from backdate.editing.python_source import UNPARSABLE, parse_source
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Fragment

_FOLLOWED = 5
"""Names that may stand for names."""


def setup_py_requirements(content: str) -> list[Fragment]:
    """The string literals of ``install_requires``, in order; none where one of them is anything else."""
    try:
        tree = parse_source(content)
        nodes = list(ast.walk(tree))
    except UNPARSABLE:
        return []
    written = [keyword.value for keyword in _setup_keywords(nodes) if keyword.arg == "install_requires"]
    if len(written) != 1:
        return []
    elements = _elements(written[0], nodes)
    source = SourceText(content)
    fragments = [_fragment(source, element) for element in elements]
    return [one for one in fragments if one is not None] if None not in fragments else []


def _setup_keywords(nodes: list[ast.AST]) -> list[ast.keyword]:
    found = []
    for node in nodes:
        if isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called == "setup":
                found += node.keywords
    return found


def _elements(value: ast.expr, nodes: list[ast.AST]) -> list[ast.expr]:
    """The elements of the list or tuple that ``value`` is, or that its name alone stands for."""
    for _ in range(_FOLLOWED):
        if isinstance(value, ast.List | ast.Tuple):
            return value.elts
        if not isinstance(value, ast.Name):
            return []
        assigned = _assigned_once(value.id, nodes)
        if assigned is None:
            return []
        value = assigned
    return []


def _assigned_once(name: str, nodes: list[ast.AST]) -> ast.expr | None:
    """What the one assignment gives to ``name``; None where its value may be another one when it is used."""
    values = []
    for node in nodes:
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == name for target in node.targets
        ):
            values.append(node.value)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            values += [node.value] if node.target.id == name and node.value is not None else []
        elif isinstance(node, ast.Attribute | ast.Subscript) and _is_name(node.value, name):
            return None  # append, extend, an item that is replaced
    stored = [
        node
        for node in nodes
        if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
    ]
    return values[0] if len(values) == 1 and len(stored) == 1 else None


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _fragment(source: SourceText, element: ast.expr) -> Fragment | None:
    """The text of one literal; None for what is computed, has escapes, or is written in parts."""
    if not isinstance(element, ast.Constant) or not isinstance(element.value, str) or not element.value:
        return None
    fragment = source.literal(element)
    if fragment is None or source.content[fragment.starts[0] : fragment.ends[-1]] != fragment.text:
        return None
    triple = source.content[fragment.ends[-1] : fragment.ends[-1] + 3] in ("'''", '"""')
    return None if triple or "\n" in fragment.text else fragment
