"""A literal text that an error is about, and the same at every line that failing tests run: at once."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit, apply_edits
from backdate.rewriting.expressions import PlacedExpression
from backdate.rewriting.rewrite import ExpressionRole, ReplaceExpression
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.literals import LITERALS, LiteralRewrite
from backdate.solvers.rules.sources.subjects import library_behind
from backdate.solvers.rules.sources.syntax_edits import span_of

_MOST_FILES = 400


def same_literals(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """One proposal for all calls of the failing line's function that are given such a literal.

    Each of them would be the next run's error. None where there is only the one that failed.
    """
    place = next(iter(group.places), None)
    for message in group.messages if place is not None else ():
        for pattern, propose in LITERALS:
            match = pattern.search(message)
            found = _all_of(place, match, propose, evidence) if place is not None and match else {}
            if match is not None and sum(map(len, found.values())) > 1:
                yield Proposal(
                    origin=ProposalOrigin.RESTRUCTURING,
                    distribution=library_behind(group, evidence),
                    file_edits=tuple(
                        FileEdit(file=file, text=apply_edits(evidence.texts[file], edits.values()))
                        for file, edits in found.items()
                    ),
                    edits_key=f"literals: {pattern.pattern}",
                    places=tuple(
                        SourcePlace(file=file, line=line)
                        for file, edits in found.items()
                        for line, _ in edits
                    ),
                    why=(AdviceEvidence(kind=EvidenceKind.MESSAGE, text=match[0][:240]),),
                )
                return


def _all_of(
    place: SourcePlace, match: re.Match[str], propose: LiteralRewrite, evidence: FixEvidence
) -> dict[str, dict[tuple[int, int], Edit]]:
    """The edits by file, and in it by line and column: of the functions that the failing line calls so."""
    text = evidence.texts.get(place.file, "")
    failing = _rewritten(text, frozenset({place.line}), match, propose)
    functions = {function for function, _ in failing.values()}
    ran = evidence.executed or {}
    files = dict.fromkeys((place.file, *(file for file in ran if file in evidence.texts)))
    found = {}
    for file in tuple(files)[:_MOST_FILES] if functions else ():
        lines = ran.get(file, frozenset()) | ({place.line} if file == place.file else set())
        each = _rewritten(evidence.texts[file], lines, match, propose)
        edits = {at: edit for at, (function, edit) in each.items() if function in functions}
        if edits:
            found[file] = edits
    return found


def _rewritten(
    text: str, lines: frozenset[int], match: re.Match[str], propose: LiteralRewrite
) -> dict[tuple[int, int], tuple[str, Edit]]:
    """The function that is called, and the edit, of each literal argument of calls on ``lines``."""
    tree, source = parsed_or_none(text), SourceText(text)
    found = {}
    for call in ast.walk(tree) if tree is not None else ():
        if not isinstance(call, ast.Call) or lines.isdisjoint(
            range(call.lineno, (call.end_lineno or call.lineno) + 1)
        ):
            continue
        for value in (*call.args, *(keyword.value for keyword in call.keywords)):
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                start, end = span_of(value, source)
                argument = PlacedExpression(role=ExpressionRole.ARGUMENT, code=text[start:end])
                rewrite = propose(match, argument)
                if isinstance(rewrite, ReplaceExpression) and rewrite.template != argument.code:
                    edit = Edit(start, end, rewrite.template)
                    found[value.lineno, value.col_offset] = (ast.unparse(call.func), edit)
    return found
