"""Labels that are not there, which pandas filled with nothing until 1.0: ``frame.loc[labels]``."""

from __future__ import annotations

import ast
import re

from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit, apply_edits
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import span_of

_MISSING = re.compile(
    r"not in index|with any missing labels is no longer supported|"
    r"None of \[.{0,400}\] are in the \[index\]"
)
_CHANGE = DocumentedChange(
    library="pandas",
    since="1.0",
    said="labels that are not there are an error, and reindex() gives nothing for them",
    source="https://pandas.pydata.org/docs/user_guide/indexing.html#indexing-deprecate-loc-reindex-listlike",
)


def missing_labels(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """``frame.reindex(labels)`` on the failing line; None for other errors and other items."""
    place = next(iter(group.places), None)
    if place is None or group.cause.type != "KeyError" or not _CHANGE.lies_between(evidence):
        return None
    if _MISSING.search(group.cause.message) is None or place.file in evidence.kept_files:
        return None
    text = evidence.texts.get(place.file, "")
    edits = _edits(text, place.line)
    if not edits:
        return None
    return _CHANGE.mended(
        (FileEdit(file=place.file, text=apply_edits(text, edits)),),
        key=f"labels at {place.file}:{place.line}",
        places=(place,),
    )


def _edits(text: str, line: int) -> list[Edit]:
    tree = parsed_or_none(text) if ".loc[" in text else None
    source = SourceText(text)
    return [
        Edit(span_of(node.value.value, source)[1], span_of(node, source)[1], f".reindex({code})")
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "loc"
        and node.lineno <= line <= (node.end_lineno or node.lineno)
        and isinstance(node.slice, ast.Name | ast.Attribute | ast.List | ast.Call)
        and (code := ast.get_source_segment(text, node.slice))
    ]
