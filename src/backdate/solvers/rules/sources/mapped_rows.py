"""Rows of a query that were dictionaries and are tuples now (SQLAlchemy 2.0): their columns by name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit, apply_edits
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal, ProposalOrigin
from backdate.text import version_numbers

_BY_NAME = re.compile(
    r"tuple indices must be integers or slices, not "
    r"(?:str|Column|ColumnClause|InstrumentedAttribute|Label|quoted_name)\b"
)
_SAID = "a row is a tuple, and its _mapping a dictionary"
_SOURCE = "https://docs.sqlalchemy.org/en/20/changelog/migration_20.html#result-rows-act-like-named-tuples"
_SQLALCHEMY_2 = (2, 0)


def mapped_rows(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """``row._mapping["name"]`` for each item by name of the variables on the failing line, in its function.

    None where SQLAlchemy did not move to 2.0, or the error is another.
    """
    found = _BY_NAME.search(group.cause.message[:1000])
    place = next(iter(group.places), None)
    text = evidence.texts.get(place.file) if place is not None else None
    old, new = evidence.versions_of("sqlalchemy")
    moved = bool(old and new) and version_numbers(old) < _SQLALCHEMY_2 <= version_numbers(new)
    if found is None or place is None or text is None or not moved:
        return None
    tree = parsed_or_none(text)
    if tree is None:
        return None
    items = [node for node in _items(tree) if node.lineno <= place.line <= (node.end_lineno or node.lineno)]
    rows = {ast.unparse(node.value) for node in items}
    scope = _scope(tree, place.line)
    source = SourceText(text)
    edits: set[Edit] = set()
    lines: set[int] = set()
    for node in _items(scope):
        if ast.unparse(node.value) in rows:
            value = node.value
            end = source.offset(value.end_lineno or value.lineno, value.end_col_offset or 0)
            edits.add(Edit(end, end, "._mapping"))
            lines.add(node.lineno)
    if not edits:
        return None
    return Proposal(
        origin=ProposalOrigin.RESTRUCTURING,
        distribution="sqlalchemy",
        file_edits=(FileEdit(file=place.file, text=apply_edits(text, sorted(edits))),),
        edits_key=f"rows of {', '.join(sorted(rows))} in {place.file}",
        places=tuple(SourcePlace(file=place.file, line=line) for line in sorted(lines)),
        why=(AdviceEvidence(kind=EvidenceKind.KNOWN, text=_SAID, since="2.0", source=_SOURCE),),
    )


def _items(tree: ast.AST) -> Iterator[ast.Subscript]:
    """What is read by a name, of anything but such an item: ``row["name"]``, ``rows[0][table.c.name]``."""
    for node in ast.walk(tree):
        of_item = isinstance(node, ast.Subscript) and _is_name(node.value)
        if isinstance(node, ast.Subscript) and _is_name(node) and not of_item and _is_primary(node.value):
            yield node


def _is_name(node: ast.expr) -> bool:
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
        return False
    by_text = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str)
    return by_text or isinstance(node.slice, ast.Attribute)


def _is_primary(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)


def _scope(tree: ast.Module, line: int) -> ast.AST:
    """The innermost function around ``line``, or the module."""
    scope: ast.AST = tree
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if node.lineno <= line <= (node.end_lineno or node.lineno):
            scope = node  # an inner one is walked after its outer one
    return scope
