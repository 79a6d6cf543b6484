"""Flags in front of regular expressions that are put into others: only for themselves (Python 3.11).

``"(?i)urgent"`` was written for itself, and a list of such texts is joined to one expression.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.advice import SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.knowledge.changes import PYTHON
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import edited_files, span_of

_REFUSED = re.compile(r"global flags not at the start of the expression")
_FLAGGED = re.compile(
    r"(?P<start>[rR]?(?P<quote>\"{3}|'{3}|\"|'))\(\?(?P<flags>[aimsu]+)\)(?P<rest>.*)(?P=quote)\Z", re.DOTALL
)
"""Without "x": a verbose expression may end in a comment, which would swallow the bracket."""
_FLAGS = re.compile(r"(?<!\\)\(\?[aiLmsux]+\)")
_CHANGE = DocumentedChange(
    library=PYTHON,
    since="3.11",
    said="flags are for a whole expression, and those of a part stand in its group",
    source="https://docs.python.org/3/whatsnew/3.11.html#re",
)


def scoped_flags(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """For each file of the traceback: ``(?i:…)`` for the texts that begin with ``(?i)``.

    Where the failing statement has the flags itself, they go to the start: of what ``+`` puts together here,
    of a text by the rules.
    """
    place = next(iter(group.places), None)
    if _REFUSED.search(group.cause.message) is None or place is None:
        return
    tree = parsed_or_none(evidence.texts.get(place.file, ""))
    if tree is not None and any(_has_flags(node, place.line) for node in ast.walk(tree)):
        edits = [] if place.file in evidence.kept_files else list(_to_the_start(tree, place, evidence))
        if edits:
            yield _proposal({place.file: edits}, (place,), evidence)
        return
    for file in dict.fromkeys(place.file for place in group.places):
        text = "" if file in evidence.kept_files else evidence.texts.get(file, "")
        made = list(_edits(text))
        if made:
            places = tuple(dict.fromkeys(SourcePlace(file=file, line=line) for line, _ in made))
            yield _proposal({file: [edit for _, edit in made]}, places, evidence)


def _proposal(
    edits: dict[str, list[Edit]], places: tuple[SourcePlace, ...], evidence: FixEvidence
) -> Proposal:
    return _CHANGE.mended(
        edited_files(evidence.texts, edits), key=f"flags of expressions in {', '.join(edits)}", places=places
    )


def _to_the_start(tree: ast.AST, place: SourcePlace, evidence: FixEvidence) -> Iterator[Edit]:
    """``"(?i)" + a + b`` for ``a + b + "(?i)"`` on the failing line."""
    text = evidence.texts[place.file]
    source = SourceText(text)
    for node in ast.walk(tree):
        is_last = (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Add)
            and _has_flags(node.right, place.line)
        )
        if not is_last or not isinstance(node, ast.BinOp) or not isinstance(node.right, ast.Constant):
            continue
        if _FLAGS.fullmatch(str(node.right.value)):
            first, (start, end) = span_of(node.left, source), span_of(node.right, source)
            yield Edit(first[0], first[0], f"{text[start:end]} + ")
            yield Edit(first[1], end, "")


def _has_flags(node: ast.AST, line: int) -> bool:
    """Whether it is a text with flags of a statement on the line."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    on_line = node.lineno <= line <= (node.end_lineno or node.lineno)
    return on_line and _FLAGS.search(node.value) is not None


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
