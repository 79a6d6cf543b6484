"""Statistics of tables with text whose method is chosen by its name."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.chosen_methods import chosen_methods

REFUSED = "agg function failed [how->mean,dtype->object]"


def edited(code: str, message: str = REFUSED, *, old: str = "1.5.3", kept: tuple[str, ...] = ()) -> list[str]:
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="TypeError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=1),))
    evidence = evidence_of({"a.py": code}, versions={"pandas": (old, "2.2.0")}, kept_files=frozenset(kept))
    assert not list(chosen_methods(replace(group, places=(SourcePlace(file="b.py", line=1),)), evidence))
    return [edit.text for one in chosen_methods(group, evidence) for edit in one.file_edits]


@pytest.mark.parametrize(
    ("code", "after"),
    [
        ("x = getattr(groups, how)()", "x = getattr(groups, how)(numeric_only=True)"),
        ("x = getattr(f(a), how)(min_count=1)", "x = getattr(f(a), how)(min_count=1, numeric_only=True)"),
        ("x = groups.agg('mean')", "x = groups.agg('mean', numeric_only=True)"),
        ("x = groups.agg(how)[name]", "x = groups.agg(how, numeric_only=True)[name]"),
    ],
)
def test_numbers_alone_are_asked_for(code: str, after: str) -> None:
    assert edited(code) == [after]


@pytest.mark.parametrize(
    "code",
    [
        "x = groups.mean()",
        "x = groups.agg({'a': 'mean'})",
        "x = getattr(groups, how)(numeric_only=False)",
        "x = getattr(groups, how, None)()",
        "x = (",
    ],
)
def test_all_else_stays(code: str) -> None:
    assert edited(code) == []


def test_only_for_that_error_past_the_release_and_where_it_may_be_edited() -> None:
    code = "x = getattr(groups, how)()"
    assert edited(code, "Could not convert ['ab'] to numeric")
    assert not edited(code, "another error")
    assert not edited(code, old="2.0.1")
    assert not edited(code, kept=("a.py",))
