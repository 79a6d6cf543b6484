"""Arguments that a base class takes no more: the project's own class keeps them.

They come to its ``__init__`` among others and are handed on by ``**``, so that no call names them.
"""

from __future__ import annotations

import ast

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.executed import function_around
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import library_behind
from backdate.solvers.rules.sources.syntax_edits import edited_files


def kept_arguments(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """``self.name = options.pop("name", None)`` above the call of the base class that is handed ``options``.

    None for any other call, and where the class sets that attribute itself.
    """
    argument = group.cause.name
    place = next(iter(group.raised_at or group.places), None)
    text = evidence.texts.get(place.file, "") if place is not None else ""
    tree = parsed_or_none(text) if text else None
    refused = group.cause.kind is CauseKind.UNEXPECTED_ARGUMENT and argument.isidentifier()
    if not refused or place is None or tree is None:
        return None
    method = function_around(tree, place.line)
    if not isinstance(method, ast.FunctionDef) or method.name != "__init__" or not method.args.args:
        return None
    attribute = f"{method.args.args[0].arg}.{argument}"
    statement = _handing_on(method, place.line)
    if statement is None or _sets(method, attribute):
        return None
    call, options = statement
    source = SourceText(text)
    start = source.offset(call.lineno, 0)
    indentation = text[start : source.offset(call.lineno, call.col_offset)]
    if indentation.strip():
        return None
    newline = "\r\n" if "\r\n" in text else "\n"
    line = f'{indentation}{attribute} = {options}.pop("{argument}", None){newline}'
    said = f"{argument} is kept, as the base class takes it no more"
    return Proposal(
        origin=ProposalOrigin.RESTRUCTURING,
        distribution=library_behind(group, evidence),
        file_edits=edited_files(evidence.texts, {place.file: (Edit(start, start, line),)}),
        edits_key=f"{attribute} in {place.file}",
        places=(place,),
        why=(AdviceEvidence(kind=EvidenceKind.MESSAGE, text=said),),
        last=True,
    )


def _handing_on(method: ast.FunctionDef, line: int) -> tuple[ast.Expr, str] | None:
    """The statement at ``line`` that calls an ``__init__`` with ``**options``, and the name of these."""
    for node in ast.walk(method):
        if not isinstance(node, ast.Expr) or not node.lineno <= line <= (node.end_lineno or node.lineno):
            continue
        call = node.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        handed = [one.value for one in call.keywords if one.arg is None]
        named = [value.id for value in handed if isinstance(value, ast.Name)]
        if call.func.attr == "__init__" and len(named) == 1:
            return node, named[0]
    return None


def _sets(method: ast.FunctionDef, attribute: str) -> bool:
    targets = (node for node in ast.walk(method) if isinstance(node, ast.Attribute))
    return any(isinstance(one.ctx, ast.Store) and ast.unparse(one) == attribute for one in targets)
