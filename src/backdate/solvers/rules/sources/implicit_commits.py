"""Statements that SQLAlchemy committed by itself, which 2.0 leaves to whoever executes them.

Nothing fails where they are executed: what was written is gone when the connection is closed. SQLAlchemy 1.4
warns of each where it is asked to (``SQLALCHEMY_WARN_20``), and the tracer tells what is a connection. Before
1.4 it is read from the statement whether it writes.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.executed import function_around
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.syntax_edits import edited_files, line_behind
from backdate.text import version_numbers

_MESSAGE = "The current statement is being autocommitted using implicit autocommit"
_CATEGORY = "RemovedIn20Warning"
_WARNED = re.compile(r"statement is being autocommitted using implicit autocommit")
_CONNECTIONS = ("sqlalchemy.engine.base.Connection", "sqlalchemy.engine.Connection")
_SAID = "a connection commits nothing by itself"
_SOURCE = "https://docs.sqlalchemy.org/en/20/changelog/migration_20.html#library-level-but-not-driver-level-autocommit-removed-from-both-core-and-orm"
_SQLALCHEMY_1_4 = (1, 4)
_SQLALCHEMY_2 = (2, 0)
_WRITERS = frozenset({"insert", "update", "delete"})
_WRITING_SQL = re.compile(r"\s*(?:insert|update|delete|replace|create|drop|alter|truncate)\b", re.IGNORECASE)


def uncommitted(evidence: FixEvidence) -> Iterator[FailureGroup]:
    """A group of the executed lines whose statements nobody commits any more, if there are any."""
    old, new = evidence.versions_of("sqlalchemy")
    if not old or not new or not version_numbers(old) < _SQLALCHEMY_2 <= version_numbers(new):
        return
    if version_numbers(old) < _SQLALCHEMY_1_4:
        found = _writing(evidence)
    else:
        given = (one for one in evidence.warnings if _WARNED.search(one.message))
        found = (place for one in given for place in one.places)
    places = dict.fromkeys(place for place in found if _edit(place, evidence))
    if places:
        cause = Cause(
            kind=CauseKind.OTHER_ERROR,
            type=_CATEGORY,
            message=_MESSAGE,
            distribution="sqlalchemy",
            version=new,
        )
        yield FailureGroup(cause=cause, tests=(), places=tuple(places))


def commits(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """``connection.commit()`` behind each statement of ``uncommitted``; None for any other failure."""
    if group.tests or (group.cause.type, group.cause.distribution) != (_CATEGORY, "sqlalchemy"):
        return None
    edits: dict[str, set[Edit]] = {}
    for place in group.places:
        for edit in _edit(place, evidence):
            edits.setdefault(place.file, set()).add(edit)
    if not edits:
        return None
    return Proposal(
        origin=ProposalOrigin.RESTRUCTURING,
        distribution="sqlalchemy",
        file_edits=edited_files(evidence.texts, edits),
        edits_key=f"commits in {', '.join(edits)}",
        places=group.places,
        why=(AdviceEvidence(kind=EvidenceKind.WARNING, text=_SAID, since="2.0", source=_SOURCE),),
    )


def _writing(evidence: FixEvidence) -> Iterator[SourcePlace]:
    """Where a connection executes what reads as a writing statement, in a function that begins nothing."""
    for one in evidence.objects:
        tree = parsed_or_none(evidence.texts.get(one.file, "")) if one.class_name in _CONNECTIONS else None
        if tree is None:
            continue
        around = function_around(tree, one.line)
        calls = [node for node in ast.walk(around) if isinstance(node, ast.Call)]
        if any(isinstance(call.func, ast.Attribute) and call.func.attr == "begin" for call in calls):
            continue
        values = _values(around)
        for call in calls:
            on_line = call.lineno <= one.line <= (call.end_lineno or call.lineno)
            if on_line and call.args and ast.unparse(call.func) == f"{one.expression}.execute":
                named = ast.unparse(call.args[0])
                if any(map(_writes, ast.walk(values.get(named, call.args[0])))):
                    yield SourcePlace(file=one.file, line=one.line)


def _values(around: ast.AST) -> dict[str, ast.expr]:
    """What a function assigns once to each name."""
    found: dict[str, list[ast.expr]] = {}
    for node in ast.walk(around):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            found.setdefault(node.targets[0].id, []).append(node.value)
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def _writes(node: ast.AST) -> bool:
    """Whether a part of a statement makes it one that writes."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and _WRITING_SQL.match(node.value) is not None
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    name = (
        called.attr
        if isinstance(called, ast.Attribute)
        else called.id
        if isinstance(called, ast.Name)
        else ""
    )
    return name in _WRITERS


def _edit(place: SourcePlace, evidence: FixEvidence) -> tuple[Edit, ...]:
    """What commits the statement at ``place``; nothing without a connection there, and where that commits."""
    text = evidence.texts.get(place.file, "")
    tree = parsed_or_none(text)
    for block in _blocks(tree) if tree is not None else ():
        for number, statement in enumerate(block):
            if not statement.lineno <= place.line <= (statement.end_lineno or statement.lineno):
                continue
            connection = _connection(statement, place, evidence)
            following = block[number + 1] if number + 1 < len(block) else None
            alone = following is None or following.lineno > (statement.end_lineno or statement.lineno)
            committed = following is not None and ast.unparse(following) == f"{connection}.commit()"
            if connection and alone and not committed:
                return _behind(statement, connection, text)
    return ()


def _blocks(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                yield block


def _connection(statement: ast.stmt, place: SourcePlace, evidence: FixEvidence) -> str:
    """The connection that a simple statement executes with, as it is written there; "" for none."""
    if not isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr | ast.Return):
        return ""
    lines = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    known = {
        one.expression
        for one in evidence.objects
        if one.file == place.file and one.line in lines and one.class_name in _CONNECTIONS
    }
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            expression = ast.unparse(node.func.value)
            if node.func.attr == "execute" and expression in known:
                return expression
    return ""


def _behind(statement: ast.stmt, connection: str, text: str) -> tuple[Edit, ...]:
    commit = f"{connection}.commit()"
    if not isinstance(statement, ast.Return):
        edit = line_behind(statement, text, commit)
        return () if edit is None else (edit,)
    edit = line_behind(statement, text, commit, "return result")
    start = SourceText(text).offset(statement.lineno, statement.col_offset)
    return () if edit is None else (Edit(start, start + len("return"), "result ="), edit)
