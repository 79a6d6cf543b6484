"""Errors of a class that is new in a library, where it gave None before.

``Resolver.get(root, "..")`` of anytree raises ``RootResolverError`` since 2.9: nobody could catch it before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.spans import apply_edits
from backdate.rewriting.import_edits import ImportEdits
from backdate.rewriting.names import SourceNames
from backdate.rewriting.source_tree import source_tree
from backdate.rewriting.spelling import spell_expression
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.other_errors import raised_before
from backdate.solvers.rules.sources.subjects import library_behind
from backdate.solvers.rules.sources.tried_statements import tried

_KINDS = (CauseKind.CHANGED_TYPE, CauseKind.CHANGED_VALUE, CauseKind.OTHER_ERROR)


def raised_instead(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """None where the failing statement gets an error of a class that the old release did not have, and where
    no other error was seen before."""
    raised = group.cause.type
    if group.cause.kind not in _KINDS or not _is_new(raised, evidence):
        return
    for place in group.raised_at or group.places[:1]:
        text = "" if place.file in evidence.kept_files else evidence.texts.get(place.file, "")
        edited = "" if any(raised_before(place, evidence)) else _caught(text, place.line, raised)
        if edited:
            yield Proposal(
                origin=ProposalOrigin.RESTRUCTURING,
                distribution=library_behind(group, evidence),
                file_edits=(FileEdit(file=place.file, text=edited),),
                edits_key=f"None for {raised} at {place.file}:{place.line}",
                places=(place,),
                why=(AdviceEvidence(kind=EvidenceKind.ASKED, text=f"{raised} is new"),),
                last=True,
            )
            return


def _is_new(raised: str, evidence: FixEvidence) -> bool:
    """Whether it is a class of a library that its old release lacks, at a public place of the new one."""
    public = "." in raised and not any(part.startswith("_") for part in raised.split("."))
    if not public or evidence.pair is None or not evidence.distribution_of(raised):
        return False
    old, new = evidence.pair.ask_old((raised,)).get(raised), evidence.pair.ask_new((raised,)).get(raised)
    return old is not None and not old.present and new is not None and new.present


def _caught(text: str, line: int, raised: str) -> str:
    """``text`` in which the statement at a line gives None for the error; "" where it is of another kind."""
    tree = parsed_or_none(text)
    if tree is None:
        return ""
    found = _statement(tree, line)
    source = source_tree(text)
    start = source.offset_of_line(line)
    node = None if start is None else source.root.descendant_for_byte_range(start, start)
    if found is None or node is None:
        return ""
    statement, nothing = found
    around = next((one for one in ast.walk(tree) if isinstance(one, ast.Try) and statement in one.body), None)
    imports = ImportEdits(source)
    spelt = spell_expression(SourceNames(source), imports, raised, node)
    made = tried(text, statement, (f"except {spelt}:", f"    {nothing}"), around) if spelt else ()
    return apply_edits(text, sorted([*made, *imports.edits()])) if made else ""


def _statement(tree: ast.AST, line: int) -> tuple[ast.stmt, str] | None:
    """The assignment or return at a line that calls something, and what stands in its place for None."""
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.Return)
        and node.lineno <= line <= (node.end_lineno or node.lineno)
        and isinstance(node.value, ast.Call)
    ]
    if not found:
        return None
    statement = found[-1]
    if isinstance(statement, ast.Return):
        return statement, "return None"
    target = statement.targets[0]
    plain = len(statement.targets) == 1 and isinstance(target, ast.Name | ast.Attribute)
    return (statement, f"{ast.unparse(target)} = None") if plain else None
