"""Calls that give a keyword argument, whatever they call: ``ma.Str(missing=1)``, ``UserSchema(strict=True)``.

An error says which argument went; the source does not tell that the call is one of the library's function:
a class of the project's own is called that is made from the library's, or an attribute of an object.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from backdate.advice import SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.solvers.rules.executed import statement_around
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence


def keyword_places(group: FailureGroup, argument: str, evidence: FixEvidence) -> tuple[SourcePlace, ...]:
    """The group's lines that give ``argument``, and executed lines of its files that give it to the like.

    The like is what begins with the same name: ``ma.Int`` is like ``ma.Str``. None where the error is
    about another argument, or about something else.
    """
    cause = group.cause
    if cause.kind is not CauseKind.UNEXPECTED_ARGUMENT or cause.name != argument:
        return ()
    found: dict[SourcePlace, None] = {}
    for place in group.places:
        calls = tuple(_calls(evidence.texts.get(place.file, ""), argument))
        around = statement_around(evidence.texts.get(place.file, ""), place.line)
        heads = {head for line, head in calls if line in around}
        if heads:
            found[place] = None
        like = (SourcePlace(file=place.file, line=line) for line, head in calls if head in heads)
        found.update(dict.fromkeys(evidence.executed_of(like)))
    return tuple(found)


def _calls(text: str, argument: str) -> Iterator[tuple[int, str]]:
    """The line of each call that gives ``argument``, and the name with which what is called begins."""
    tree = parsed_or_none(text)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call) and any(given.arg == argument for given in node.keywords):
            head = node.func
            while isinstance(head, ast.Attribute):
                head = head.value
            if isinstance(head, ast.Name):
                yield node.lineno, head.id
