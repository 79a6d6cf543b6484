"""Statistics of tables with text whose method is chosen by its name: ``getattr(groups, how)()``.

The rules add ``numeric_only=True`` to calls of ``.mean`` and its like (pandas 2.0) by their names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.advice import SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import arguments_of, edited_files, leaf_of, span_of

_REFUSED = re.compile(
    r"agg function failed \[how->\w{1,40},dtype->(?:object|str|string)\]"
    r"|(?:Could not|Cannot) convert .{1,400} to numeric|could not convert string to float",
    re.DOTALL,
)
_ARGUMENT = "numeric_only"
_NAMED = ("agg", "aggregate")
_CHANGE = DocumentedChange(
    library="pandas",
    since="2.0",
    said="numeric_only is False by default",
    source="https://pandas.pydata.org/docs/whatsnew/v2.0.0.html",
)


def chosen_methods(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """``numeric_only=True`` for such calls at the failing lines."""
    if not _CHANGE.lies_between(evidence) or _REFUSED.search(group.cause.message[:4000]) is None:
        return
    for place in group.places:
        text = "" if place.file in evidence.kept_files else evidence.texts.get(place.file, "")
        edits = list(_edits(text, place.line)) if text else []
        if edits:
            yield _CHANGE.mended(
                edited_files(evidence.texts, {place.file: edits}),
                key=f"numbers alone at {place.file}:{place.line}",
                places=(SourcePlace(file=place.file, line=place.line),),
            )


def _edits(text: str, line: int) -> Iterator[Edit]:
    tree, source = parsed_or_none(text), SourceText(text)
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.Call) or not node.lineno <= line <= (node.end_lineno or node.lineno):
            continue
        if _is_chosen(node) and all(one.arg != _ARGUMENT for one in node.keywords):
            given = arguments_of(node)
            at = span_of(given[-1], source)[1] if given else span_of(node, source)[1] - 1
            yield Edit(at, at, f"{', ' if given else ''}{_ARGUMENT}=True")


def _is_chosen(node: ast.Call) -> bool:
    """Whether it calls a method by a name that is a value: ``getattr(x, how)()``, ``x.agg("mean")``."""
    if isinstance(node.func, ast.Call):
        return leaf_of(node.func.func) == "getattr" and len(node.func.args) == 2
    named = node.args[0] if len(node.args) == 1 else None
    by_name = isinstance(named, ast.Name) or (
        isinstance(named, ast.Constant) and isinstance(named.value, str)
    )
    return isinstance(node.func, ast.Attribute) and node.func.attr in _NAMED and by_name
