"""Items of a series by their position."""

from __future__ import annotations

from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.by_position import by_position


def results(text: str, missing: str, *, new: str = "3.0.1", kind: str = "KeyError") -> list[str]:
    cause = Cause(kind=CauseKind.CHANGED_VALUE, type=kind, message=missing)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=1),))
    evidence = evidence_of({"a.py": text}, versions={"pandas": ("2.2.3", new)})
    made = []
    for proposal in by_position(group, evidence):
        assert proposal.rewrite is not None
        made.append(apply_edits(text, rewrite_source(text, proposal.rewrite, lines=frozenset({1})).edits))
    return made


def test_the_series_that_is_asked_for_the_number_comes_first() -> None:
    assert results("x = rows[name] + s[0]\n", "0") == [
        "x = rows[name] + s.iloc[0]\n",
        "x = rows.iloc[name] + s[0]\n",
    ]
    assert results("x = f(s)[-1]\n", "-1") == ["x = f(s).iloc[-1]\n"]
    assert results("x = s[i]\n", "np.int64(3)") == ["x = s.iloc[i]\n"]


def test_other_errors_and_other_releases_are_left_alone() -> None:
    assert results("x = s[0]\n", "0", new="2.3.0") == []
    assert results("x = s['a']\n", "'a'") == []
    assert results("x = s[0]\n", "0", kind="IndexError") == []
    assert results("x = s.iloc[0]\n", "0") == []
