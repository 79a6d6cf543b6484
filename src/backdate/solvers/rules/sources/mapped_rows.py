"""Rows of a query that were dictionaries and are tuples now (SQLAlchemy 2.0): their columns by name."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from backdate.advice import SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit, apply_edits
from backdate.solvers.rules.executed import function_around
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.text import version_numbers

_BY_NAME = re.compile(
    r"tuple indices must be integers or slices, not "
    r"(?:str|Column|ColumnClause|InstrumentedAttribute|Label|quoted_name)\b"
)
_SQLALCHEMY_2 = (2, 0)
_CHANGE = DocumentedChange(
    library="sqlalchemy",
    since="2.0",
    said="a row is a tuple, and its _mapping a dictionary",
    source="https://docs.sqlalchemy.org/en/20/changelog/migration_20.html#result-rows-act-like-named-tuples",
)


def mapped_rows(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """``row._mapping["name"]`` for each item by name of the variables on failing lines, in their functions.

    All lines at once: the library raises the error at one place of its own, whoever asks. None where
    SQLAlchemy did not move to 2.0, or the error is another.
    """
    old, new = evidence.versions_of("sqlalchemy")
    moved = bool(old and new) and version_numbers(old) < _SQLALCHEMY_2 <= version_numbers(new)
    if not moved or _BY_NAME.search(group.cause.message[:1000]) is None:
        return None
    lines: dict[str, set[int]] = {}
    for place in group.raised_at or group.places[:1]:
        lines.setdefault(place.file, set()).add(place.line)
    made = [
        (file, rows)
        for file, at in lines.items()
        if (rows := _mapped(evidence.texts.get(file, ""), at)) is not None
    ]
    if not made:
        return None
    return _CHANGE.mended(
        tuple(FileEdit(file=file, text=rows.text) for file, rows in made),
        key="; ".join(f"rows of {', '.join(rows.names)} in {file}" for file, rows in made),
        places=tuple(SourcePlace(file=file, line=line) for file, rows in made for line in rows.lines),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _MappedRows:
    """A text in which some variables' items by name are those of their mapping."""

    text: str
    names: tuple[str, ...]
    lines: tuple[int, ...]


def _mapped(text: str, at: Collection[int]) -> _MappedRows | None:
    """``text`` with what is read by name on some lines, and of the same variables around them."""
    tree = parsed_or_none(text)
    if tree is None:
        return None
    source = SourceText(text)
    edits: set[Edit] = set()
    lines: set[int] = set()
    names: set[str] = set()
    for line in at:
        items = [node for node in _items(tree) if node.lineno <= line <= (node.end_lineno or node.lineno)]
        rows = {ast.unparse(node.value) for node in items}
        for node in _items(function_around(tree, line)):
            if ast.unparse(node.value) in rows:
                value = node.value
                end = source.offset(value.end_lineno or value.lineno, value.end_col_offset or 0)
                edits.add(Edit(end, end, "._mapping"))
                lines.add(node.lineno)
        names |= rows
    if not edits:
        return None
    return _MappedRows(
        text=apply_edits(text, sorted(edits)), names=tuple(sorted(names)), lines=tuple(sorted(lines))
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
