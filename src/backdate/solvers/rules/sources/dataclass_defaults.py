"""Defaults of dataclass fields that Python 3.11 refuses, because they have no hash: made anew each time."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit, apply_edits
from backdate.knowledge.changes import PYTHON
from backdate.rewriting.rewrite import ExpressionRole, ReplaceExpression
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.rewriting.template import placeholders_of
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
        template = _factory(code)
        if not placeholders_of(template):
            moved = edited.count("\n") - text.count("\n")
            rewrite = ReplaceExpression(expression=code, role=ExpressionRole.ASSIGNED, template=template)
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
    return f"dataclasses.field(default_factory={_made_by(code)})"


def _made_by(code: str) -> str:
    """What makes the default: the class itself where it is called with nothing."""
    name = code.removesuffix("()")
    return name if name != code and name.isidentifier() else f"lambda: {code}"


def _given(text: str, field: str, leaf: str) -> Iterator[tuple[int, Edit]]:
    """The defaults that ``dataclasses.field(default=…)`` is given, each with its line."""
    source = SourceText(text)
    for name, value in _fields(text):
        if not isinstance(value, ast.Call) or leaf_of(value.func) != "field":
            continue
        for given in value.keywords:
            if given.arg == "default" and _is_meant(name, given.value, field, leaf):
                code = ast.get_source_segment(text, given.value) or ""
                start, end = span_of(given, source)
                yield value.lineno, Edit(start, end, f"default_factory={_made_by(code)}")


def _defaults(text: str, field: str, leaf: str) -> Iterator[tuple[int, str]]:
    """Line and code of the defaults of ``field``, and of others that are made by a call of ``leaf``."""
    for name, value in _fields(text):
        code = ast.get_source_segment(text, value) or ""
        if code and _is_meant(name, value, field, leaf):
            yield value.lineno, code


def _fields(text: str) -> Iterator[tuple[str, ast.expr]]:
    """Name and value of the fields of every decorated class."""
    tree = parsed_or_none(text)
    for owner in ast.walk(tree) if tree is not None else ():
        for node in owner.body if isinstance(owner, ast.ClassDef) and owner.decorator_list else ():
            if isinstance(node, ast.AnnAssign) and node.value is not None:
                yield node.target.id if isinstance(node.target, ast.Name) else "", node.value


def _is_meant(name: str, value: ast.expr, field: str, leaf: str) -> bool:
    """Whether a default is one of the refused class: by what is called, or by the refused field's name."""
    if isinstance(value, ast.Call):
        return leaf_of(value.func) == leaf
    return name == field and isinstance(value, ast.Name)
