"""Defaults of dataclass fields that Python 3.11 refuses, because they have no hash: made anew each time."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.editing.spans import apply_edits
from backdate.knowledge.changes import PYTHON
from backdate.rewriting.rewrite import ExpressionRole, ReplaceExpression
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.rewriting.template import placeholders_of
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal, ProposalOrigin

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
    # from the last one: an import that the first edit adds moves the lines below it
    edited = text
    for code in sorted(lines, key=lambda code: -max(lines[code])):
        template = _factory(code)
        if not placeholders_of(template):
            moved = edited.count("\n") - text.count("\n")
            rewrite = ReplaceExpression(expression=code, role=ExpressionRole.ASSIGNED, template=template)
            at = frozenset(line + moved for line in lines[code])
            edited = apply_edits(edited, rewrite_source(edited, rewrite, lines=at).edits)
    if edited == text:
        return None
    return Proposal(
        origin=ProposalOrigin.RESTRUCTURING,
        distribution=PYTHON,
        file_edits=(FileEdit(file=place.file, text=edited),),
        edits_key=f"defaults of {leaf} in {place.file}",
        places=tuple(
            SourcePlace(file=place.file, line=line) for line in sorted(set().union(*lines.values()))
        ),
        why=(AdviceEvidence(kind=EvidenceKind.MESSAGE, text=refused[0], source=_SOURCE),),
    )


def _factory(code: str) -> str:
    name = code.removesuffix("()")
    bare = name != code and name.replace(".", "").isidentifier() and "." not in name
    return f"dataclasses.field(default_factory={name if bare else f'lambda: {code}'})"


def _defaults(text: str, field: str, leaf: str) -> Iterator[tuple[int, str]]:
    """Line and code of the defaults of ``field``, and of others that are made by a call of ``leaf``."""
    tree = parsed_or_none(text)
    if tree is None:
        return
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.decorator_list]
    for owner in classes:
        for node in owner.body:
            if not isinstance(node, ast.AnnAssign) or node.value is None:
                continue
            code = ast.get_source_segment(text, node.value) or ""
            called = node.value.func if isinstance(node.value, ast.Call) else None
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            is_field = isinstance(node.target, ast.Name) and node.target.id == field
            if code and (name == leaf or (is_field and called is None and isinstance(node.value, ast.Name))):
                yield node.lineno, code
