"""The project's own functions that a library calls with other arguments by now: callbacks, handlers, hooks.

``def reply(request, ext)`` of which only ``request`` is given: it takes the rest by default. One that is
given more takes what it is given. Methods of a library's classes are of ``overridden_methods.py``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.diagnosis.frames import is_test_file
from backdate.diagnosis.messages import missing_arguments
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.executed import statement_around
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import library_behind
from backdate.solvers.rules.sources.syntax_edits import edited_files
from backdate.text import first_line

_TOO_MANY = re.compile(
    r"takes (?:\d{1,2}|from \d{1,2} to \d{1,2}) positional arguments? but \d{1,2} were given"
)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def called_back(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """The one function of the project that the error names, so that it can be called as a library does."""
    cause = group.cause
    leaf = cause.owner.rpartition(".")[2]
    kinds = (CauseKind.ARGUMENT_COUNT, CauseKind.UNEXPECTED_ARGUMENT)
    if cause.kind not in kinds or not leaf.isidentifier() or _is_called_here(group, evidence, leaf):
        return
    message = cause.message[:2000]
    found = [
        (file, function, text)
        for file, text in evidence.texts.items()
        if f"def {leaf}(" in text and file not in evidence.kept_files and not is_test_file(file)
        for function in _functions(text, cause.owner)
    ]
    if len(found) != 1:
        return
    file, function, text = found[0]
    edits = list(_edits(function, message, cause.kind, cause.name, SourceText(text), text))
    if edits:
        place = SourcePlace(file=file, line=function.lineno)
        yield Proposal(
            origin=ProposalOrigin.SIGNATURE,
            distribution=library_behind(group, evidence),
            file_edits=edited_files(evidence.texts, {file: edits}),
            edits_key=f"{leaf} as it is called, at {file}:{function.lineno}",
            places=(place,),
            why=(
                AdviceEvidence(
                    kind=EvidenceKind.ASKED, text=f"it is called otherwise: {first_line(message)}"
                ),
            ),
        )


def _is_called_here(group: FailureGroup, evidence: FixEvidence, leaf: str) -> bool:
    """Whether the project's own line calls it: then the call is wrong, and not the function."""
    for place in group.places[:1]:
        text = evidence.texts.get(place.file, "")
        lines = text.splitlines()
        for line in statement_around(text, place.line):
            if 0 < line <= len(lines) and re.search(rf"\b{re.escape(leaf)}\(", lines[line - 1]):
                return True
    return False


def _functions(text: str, owner: str) -> Iterator[_Function]:
    """The functions of a file that an error may name so: "Shop.reply", or "reply" alone."""
    tree = parsed_or_none(text)
    *outer, leaf = [part for part in owner.split(".") if part != "<locals>"]
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, _Function) and node.name == leaf and not outer:
            yield node
        elif isinstance(node, ast.ClassDef | _Function) and outer and node.name == outer[-1]:
            yield from (one for one in node.body if isinstance(one, _Function) and one.name == leaf)


def _edits(
    function: _Function, message: str, kind: CauseKind, name: str, source: SourceText, text: str
) -> Iterator[Edit]:
    taken = function.args
    missing = missing_arguments(message)
    if missing is not None:
        names = set(missing.names) if missing.positional else set()
        ordinary = [*taken.posonlyargs, *taken.args]
        without = ordinary[: len(ordinary) - len(taken.defaults)]
        last = without[len(without) - len(names) :] if names else []
        if {one.arg for one in last} == names:  # no parameter without a default may follow one that has one
            for one in last:
                end = _end(one, source)
                yield Edit(end, end, " = None" if one.annotation is not None else "=None")
    elif kind is CauseKind.UNEXPECTED_ARGUMENT and taken.kwarg is None and name.isidentifier():
        yield from _at_the_end(function, "**kwargs", source, text)
    elif _TOO_MANY.search(message) and taken.vararg is None and not taken.kwonlyargs and taken.kwarg is None:
        yield from _at_the_end(function, "*args", source, text)


def _at_the_end(function: _Function, written: str, source: SourceText, text: str) -> Iterator[Edit]:
    """``written`` behind the last parameter."""
    taken = function.args
    nodes = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs, taken.vararg]
    values = [*taken.defaults, *taken.kw_defaults]
    ends = [_end(node, source) for node in (*nodes, *values) if node is not None]
    if ends:
        yield Edit(max(ends), max(ends), f", {written}")
    else:
        opening = text.find("(", source.offset(function.lineno, function.col_offset))
        if opening >= 0:
            yield Edit(opening + 1, opening + 1, written)


def _end(node: ast.expr | ast.arg, source: SourceText) -> int:
    return source.offset(node.end_lineno or node.lineno, node.end_col_offset or 0)
