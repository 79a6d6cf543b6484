"""Labels that pandas looks up and that are not there."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.missing_labels import missing_labels

FORMERLY = "Passing list-likes to .loc or [] with any missing labels is no longer supported"
NOT_THERE = "\"['beetroot'] not in index\""


def proposed(line: str, message: str = NOT_THERE, new: str = "2.3.1", kind: str = "KeyError") -> str | None:
    text = f"def f(self, labels):\n    {line}\n"
    cause = Cause(kind=CauseKind.OTHER_ERROR, type=kind, message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=2),))
    evidence = evidence_of({"a.py": text}, versions={"pandas": ("0.25.3", new)})
    found = missing_labels(group, evidence)
    return None if found is None else found.file_edits[0].text.splitlines()[1].strip()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return self.grams().loc[labels].fillna(0)", "return self.grams().reindex(labels).fillna(0)"),
        ("x = frame.loc[list(labels)]", "x = frame.reindex(list(labels))"),
        ("x = frame.loc[['a', 'b']] + 1", "x = frame.reindex(['a', 'b']) + 1"),
    ],
)
def test_what_is_not_there_is_nothing(before: str, after: str) -> None:
    assert proposed(before) == after
    assert (
        proposed(
            before, message="Passing list-likes to .loc or [] with any missing labels is no longer supported"
        )
        == after
    )


@pytest.mark.parametrize(
    "line",
    ["x = frame.loc['a']", "x = frame.loc[labels, 'b']", "frame.loc[labels] = 1", "x = frame.iloc[labels]"],
)
def test_other_items_stay(line: str) -> None:
    assert proposed(line) is None


def test_other_errors_and_older_releases_propose_nothing() -> None:
    assert proposed("x = frame.loc[labels]", message="'a'") is None
    assert proposed("x = frame.loc[labels]", new="0.25.3") is None
    assert proposed("x = frame.loc[labels]", kind="ValueError") is None
    assert proposed("x = frame.loc[labels] if") is None
