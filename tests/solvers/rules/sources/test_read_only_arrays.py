"""Arrays that are read-only now: what makes them gives a copy."""

from __future__ import annotations

from pathlib import Path

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.advising.project_uses import NameUses, ProjectUses
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.sources.read_only_arrays import made_writable


def results(text: str, line: int, message: str = "assignment destination is read-only") -> list[str]:
    cause = Cause(kind=CauseKind.CHANGED_VALUE, type="ValueError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=line),))
    evidence = evidence_of({"a.py": text})
    made = []
    for proposal in made_writable(group, evidence):
        assert proposal.rewrite is not None
        lines = frozenset(place.line for place in proposal.places)
        made.append(apply_edits(text, rewrite_source(text, proposal.rewrite, lines=lines).edits))
    return made


@pytest.mark.parametrize("shown", ["s.values", "s.to_numpy()", 'f["a"].values', "np.asarray(s)"])
def test_a_copy_is_made_where_the_variable_gets_it(shown: str) -> None:
    text = f"def f(s):\n    data = {shown}\n    data[0] = 1\n"
    assert results(text, 3) == [text.replace(shown, f"{shown}.copy()")]


def test_what_is_a_copy_or_given_twice_is_left_alone() -> None:
    assert results("data = s.values.copy()\ndata[0] = 1\n", 2) == []
    assert results("data = s.values\ndata = t.values\ndata[0] = 1\n", 3) == []
    assert results("data = s.values\ndata[0] = 1\n", 2, "invalid literal") == []


def test_what_is_read_from_buffers_is_copied_wherever_it_is_written() -> None:
    text = (
        "import numpy as np\ndef f(b):\n    return fill(np.frombuffer(b, dtype='u1'))\n"
        "def fill(a):\n    a[0] = 1\n"
    )
    used = SourcePlace(file="a.py", line=3)
    uses = ProjectUses(names={"numpy.frombuffer": NameUses(places={used: None})})
    cause = Cause(
        kind=CauseKind.CHANGED_VALUE, type="ValueError", message="assignment destination is read-only"
    )
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=5), used))
    for executed, copied in (({"a.py": frozenset({3, 5})}, True), ({"a.py": frozenset({5})}, False)):
        evidence = FixEvidence(tree=Path(), uses=uses, texts={"a.py": text}, executed=executed)
        made = [
            apply_edits(text, rewrite_source(text, one.rewrite, lines=frozenset({3})).edits)
            for one in made_writable(group, evidence)
            if one.rewrite is not None
        ]
        assert made == ([text.replace("'u1')", "'u1').copy()")] if copied else [])
