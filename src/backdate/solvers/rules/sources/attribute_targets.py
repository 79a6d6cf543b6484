"""Attributes of mapped classes that queries of SQLAlchemy took by their names, and 2.0 takes themselves."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.executed import function_around
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.syntax_edits import edited_files, leaf_of

_BY_NAME = re.compile(
    r"Strings are not accepted for attribute names in loader options|"
    r"ORM relationship attribute expected, got '\w{1,100}'"
)
_OPTIONS = frozenset(
    (
        "joinedload",
        "subqueryload",
        "selectinload",
        "lazyload",
        "immediateload",
        "noload",
        "raiseload",
        "contains_eager",
        "defer",
        "undefer",
        "load_only",
    )
)
_JOINS = frozenset({"join", "outerjoin"})
_MOST_HANDS = 2
"""Variables that a query goes through."""
_SAID = "an attribute of the class takes the place of its name"
_SOURCE = "https://docs.sqlalchemy.org/en/20/changelog/migration_20.html#migration-20-query-join-strings"


def attribute_targets(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """``joinedload(User.addresses)`` for ``joinedload("addresses")`` in a query of a class, and so for joins.

    All failing statements at once. None for another error, and where the class is not told there.
    """
    if _BY_NAME.search(group.cause.message[:1000]) is None:
        return None
    edits: dict[str, set[Edit]] = {}
    for place in group.raised_at or group.places[:1]:
        for edit in _edits(evidence.texts.get(place.file, ""), place.line):
            edits.setdefault(place.file, set()).add(edit)
    if not edits:
        return None
    return Proposal(
        origin=ProposalOrigin.RESTRUCTURING,
        distribution="sqlalchemy",
        file_edits=edited_files(evidence.texts, edits),
        edits_key=f"names of attributes in {', '.join(edits)}",
        places=tuple(SourcePlace(file=place.file, line=place.line) for place in group.raised_at),
        why=(AdviceEvidence(kind=EvidenceKind.MESSAGE, text=_SAID, since="2.0", source=_SOURCE),),
    )


def _edits(text: str, line: int) -> Iterator[Edit]:
    tree = parsed_or_none(text)
    if tree is None:
        return
    source = SourceText(text)
    scope = function_around(tree, line)
    for literal, name, owner in _names_on(scope, line):
        start = source.start(literal)
        end = source.offset(literal.end_lineno or literal.lineno, literal.end_col_offset or 0)
        yield Edit(start, end, f"{owner}.{name}")


def _names_on(scope: ast.AST, line: int) -> Iterator[tuple[ast.Constant, str, str]]:
    """The names of attributes in queries on a line, each with the class that the query is of."""
    for node in ast.walk(scope):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if not node.lineno <= line <= (node.end_lineno or node.lineno):
            continue
        owner = _queried(node.func.value, scope)
        if node.func.attr in _JOINS:
            yield from _literals(node.args[:1], owner)
        for option in node.args if node.func.attr == "options" else ():
            # what follows an option is of the class behind its attribute, which nothing tells here
            if isinstance(option, ast.Call) and leaf_of(option.func) in _OPTIONS:
                chained = isinstance(option.func, ast.Attribute) and isinstance(option.func.value, ast.Call)
                yield from _literals(option.args, "" if chained else owner)


def _literals(nodes: list[ast.expr], owner: str) -> Iterator[tuple[ast.Constant, str, str]]:
    for node in nodes:
        value = node.value if isinstance(node, ast.Constant) else None
        if owner and isinstance(node, ast.Constant) and isinstance(value, str) and value.isidentifier():
            yield node, value, owner


def _queried(node: ast.expr, scope: ast.AST, depth: int = 0) -> str:
    """The class whose objects a chain of calls queries: of its ``query(User)``, or ``User.query``."""
    while True:
        if isinstance(node, ast.Call):
            if leaf_of(node.func) in ("query", "select") and node.args:
                return _class_of(node.args[0])
            node = node.func
        elif isinstance(node, ast.Attribute):
            if node.attr == "query":
                return _class_of(node.value)
            node = node.value
        else:
            break
    if not isinstance(node, ast.Name) or depth > _MOST_HANDS:
        return ""
    assigned = [
        one.value
        for one in ast.walk(scope)
        if isinstance(one, ast.Assign) and any(leaf_of(target) == node.id for target in one.targets)
    ]
    found = {_queried(value, scope, depth + 1) for value in assigned} - {""}
    return found.pop() if len(found) == 1 else ""


def _class_of(node: ast.expr) -> str:
    """``models.User`` of itself and of ``models.User.id``; "" for what is not written as a class."""
    while isinstance(node, ast.Attribute) and not node.attr[:1].isupper():
        node = node.value
    is_class = isinstance(node, ast.Name | ast.Attribute) and leaf_of(node)[:1].isupper()
    return ast.unparse(node) if is_class else ""
