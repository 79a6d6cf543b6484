"""Arrays that are used as indices, made whole where they are made."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.restructuring import RestructuringSource

TEXT = """\
def gridded(near, points):
    chosen = near(points)

    def picked(data):
        return data[chosen] + data[chosen]

    return picked
"""


def results(text: str, line: int = 5) -> list[str]:
    """What each proposal makes of the file, at its own places."""
    message = "arrays used as indices must be of integer (or boolean) type"
    cause = Cause(kind=CauseKind.CHANGED_VALUE, type="IndexError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=line),))
    evidence = evidence_of({"a.py": text})
    made = []
    for proposal in RestructuringSource().propose(group, evidence):
        assert proposal.rewrite is not None
        lines = frozenset(place.line for place in proposal.places)
        made.append(apply_edits(text, rewrite_source(text, proposal.rewrite, lines=lines).edits))
    return made


def test_the_call_that_gives_the_indices_goes_first_and_their_use_next() -> None:
    first, second = dict.fromkeys(results(TEXT))
    assert first == TEXT.replace("near(points)\n", "near(points).astype(int)\n")
    assert second == TEXT.replace("[chosen]", "[chosen.astype(int)]")


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("near(points)", "points"),
        TEXT.replace("near(points)", "near(points); chosen = chosen + 1"),
        TEXT.replace("near(points)", "near(points).astype(float)"),
        TEXT.replace("chosen = near(points)", "for chosen in near(points): pass"),
    ],
)
def test_whatever_is_not_the_result_of_one_call_is_made_whole_where_it_is_used(text: str) -> None:
    assert set(results(text)) == {text.replace("[chosen]", "[chosen.astype(int)]")}
