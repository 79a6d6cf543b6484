"""Items of a pandas series by their position, which is a label alone since 3.0: ``series[0]``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from backdate.rewriting.expressions import expressions_on
from backdate.rewriting.rewrite import ExpressionRole, ReplaceExpression
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.text import version_numbers

_POSITION = re.compile(r"-?\d{1,9}\Z|np\.int\d+\(-?\d{1,9}\)\Z")
_PANDAS_3 = (3, 0)
_CHANGE = DocumentedChange(
    library="pandas",
    since="3.0",
    said="an integer in brackets is a label of a series, and no position",
    source="https://pandas.pydata.org/docs/whatsnew/v3.0.0.html",
)


def by_position(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """``series.iloc[0]`` for what is subscribed on the failing line, the one with that number first.

    None where pandas did not move to 3.0, or the error is no missing number.
    """
    old, new = (version_numbers(version) for version in evidence.versions_of("pandas"))
    moved = bool(old) and bool(new) and old < _PANDAS_3 <= new
    place = next(iter(group.places), None)
    text = evidence.texts.get(place.file, "") if place is not None else ""
    missing = group.cause.message.strip()
    if (
        not moved
        or group.cause.type != "KeyError"
        or not _POSITION.match(missing)
        or place is None
        or not text
    ):
        return
    expressions = expressions_on(text, frozenset({place.line}))
    values = [one.code for one in expressions if one.role is ExpressionRole.SUBSCRIPTED]
    named = [code for code in values if any(_takes(code, missing, one.code) for one in expressions)]
    for code in dict.fromkeys((*named, *values)):
        if not code.endswith((".iloc", ".loc", ".at", ".iat")):
            yield _CHANGE.rewritten(
                ReplaceExpression(expression=code, role=ExpressionRole.SUBSCRIPTED, template="{self}.iloc"),
                group.places,
            )


def _takes(code: str, number: str, whole: str) -> bool:
    """Whether an expression takes the item ``number`` of ``code``."""
    return f"{code}[{number}]" in whole
