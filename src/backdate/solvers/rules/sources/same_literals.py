"""A literal text that an error is about, and the same at every line that failing tests run: at once.

The failing line may give it by a name: then it stands where something is bound to it.
"""

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
_LEAST_BOUND = 4
"""Letters of a text that is changed wherever something is bound to it: a shorter one may mean much else."""


def same_literals(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """One proposal for all calls of the failing line's function that are given such a literal.

    Each of them would be the next run's error. None where there is only the one that failed. Where the line
    gives no literal, one for what is bound to it in the files that failing tests run.
    """
    place = next(iter(group.places), None)
    for message in group.messages if place is not None else ():
        for pattern, propose in LITERALS:
            match = pattern.search(message)
            if match is None or place is None:
                continue
            called = _all_of(place, match, propose, evidence)
            found = called or _all_bound(match, propose, evidence)
            if found and sum(map(len, called.values())) != 1:
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


def _all_bound(
    match: re.Match[str], propose: LiteralRewrite, evidence: FixEvidence
) -> dict[str, dict[tuple[int, int], Edit]]:
    """The edits of the text that the error quotes, where names, attributes and parameters are bound to it."""
    if len(match.groupdict().get("old") or "") < _LEAST_BOUND:
        return {}
    found = {}
    files = [file for file in evidence.executed or {} if file in evidence.texts]
    for file in files[:_MOST_FILES]:
        tree, source = parsed_or_none(evidence.texts[file]), SourceText(evidence.texts[file])
        values = _bound(tree) if tree is not None and file not in evidence.kept_files else ()
        edits = {
            (value.lineno, value.col_offset): edit
            for value in values
            if (edit := _edit(value, source, match, propose)) is not None
        }
        if edits:
            found[file] = edits
    return found


def _bound(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            yield node.value
        elif isinstance(node, ast.arguments):
            yield from (*node.defaults, *filter(None, node.kw_defaults))
        elif isinstance(node, ast.Dict):
            yield from node.values


def _edit(value: ast.expr, source: SourceText, match: re.Match[str], propose: LiteralRewrite) -> Edit | None:
    """What becomes of a literal text; None of anything else, and where it stays."""
    if not isinstance(value, ast.Constant) or not isinstance(value.value, str):
        return None
    start, end = span_of(value, source)
    argument = PlacedExpression(role=ExpressionRole.ARGUMENT, code=source.content[start:end])
    rewrite = propose(match, argument)
    if not isinstance(rewrite, ReplaceExpression) or rewrite.template == argument.code:
        return None
    return Edit(start, end, rewrite.template)


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
            edit = _edit(value, source, match, propose)
            if edit is not None:
                found[value.lineno, value.col_offset] = (ast.unparse(call.func), edit)
    return found
