"""Texts and dotted names in parsed sources."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

from backdate.editing.python_source import parsed_or_none

_MOST_STRINGS = 400
_LARGEST = 4 * 1024 * 1024
_TELLING = re.compile(
    r"deprecat|warn|versionremoved|remov|renam|expired|former|moved|replaced|redirect|obsolete|legacy_"
    r"|delete_parameter|make_keyword_only",
    re.IGNORECASE,
)


def may_announce(source: str) -> bool:
    """Whether the text of a module has any of the words that announcements have."""
    return _TELLING.search(source) is not None


def parsed(source: str) -> ast.Module | None:
    """The tree of a module's text; None for what is too large, or this interpreter cannot parse."""
    if len(source) > _LARGEST:
        return None
    return parsed_or_none(source)


def text_of(node: ast.expr | None, constants: Mapping[str, str]) -> str:
    """The text that an expression is, as far as the source tells: literals, sums, f-strings and formats.

    What a running program would fill in stands as ``…``, but for names that ``constants`` know; "" for
    what is no text.
    """
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        parts = [
            value.value
            if isinstance(value, ast.Constant)
            else text_of(getattr(value, "value", None), constants) or "…"
            for value in node.values
        ]
        return "".join(part for part in parts if isinstance(part, str))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = text_of(node.left, constants), text_of(node.right, constants)
        return f"{left}{right}" if left or right else ""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        given = node.right.elts if isinstance(node.right, ast.Tuple) else [node.right]
        return _filled(text_of(node.left, constants), r"%[sr]", given, constants)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        is_of_text = node.func.attr in ("format", "strip", "dedent", "join", "replace", "lstrip", "cleandoc")
        inner = node.args[0] if node.func.attr in ("dedent", "cleandoc") and node.args else node.func.value
        text = text_of(inner, constants) if is_of_text else ""
        return _formatted(text, node, constants) if node.func.attr == "format" else text
    if isinstance(node, ast.IfExp):
        return text_of(node.body, constants)
    if isinstance(node, ast.Name):
        return constants.get(node.id, "")
    return ""


def _filled(text: str, place: str, given: Sequence[ast.expr], constants: Mapping[str, str]) -> str:
    """``text`` with its places filled in order, where the source tells with what."""
    values = iter([text_of(value, constants) for value in given])
    return re.sub(place, lambda match: next(values, "") or match[0], text)


def _formatted(text: str, call: ast.Call, constants: Mapping[str, str]) -> str:
    """What ``text.format(…)`` gives, as far as the source tells."""
    filled = _filled(text, r"\{\}", call.args, constants)
    named = [(str(number), value) for number, value in enumerate(call.args)]
    named += [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg]
    for name, value in named:
        filled = filled.replace(f"{{{name}}}", text_of(value, constants) or f"{{{name}}}")
    return filled


def strings_in(node: ast.expr) -> list[str]:
    """The literal texts anywhere in an expression, in order."""
    found = [
        one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)
    ]
    return found[:_MOST_STRINGS]


def dotted_of(node: ast.expr) -> str:
    """ "a.b.c" for such an expression; "" for others."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join((node.id, *reversed(parts))) if isinstance(node, ast.Name) else ""
