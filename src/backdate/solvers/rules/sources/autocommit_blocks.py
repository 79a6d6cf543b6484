"""``with`` blocks over connections of psycopg2 that commit each statement start a transaction since 2.9.

What cannot run in one ("CREATE DATABASE cannot run inside a transaction block") ran in such a block before,
which did nothing else for these connections.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit, apply_edits
from backdate.rewriting.import_edits import ImportEdits
from backdate.rewriting.names import SourceNames
from backdate.rewriting.source_tree import source_tree
from backdate.rewriting.spelling import spell_expression
from backdate.solvers.rules.executed import function_around
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.syntax_edits import span_of

_REFUSED = re.compile(r"[A-Z][A-Z ]{3,60} cannot run inside a transaction block")
_LIBRARIES, _SINCE = ("psycopg2", "psycopg2-binary"), "2.9"
_SAID = "a with block over a connection starts a transaction, also where it commits each statement"
_SOURCE = "https://www.psycopg.org/docs/news.html#what-s-new-in-psycopg-2-9"


def autocommit_blocks(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """The block around the failing statement without a transaction."""
    match = _REFUSED.search(group.cause.message[:2000])
    library = next((one for one in _LIBRARIES if evidence.moves_past(one, _SINCE)), "")
    if match is None or not library:
        return
    for place in group.places:
        text = "" if place.file in evidence.kept_files else evidence.texts.get(place.file, "")
        edited = _without_transaction(text, place.line)
        if edited:
            yield Proposal(
                origin=ProposalOrigin.RESTRUCTURING,
                distribution=library,
                file_edits=(FileEdit(file=place.file, text=edited),),
                edits_key=f"no transaction around {place.file}:{place.line}",
                places=(place,),
                why=(AdviceEvidence(kind=EvidenceKind.KNOWN, text=_SAID, since=_SINCE, source=_SOURCE),),
            )
            return


def _without_transaction(text: str, line: int) -> str:
    """``text`` with the innermost ``with`` around a line over its connection alone; "" where there is none.

    A connection that is made there, and is not used behind it, is closed at its end.
    """
    tree = parsed_or_none(text)
    blocks = [
        node
        for node in ast.walk(tree or ast.Module(body=[], type_ignores=[]))
        if isinstance(node, ast.With)
        and node.lineno < line <= (node.end_lineno or 0)
        and len(node.items) == 1
    ]
    if tree is None or not blocks:
        return ""
    block = blocks[-1]
    context, bound = block.items[0].context_expr, block.items[0].optional_vars
    end = block.end_lineno or 0
    after = {
        node.id
        for node in ast.walk(function_around(tree, line))
        if isinstance(node, ast.Name) and node.lineno > end and isinstance(node.ctx, ast.Load)
    }
    made = isinstance(context, ast.Call) and isinstance(bound, ast.Name) and bound.id not in after
    source = source_tree(text)
    imports = ImportEdits(source)
    wanted = "contextlib.closing" if made else "contextlib.nullcontext"
    spelt = spell_expression(SourceNames(source), imports, wanted, source.root)
    start, stop = span_of(context, SourceText(text))
    edit = Edit(start, stop, f"{spelt}({text[start:stop]})")
    return apply_edits(text, sorted([edit, *imports.edits()])) if spelt else ""
