"""Putting another statement in the place of one that assigns to an attribute that is gone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tree_sitter import Node

from backdate.editing.spans import Edit
from backdate.rewriting.calls import is_of_module, mentions
from backdate.rewriting.guards import is_guarded
from backdate.rewriting.import_edits import ImportEdits
from backdate.rewriting.names import SourceNames
from backdate.rewriting.rewrite import ReplaceAssignment
from backdate.rewriting.rewritten import LeftAlone, LeftAloneReason, RewrittenSource
from backdate.rewriting.source_tree import SourceTree, is_field
from backdate.rewriting.spelling import spell_expression
from backdate.rewriting.template import Given, as_python, fill, given_by
from backdate.text import UNREADABLE


def replace_assignment(
    tree: SourceTree, rewrite: ReplaceAssignment, lines: frozenset[int] | None
) -> RewrittenSource:
    """The edits that put the template for assignments on ``lines``; of any object's on named lines alone.

    An assignment to several targets, and one with an operator, is left alone.
    """
    sides = _sides(rewrite.template)
    if sides is None or (lines is None and rewrite.target.startswith(".")):
        return RewrittenSource(left=(LeftAlone(reason=LeftAloneReason.NOT_THERE),))
    names, imports = SourceNames(tree), ImportEdits(tree)
    edits: list[Edit] = []
    changed: list[int] = []
    left: list[LeftAlone] = []
    for target in _assigned(names, rewrite.target):
        if lines is not None and lines.isdisjoint(tree.statement_lines(target)):
            continue
        line = tree.line(target.start_byte)
        if is_guarded(tree, target, rewrite.target, "", anywhere=lines is None):
            left.append(LeftAlone(reason=LeftAloneReason.GUARDED, line=line))
            continue
        made = _statement(names, imports, target, sides, rewrite.owned_as)
        if made is None:
            left.append(LeftAlone(reason=LeftAloneReason.ARGUMENTS, line=line))
            continue
        edits.append(made)
        changed.append(line)
    if not edits:
        return RewrittenSource(left=tuple(left))
    return RewrittenSource(
        edits=tuple(sorted({*edits, *imports.edits()})),
        lines=tuple(sorted(set(changed))),
        left=tuple(left),
    )


def _sides(template: str) -> tuple[str, str] | None:
    """What a template assigns to, and the expression; ("", expression) for a bare one, None for neither."""
    python = as_python(template)
    try:
        statement = ast.parse(python).body
    except UNREADABLE:
        return None
    match statement:
        case [ast.Assign(targets=[target], value=value)]:
            parts = ast.get_source_segment(python, target), ast.get_source_segment(python, value)
            return (parts[0], parts[1]) if parts[0] and parts[1] else None
        case [ast.Expr()]:
            return "", python
        case _:
            return None


def _assigned(names: SourceNames, target: str) -> Iterator[Node]:
    """The attributes (or names) of that meaning that something is assigned to."""
    for chain in mentions(names, target):
        statement = chain.parent
        if statement is None or statement.type != "assignment" or not is_field(statement, "left", chain):
            continue
        if target.startswith("."):
            if chain.type == "attribute" and not is_of_module(names, chain):
                yield chain
        elif names.dotted(chain).dotted == target:
            yield chain


def _statement(
    names: SourceNames, imports: ImportEdits, target: Node, sides: tuple[str, str], owned_as: str
) -> Edit | None:
    """The edit of one assignment; None for what is more than that, or gives less than the template takes."""
    tree, assignment = names.tree, target.parent
    if assignment is None or assignment.parent is None or assignment.parent.type != "expression_statement":
        return None
    value = assignment.child_by_field_name("right")
    plain = assignment.child_by_field_name("type") is None
    if value is None or not plain or value.type in ("assignment", "expression_list", "yield"):
        return None
    given = _given(tree, target, value, owned_as)
    place, expression = sides
    texts: list[str] = []
    for python, node in ((place, target), (expression, value if place else assignment)):
        spelled = spell_expression(names, imports, python, node) if python else ""
        text = fill(spelled, given, use=node) if spelled else spelled
        if text is None:
            return None
        texts.append(text)
    text = f"{texts[0]} = {texts[1]}" if place else texts[1]
    return Edit(assignment.start_byte, assignment.end_byte, text)


def _given(tree: SourceTree, target: Node, value: Node, owned_as: str) -> dict[str, Given]:
    given = {"value": given_by(tree, value)}
    owner = target.child_by_field_name("object") if target.type == "attribute" else None
    if owner is None:
        return given
    given["self"] = given_by(tree, owner)
    name = owner.child_by_field_name("attribute") if owner.type == "attribute" else None
    around = owner.child_by_field_name("object") if owner.type == "attribute" else None
    if name is not None and around is not None and tree.code(name) == owned_as:
        given["owner"] = given_by(tree, around)
    return given
