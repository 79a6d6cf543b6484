"""Versions of Python that are compared as texts, by which 3.10 is older than 3.3.

Nothing fails at such a line: code for another Python runs. What is compared is ``sys.version``, a part of
it, or ``platform.python_version()``, with a text; or the number that the first three characters are.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.knowledge.changes import PYTHON
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.syntax_edits import edited_files
from backdate.text import version_numbers

_COMPARED = ("sys", "version")
_MESSAGE = "a comparison of sys.version as a text, by which 3.10 comes before 3.3"
_SAID = "as texts 3.10 comes before 3.3: sys.version_info holds numbers"
_SOURCE = "https://docs.python.org/3/library/sys.html#sys.version_info"
_PYTHON_3_10 = (3, 10)
_WORDS = re.compile(r"\bsys\.version\b(?!_)|\bpython_version\(\)")
_OPERATORS: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], bool]]] = {
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
}
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
}


@dataclass(frozen=True, slots=True)
class _VersionText:
    """What an expression is of the version: its text, and what holds the numbers of that text."""

    text: str
    numbers: str
    parts: int | None
    """How many numbers that has; None for all."""
    is_number: bool = False


def compared_as_texts(evidence: FixEvidence) -> Iterator[FailureGroup]:
    """A group of the comparisons that say the opposite of what they mean on the new interpreter."""
    old = evidence.versions_of(PYTHON)[0]
    new = evidence.versions_of(PYTHON)[1]
    if not old or not new or not version_numbers(old) < _PYTHON_3_10 <= version_numbers(new):
        return
    places = [
        SourcePlace(file=file, line=line)
        for file in evidence.executed or {}
        for line, _ in _edits(evidence.texts.get(file, ""), new)
    ]
    if places:
        cause = Cause(
            kind=CauseKind.OTHER_ERROR,
            type="",
            message=_MESSAGE,
            name=_COMPARED[1],
            owner=_COMPARED[0],
            owner_is="module",
            distribution="builtin",
            version=new,
        )
        yield FailureGroup(cause=cause, tests=(), places=tuple(dict.fromkeys(places)))


def by_version_numbers(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """``sys.version_info`` for the texts of ``compared_as_texts``; None for any other failure."""
    cause = group.cause
    if group.tests or (cause.kind, cause.owner, cause.name) != (CauseKind.OTHER_ERROR, *_COMPARED):
        return None
    new = evidence.versions_of(PYTHON)[1]
    files = dict.fromkeys(place.file for place in group.places)
    edits = {file: [edit for _, edit in _edits(evidence.texts.get(file, ""), new)] for file in files}
    edits = {file: found for file, found in edits.items() if found}
    if not edits:
        return None
    return Proposal(
        origin=ProposalOrigin.RESTRUCTURING,
        distribution=PYTHON,
        file_edits=edited_files(evidence.texts, edits),
        edits_key=f"numbers of versions in {', '.join(edits)}",
        places=group.places,
        why=(AdviceEvidence(kind=EvidenceKind.KNOWN, text=_SAID, since="3.10", source=_SOURCE),),
        first=True,
    )


def _edits(text: str, new: str) -> Iterator[tuple[int, Edit]]:
    """The comparisons in a file whose answer is another by numbers, each with its line."""
    tree = parsed_or_none(text) if _WORDS.search(text) else None
    if tree is None:
        return
    has_sys = any(isinstance(node, ast.Import) and _imports_sys(node) for node in ast.walk(tree))
    source = SourceText(text)
    for node in ast.walk(tree) if has_sys else ():
        written = _by_numbers(node, new) if isinstance(node, ast.Compare) else ""
        if written and isinstance(node, ast.Compare):
            start = source.offset(node.lineno, node.col_offset)
            end = source.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
            yield node.lineno, Edit(start, end, written)


def _imports_sys(node: ast.Import) -> bool:
    return any(one.name == "sys" and one.asname is None for one in node.names)


def _by_numbers(node: ast.Compare, new: str) -> str:
    """The comparison by numbers; "" where it says the same by texts, or compares something else."""
    if len(node.ops) != 1 or type(node.ops[0]) not in _OPERATORS:
        return ""
    left, right, compared_by = node.left, node.comparators[0], type(node.ops[0])
    if isinstance(left, ast.Constant):
        left, right, compared_by = right, left, _TURNED[compared_by]
    compared = _compared(left, new)
    if compared is None or not isinstance(right, ast.Constant):
        return ""
    value: object = right.value
    if compared.is_number != isinstance(value, int | float) or isinstance(value, bool):
        return ""
    meant = tuple(int(part) for part in str(value).split(".") if part.isdecimal())
    if len(meant) != str(value).count(".") + 1 or (
        compared.parts is not None and len(meant) > compared.parts
    ):
        return ""
    sign, holds = _OPERATORS[compared_by]
    numbers = version_numbers(new)
    by_text = holds(float(compared.text), value) if compared.is_number else holds(compared.text, value)
    if by_text == holds(numbers[: compared.parts] if compared.parts else numbers, meant):
        return ""
    return f"{compared.numbers} {sign} ({', '.join(map(str, meant))}{',' if len(meant) == 1 else ''})"


def _compared(node: ast.expr, new: str) -> _VersionText | None:
    """What an expression is of the version ``new``; None for another one."""
    code = ast.unparse(node)
    if code in ("sys.version", "platform.python_version()") or re.fullmatch(
        r"sys\.version\.split\((?:' ')?\)\[0\]", code
    ):
        return _VersionText(new, "sys.version_info", None)
    if code in ("sys.version[:3]", "sys.version[0:3]"):
        return _VersionText(new[:3], "sys.version_info[:2]", 2)
    if code in ("float(sys.version[:3])", "float(sys.version[0:3])"):
        return _VersionText(new[:3], "sys.version_info[:2]", 2, is_number=True)
    return None
