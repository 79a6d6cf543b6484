"""The functions and classes of a file, and which of them an answer changes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from backdate.editing.python_source import UNPARSABLE, parse_source
from backdate.evaluation.edits import new_lines
from backdate.evaluation.flags.types import Suspect
from backdate.evaluation.tree_files import text_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function of a file."""

    name: str
    """Qualified: "Shape.area"."""
    first: int
    """The line of its first decorator, else of its ``def``."""
    last: int
    owner: str = ""
    """The qualified name of the class that it is a method of; empty for other functions."""


def functions_of(text: str) -> tuple[Function, ...]:
    """The functions of a file; none when this interpreter cannot parse it."""
    try:
        tree = parse_source(text)
        return tuple(_functions(tree, "", ""))
    except UNPARSABLE:
        return ()


def _functions(node: ast.AST, prefix: str, owner: str) -> Iterator[Function]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
            last = child.end_lineno or child.lineno
            yield Function(name=f"{prefix}{child.name}", first=first, last=last, owner=owner)
            yield from _functions(child, f"{prefix}{child.name}.", "")
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.", f"{prefix}{child.name}")
        else:
            yield from _functions(child, prefix, owner)


def innermost(functions: Iterable[Function], line: int) -> Function | None:
    """The smallest function that contains ``line``; None outside of all functions."""
    around = [function for function in functions if function.first <= line <= function.last]
    return min(around, key=lambda function: function.last - function.first, default=None)


def edited_functions(suspect: Suspect, file: str) -> frozenset[str]:
    """The functions of ``file`` in which the answer changes something."""
    before, after = text_of(suspect.before, file), text_of(suspect.after, file)
    removed = {edit.line for edit in suspect.edits if edit.file == file}
    return frozenset(_names_around(before, removed) | _names_around(after, new_lines(before, after)))


def _names_around(text: str, lines: Iterable[int]) -> set[str]:
    """The functions of ``text`` that contain one of ``lines``, the outer ones included."""
    return {
        function.name
        for function in functions_of(text)
        if any(function.first <= line <= function.last for line in lines)
    }
