"""Lists in the place of views, iterators and sets that a library took as arguments, and refuses now.

``dataset.drop(others.keys())``: what asked only whether it can iterate asks for a list by now, or takes a
length or an item of it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.knowledge.changes import PYTHON
from backdate.solvers.rules.executed import statement_around
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import library_behind
from backdate.solvers.rules.sources.syntax_edits import arguments_of, edited_files, leaf_of, span_of
from backdate.text import first_line

_VIEWS = frozenset({"keys", "values", "items"})
_ITERATORS = frozenset({"map", "filter", "zip", "range", "reversed", "set", "frozenset"})
_TAKE_ANY = frozenset(
    {"list", "tuple", "sorted", "dict", "sum", "min", "max", "any", "all", "len", "enumerate", "iter", "next"}
    | {"join", "extend", "update", "append", "union", "OrderedDict", "Counter", "print", "repr", "str"}
    | _ITERATORS
)
"""Functions and methods that take them still."""
_REFUSED = (CauseKind.CHANGED_TYPE, CauseKind.CHANGED_VALUE, CauseKind.OTHER_ERROR)
_VIEW_LACKS = re.compile(r"'(?:dict_(?:keys|values|items)|generator|map|filter|zip|range|set)' object has no")


def listed_arguments(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """The arguments of calls in the failing statement that are no lists, as lists."""
    cause, library = group.cause, library_behind(group, evidence)
    refused = cause.kind in _REFUSED or _VIEW_LACKS.search(cause.message[:2000])
    if not refused or library in ("", PYTHON):
        return
    for place in group.places[:1]:
        text = "" if place.file in evidence.kept_files else evidence.texts.get(place.file, "")
        edits = list(_edits(text, place.line))
        if edits:
            yield Proposal(
                origin=ProposalOrigin.RESTRUCTURING,
                distribution=library,
                file_edits=edited_files(evidence.texts, {place.file: edits}),
                edits_key=f"lists as arguments at {place.file}:{place.line}",
                places=(place,),
                why=(AdviceEvidence(kind=EvidenceKind.MESSAGE, text=first_line(cause.message)),),
                last=True,
            )


def _edits(text: str, line: int) -> Iterator[Edit]:
    tree, source, lines = parsed_or_none(text), SourceText(text), statement_around(text, line)
    for call in ast.walk(tree) if tree is not None else ():
        if not isinstance(call, ast.Call) or call.lineno not in lines or leaf_of(call.func) in _TAKE_ANY:
            continue
        for given in arguments_of(call):
            value = given.value if isinstance(given, ast.keyword) else given
            start, end = span_of(value, source)
            if isinstance(value, ast.GeneratorExp):
                alone = span_of(call.func, source)[1] == start  # its brackets are those of the call
                listed = f"[{text[start + 1 : end - 1].strip()}]"
                yield Edit(start, end, f"({listed})" if alone else listed)
            elif _is_no_list(value):
                yield Edit(start, end, f"list({text[start:end]})")


def _is_no_list(value: ast.expr) -> bool:
    if isinstance(value, ast.Set | ast.SetComp):
        return True
    if not isinstance(value, ast.Call):
        return False
    name = leaf_of(value.func)
    if isinstance(value.func, ast.Attribute):
        return name in _VIEWS and not value.args and not value.keywords
    return name in _ITERATORS
