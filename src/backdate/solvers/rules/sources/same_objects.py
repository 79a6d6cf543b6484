"""Further lines of a function that use what an error names of the very object that it was about."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from backdate.advice import SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.rewriting.rewrite import ReplaceUse, Rewrite
from backdate.solvers.rules.executed import function_around, function_body
from backdate.solvers.rules.object_uses import ObjectUse, object_uses
from backdate.solvers.rules.proposals import FixEvidence


def with_same_objects(
    places: Sequence[SourcePlace], rewrite: Rewrite, evidence: FixEvidence
) -> tuple[SourcePlace, ...]:
    """``places``, and where the failing tests use the same attribute of the same objects in their functions.

    The first of several lines alone raises: each of the others would take a run of its own.
    """
    found = dict.fromkeys(places)
    if isinstance(rewrite, ReplaceUse) and rewrite.target.startswith("."):
        attribute = rewrite.target.removeprefix(".")
        for place in places:
            lines = _lines(evidence.texts.get(place.file, ""), place.line, attribute)
            more = (SourcePlace(file=place.file, line=line) for line in lines)
            found.update(dict.fromkeys(evidence.executed_of(more)))
    return tuple(found)


def _lines(text: str, line: int, attribute: str) -> Iterator[int]:
    body = function_body(text, line)
    inside = [use for use in object_uses(text) if use.attribute == attribute and use.line in body]
    objects = {use.expression for use in inside if line in _span(use)}
    (expression, *others) = objects or {""}
    if others or not expression:
        return
    same = [use for use in inside if use.expression == expression]
    lines = [use.line for use in same]
    if len(lines) < 2 or not _bound_once(text, line, expression, before=min(lines)):
        return
    for use in same:
        beside = {one.expression for one in inside if one.statement == use.statement}
        if beside == {expression}:
            yield use.line


def _span(use: ObjectUse) -> range:
    return range(use.statement, use.line + 1)


def _bound_once(text: str, line: int, expression: str, *, before: int) -> bool:
    """Whether ``expression`` is one object in the function around ``line``: bound once, and at first."""
    tree = parsed_or_none(text)
    if tree is None:
        return False
    bound = list(_bindings(function_around(tree, line), expression))
    return len(bound) <= 1 and all(at < before for at in bound)


def _bindings(scope: ast.AST, expression: str) -> Iterator[int]:
    """The lines at which a name, or an attribute of it, is given something in ``scope``."""
    root = expression.partition(".")[0]
    for node in ast.walk(scope):
        if isinstance(node, ast.arg):
            given = node.arg == root
        elif isinstance(node, ast.Name | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            given = f"{expression}.".startswith(f"{ast.unparse(node)}.")
        else:
            continue
        if given:
            yield node.lineno
