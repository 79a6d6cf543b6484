"""Defaults of dataclass fields that Python 3.11 refuses, because they have no hash: made anew each time."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit, apply_edits
from backdate.knowledge.changes import PYTHON
from backdate.rewriting.rewrite import ExpressionRole, ReplaceExpression
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.syntax_edits import leaf_of, span_of

_REFUSED = re.compile(
    r"mutable default <class '(?P<owner>[\w.<>]{1,200})'> for field (?P<field>\w{1,120}) is not allowed"
)
_SOURCE = "https://docs.python.org/3/whatsnew/3.11.html#dataclasses"


def default_factories(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """``field(default_factory=…)`` for the refused default, and for others of its class in the failing file.

    All of them at once, since a class is refused for its first one alone. None where the error is another.
    """
    refused = _REFUSED.search(group.cause.message)
    place = next(iter(group.places), None)
    text = evidence.texts.get(place.file) if place is not None else None
    if refused is None or place is None or text is None:
        return None
    leaf = refused["owner"].rpartition(".")[2]
    lines: dict[str, set[int]] = {}
    for line, code in _defaults(text, refused["field"], leaf):
        lines.setdefault(code, set()).add(line)
    given = list(_given(text, refused["field"], leaf))
    edited = apply_edits(text, [edit for _, edit in given])
    # from the last one: an import that the first edit adds moves the lines below it
    for code in sorted(lines, key=lambda code: -max(lines[code])):
        moved = edited.count("\n") - text.count("\n")
        rewrite = ReplaceExpression(expression=code, role=ExpressionRole.ASSIGNED, template=_factory(code))
        at = frozenset(line + moved for line in lines[code])
        edited = apply_edits(edited, rewrite_source(edited, rewrite, lines=at).edits)
    if edited == text:
        return None
    places = {line for line, _ in given}.union(*lines.values())
    return Proposal(
        origin=ProposalOrigin.RESTRUCTURING,
        distribution=PYTHON,
        file_edits=(FileEdit(file=place.file, text=edited),),
        edits_key=f"defaults of {leaf} in {place.file}",
        places=tuple(SourcePlace(file=place.file, line=line) for line in sorted(places)),
        why=(AdviceEvidence(kind=EvidenceKind.MESSAGE, text=refused[0], source=_SOURCE),),
    )


def _factory(code: str) -> str:
    made_by = _made_by(code)
    # what the default is made of are names of the file, not of a template
    return f"dataclasses.field(default_factory={made_by if made_by.isidentifier() else 'lambda: {self}'})"


def _made_by(code: str) -> str:
    """What makes the default: the class itself where it is called with nothing."""
    name = code.removesuffix("()")
    return name if name != code and name.isidentifier() else f"lambda: {code}"


def _given(text: str, field: str, leaf: str) -> Iterator[tuple[int, Edit]]:
    """The defaults that ``dataclasses.field(default=…)`` is given, each with its line."""
    source, fields = SourceText(text), tuple(_fields(text))
    for one in fields:
        for given in one.value.keywords if isinstance(one.value, ast.Call) and _is_field(one.value) else ():
            if given.arg == "default" and _is_meant(one, given.value, fields, field, leaf):
                code = ast.get_source_segment(text, given.value) or ""
                start, end = span_of(given, source)
                yield one.value.lineno, Edit(start, end, f"default_factory={_made_by(code)}")


def _defaults(text: str, field: str, leaf: str) -> Iterator[tuple[int, str]]:
    """Line and code of the defaults of ``field``, and of others that are made alike."""
    fields = tuple(_fields(text))
    for one in fields:
        code = ast.get_source_segment(text, one.value) or ""
        if code and not _is_field(one.value) and _is_meant(one, one.value, fields, field, leaf):
            yield one.value.lineno, code


@dataclass(frozen=True, slots=True, kw_only=True)
class _DefaultedField:
    """A field of a decorated class."""

    name: str
    annotation: str
    """As code."""
    value: ast.expr


def _fields(text: str) -> Iterator[_DefaultedField]:
    """The fields of every decorated class that have a default."""
    tree = parsed_or_none(text)
    for owner in ast.walk(tree) if tree is not None else ():
        for node in owner.body if isinstance(owner, ast.ClassDef) and owner.decorator_list else ():
            if isinstance(node, ast.AnnAssign) and node.value is not None:
                yield _DefaultedField(
                    name=node.target.id if isinstance(node.target, ast.Name) else "",
                    annotation=ast.unparse(node.annotation),
                    value=node.value,
                )


def _is_field(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and leaf_of(value.func) == "field"


def _is_meant(
    one: _DefaultedField, value: ast.expr, fields: Sequence[_DefaultedField], field: str, leaf: str
) -> bool:
    """Whether a default is one of the refused class: the refused field's own, what calls that class, or a
    call for a field of the same type."""
    if not isinstance(value, ast.Call):
        return one.name == field and isinstance(value, ast.Name)
    types = {each.annotation for each in fields if each.name == field}
    return leaf_of(value.func) == leaf or one.name == field or one.annotation in types
