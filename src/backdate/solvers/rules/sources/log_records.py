"""Lists of a log record's attributes, for who asks which ones a caller added: Python 3.12 has one more.

A formatter that writes all attributes but those of its list writes ``taskName`` as well, and tests compare.
"""

from __future__ import annotations

import ast

from backdate.advice import SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.knowledge.changes import PYTHON
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import edited_files

_ADDED = "taskName"
_BESIDE = frozenset({"threadName", "processName"})
"""What a list of all attributes has in any case."""
_MOST_MESSAGE = 20_000
_CHANGE = DocumentedChange(
    library=PYTHON,
    since="3.12",
    said="a log record has an attribute taskName",
    source="https://docs.python.org/3/library/logging.html#logrecord-attributes",
)


def log_records(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """The attribute in each list of the project that has the others, where a failure shows it."""
    if _ADDED not in group.cause.message[:_MOST_MESSAGE] or not _CHANGE.lies_between(evidence):
        return None
    made: dict[str, list[Edit]] = {}
    places = []
    for file, text in evidence.texts.items():
        if file in evidence.kept_files or not all(name in text for name in _BESIDE):
            continue
        for line, edit in _edits(text):
            made.setdefault(file, []).append(edit)
            places.append(SourcePlace(file=file, line=line))
    if not made:
        return None
    return _CHANGE.mended(edited_files(evidence.texts, made), key=_ADDED, places=tuple(places))


def _edits(text: str) -> list[tuple[int, Edit]]:
    """The line and the edit of each list that lacks the attribute."""
    tree, source = parsed_or_none(text), SourceText(text)
    found = []
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.Tuple | ast.List | ast.Set):
            continue
        words = [one.value if isinstance(one, ast.Constant) else None for one in node.elts]
        if not set(words) >= _BESIDE or _ADDED in words:
            continue
        at = min(words.index(name) for name in ("thread", "threadName") if name in words)
        element = node.elts[at]
        start = source.offset(element.lineno, element.col_offset)
        before = node.elts[at - 1] if at else None
        between = ", "
        if before is not None:
            end = source.offset(before.end_lineno or before.lineno, before.end_col_offset or 0)
            written = text[end:start]
            between = written if written.strip() == "," else between
        quote = "'" if text[start] == "'" else '"'
        found.append((element.lineno, Edit(start, start, f"{quote}{_ADDED}{quote}{between}")))
    return found
