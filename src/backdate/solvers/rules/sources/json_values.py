"""Values that ``json`` wrote as they were, and that are of a class now that it does not know.

``json.dumps(x, default=list)`` makes lists of them; of numbers and arrays what ``json`` knows.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.executed import statement_around
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import library_behind
from backdate.solvers.rules.sources.syntax_edits import arguments_of, edited_files, leaf_of, span_of

_UNKNOWN = re.compile(r"(?:Object|object) of type '?(?P<kind>\w{1,80})'? is not JSON serializable")
_MADE = (
    (re.compile(r"u?int\d+"), "int"),
    (re.compile(r"float\d+"), "float"),
    (re.compile(r"bool_?"), "bool"),
    (re.compile(r"ndarray|Tensor"), "lambda value: value.tolist()"),
    (re.compile(r"datetime|date|time|Timestamp|Decimal|UUID|\w{0,40}Path|\w{0,40}URL|\w{0,40}Url"), "str"),
)
"""What makes of a class that the error names a value that ``json`` knows; else a list is made."""
_WRITERS = frozenset({"dumps", "dump"})
_CHOOSES = frozenset({"default", "cls", None})
"""Keywords of calls that choose for themselves; None for what a dictionary holds."""
_NOT_LISTED = re.compile(r"bytes|complex|type|function|method|module|\w{0,80}(?:Error|Exception|Undefined)")


def json_values(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """The call of ``json.dumps`` or ``dump`` in the failing statement, told what to do with such values."""
    match = _UNKNOWN.search(group.cause.message[:2000])
    if match is None or _NOT_LISTED.fullmatch(match["kind"]):
        return
    made = next((made for kinds, made in _MADE if kinds.fullmatch(match["kind"])), "list")
    for place in group.places[:1]:
        text = "" if place.file in evidence.kept_files else evidence.texts.get(place.file, "")
        edits = list(_edits(text, place.line, made))
        if edits:
            yield Proposal(
                origin=ProposalOrigin.RESTRUCTURING,
                distribution=library_behind(group, evidence),
                file_edits=edited_files(evidence.texts, {place.file: edits}),
                edits_key=f"{made} for JSON at {place.file}:{place.line}",
                places=(place,),
                why=(AdviceEvidence(kind=EvidenceKind.MESSAGE, text=match[0]),),
                last=True,
            )


def _edits(text: str, line: int, made: str) -> Iterator[Edit]:
    tree, source, lines = parsed_or_none(text), SourceText(text), statement_around(text, line)
    for call in ast.walk(tree) if tree is not None else ():
        if not isinstance(call, ast.Call) or call.lineno not in lines or leaf_of(call.func) not in _WRITERS:
            continue
        given = arguments_of(call)
        if given and not any(one.arg in _CHOOSES for one in call.keywords):
            start, end = span_of(given[-1], source)
            before = text[text.rfind("\n", 0, start) + 1 : start]
            newline = "\r\n" if "\r\n" in text else "\n"
            apart = f",{newline}{before}" if not before.strip() else ", "  # as the others stand
            yield Edit(end, end, f"{apart}default={made}")
