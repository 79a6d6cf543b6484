"""Arrays that are compared with a text or ``None``: item by item since NumPy 1.25, where nothing was alike.

``if bins == "auto":`` was false of an array, and ``if data == None:`` as well; now it is ambiguous.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import edited_files, span_of

_AMBIGUOUS = re.compile(r"The truth value of an array with more than one element is ambiguous")
_CHANGE = DocumentedChange(
    library="numpy",
    since="1.25",
    said="an array is compared with a text, or with None, item by item",
    source="https://numpy.org/doc/stable/release/1.25.0-notes.html",
)


def compared_arrays(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """Comparisons on the failing line that ask first whether it is a text, and for ``None`` by identity.

    None where the error is another, or nothing there is compared so.
    """
    place = next(iter(group.places), None)
    if place is None or not _CHANGE.lies_between(evidence):
        return None
    if _AMBIGUOUS.search(group.cause.message) is None or place.file in evidence.kept_files:
        return None
    text = evidence.texts.get(place.file, "")
    edits = list(_edits(text, place.line))
    if not edits:
        return None
    return _CHANGE.mended(
        edited_files(evidence.texts, {place.file: edits}),
        key=f"comparisons at {place.file}:{place.line}",
        places=(place,),
    )


def _edits(text: str, line: int) -> Iterator[Edit]:
    tree = parsed_or_none(text)
    if tree is None:
        return
    source = SourceText(text)
    tests = {id(node.test) for node in ast.walk(tree) if isinstance(node, ast.If | ast.While | ast.IfExp)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare) or not node.lineno <= line <= (node.end_lineno or node.lineno):
            continue
        written = _written(node, ast.get_source_segment(text, node) or "")
        if written:
            alone = id(node) in tests or " is " in written
            yield Edit(*span_of(node, source), written if alone else f"({written})")


def _written(node: ast.Compare, code: str) -> str:
    """The comparison as it is to be; "" where it is none of a name with a text or ``None``."""
    sides = (node.left, node.comparators[0])
    value = next((one for one in sides if isinstance(one, ast.Name | ast.Attribute)), None)
    literal = next((one for one in sides if isinstance(one, ast.Constant)), None)
    if len(node.ops) != 1 or value is None or literal is None:
        return ""
    name, alike = ast.unparse(value), isinstance(node.ops[0], ast.Eq)
    if not isinstance(node.ops[0], ast.Eq | ast.NotEq):
        return ""
    if literal.value is None:
        return f"{name} is {'' if alike else 'not '}None"
    if not isinstance(literal.value, str):
        return ""
    return f"isinstance({name}, str) and {code}" if alike else f"not isinstance({name}, str) or {code}"
