"""Flags in front of regular expressions that are put into others: only for themselves (Python 3.11).

``"(?i)urgent"`` was written for itself, and a list of such texts is joined to one expression.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.knowledge.changes import PYTHON
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.syntax_edits import edited_files, span_of

_REFUSED = re.compile(r"global flags not at the start of the expression")
_FLAGGED = re.compile(
    r"(?P<start>[rR]?(?P<quote>\"{3}|'{3}|\"|'))\(\?(?P<flags>[aimsux]+)\)(?P<rest>.*)(?P=quote)\Z", re.DOTALL
)
_SOURCE = "https://docs.python.org/3/whatsnew/3.11.html#re"


def scoped_flags(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """For each file of the traceback: ``(?i:…)`` for the texts that begin with ``(?i)``."""
    if _REFUSED.search(group.cause.message) is None:
        return
    for file in dict.fromkeys(place.file for place in group.places):
        text = "" if file in evidence.kept_files else evidence.texts.get(file, "")
        made = list(_edits(text))
        if made:
            known = "flags are for a whole expression, and those of a part stand in its group"
            yield Proposal(
                origin=ProposalOrigin.RESTRUCTURING,
                distribution=PYTHON,
                file_edits=edited_files(evidence.texts, {file: [edit for _, edit in made]}),
                edits_key=f"flags of expressions in {file}",
                places=tuple(dict.fromkeys(SourcePlace(file=file, line=line) for line, _ in made)),
                why=(AdviceEvidence(kind=EvidenceKind.KNOWN, text=known, since="3.11", source=_SOURCE),),
            )


def _edits(text: str) -> Iterator[tuple[int, Edit]]:
    tree = parsed_or_none(text) if "(?" in text else None
    source = SourceText(text)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            start, end = span_of(node, source)
            found = _FLAGGED.match(text[start:end])
            if found is not None:
                written = f"{found['start']}(?{found['flags']}:{found['rest']}){found['quote']}"
                yield node.lineno, Edit(start, end, written)
