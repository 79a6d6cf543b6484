"""Arguments that a method is given and has to hand on: ``super()`` takes what it did not take before.

``MarkdownConverter.convert_a`` of markdownify takes ``parent_tags`` since 1.0, and so does the project's own
``convert_a`` that calls it (``overridden_methods.py``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.diagnosis.messages import missing_arguments
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.executed import function_around, statement_around
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import library_behind
from backdate.solvers.rules.sources.syntax_edits import arguments_of, edited_files, span_of
from backdate.text import first_line


def handed_on(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """The call of ``super()`` with what the method around it is given by the same name."""
    missing = missing_arguments(group.cause.message)
    if group.cause.kind is not CauseKind.ARGUMENT_COUNT or missing is None:
        return
    for place in group.places[:1]:
        text = "" if place.file in evidence.kept_files else evidence.texts.get(place.file, "")
        edits = list(_edits(text, place, missing.function, missing.names, missing.positional))
        if edits:
            yield Proposal(
                origin=ProposalOrigin.SIGNATURE,
                distribution=library_behind(group, evidence),
                file_edits=edited_files(evidence.texts, {place.file: edits}),
                edits_key=f"{', '.join(missing.names)} handed on at {place.file}:{place.line}",
                places=(place,),
                why=(AdviceEvidence(kind=EvidenceKind.MESSAGE, text=first_line(group.cause.message)),),
            )


def _edits(
    text: str, place: SourcePlace, method: str, names: tuple[str, ...], positional: bool
) -> Iterator[Edit]:
    tree, source = parsed_or_none(text), SourceText(text)
    around = function_around(tree, place.line) if tree is not None else None
    if not isinstance(around, ast.FunctionDef | ast.AsyncFunctionDef):
        return
    given = around.args
    known = {one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    lines = statement_around(text, place.line)
    calls = [node for node in ast.walk(around) if isinstance(node, ast.Call) and node.lineno in lines]
    for call in calls if known.issuperset(names) else ():
        if not _is_of_super(call, method):
            continue
        others = arguments_of(call)
        plain = positional and len(others) == len(call.args)
        added = ", ".join(name if plain else f"{name}={name}" for name in names)
        if not any(isinstance(one, ast.Starred) for one in call.args):
            end = span_of(others[-1], source)[1] if others else span_of(call, source)[1] - len(")")
            yield Edit(end, end, f", {added}" if others else added)


def _is_of_super(call: ast.Call, method: str) -> bool:
    """Whether it is ``super().method(…)``."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    is_super = isinstance(owner, ast.Call) and isinstance(owner.func, ast.Name) and owner.func.id == "super"
    return is_super and isinstance(call.func, ast.Attribute) and call.func.attr == method
