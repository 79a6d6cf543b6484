"""Views and iterators that a library takes no more are given to it as lists."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.listed_arguments import listed_arguments


def edited(
    text: str,
    *,
    line: int = 1,
    kind: CauseKind = CauseKind.CHANGED_VALUE,
    message: str = "the first argument must be a dictionary",
    distribution: str = "xarray",
) -> list[str]:
    place = SourcePlace(file="a.py", line=line)
    cause = Cause(kind=kind, type="ValueError", message=message, distribution=distribution)
    group = FailureGroup(cause=cause, tests=("t",), places=(place,), raised_at=(place,))
    evidence = evidence_of({"a.py": text})
    return [edit.text for proposal in listed_arguments(group, evidence) for edit in proposal.file_edits]


@pytest.mark.parametrize(
    ("call", "listed"),
    [
        ("data.drop(other.keys(), errors='ignore')", "data.drop(list(other.keys()), errors='ignore')"),
        ("lib.f(names=d.values())", "lib.f(names=list(d.values()))"),
        ("lib.f(map(str, x), {1, 2})", "lib.f(list(map(str, x)), list({1, 2}))"),
        ("lib.f(x for x in y)", "lib.f([x for x in y])"),
        ("lib.f((x for x in y), 1)", "lib.f([x for x in y], 1)"),
    ],
)
def test_each_argument_that_is_no_list_becomes_one(call: str, listed: str) -> None:
    assert edited(f"z = {call}\n") == [f"z = {listed}\n"]


@pytest.mark.parametrize(
    "text",
    [
        "z = data.drop(['a'])\n",
        "z = sorted(d.keys())\n",
        "z = data.drop(store.keys('a'))\n",
        "z = d.keys()\n",
        "def f(:\n",
    ],
)
def test_other_arguments_and_functions_that_take_any_stay(text: str) -> None:
    assert edited(text) == []


def test_only_values_are_refused_and_by_a_library() -> None:
    text = "z = data.drop(other.keys())\n"
    assert edited(text, kind=CauseKind.MISSING_MODULE) == []
    assert edited(text, distribution="") == []
    lacks = "'dict_keys' object has no attribute 'sort'"
    assert edited(text, kind=CauseKind.MISSING_ATTRIBUTE, message=lacks)
    assert not edited(text, kind=CauseKind.MISSING_ATTRIBUTE, message="'Frame' object has no attribute 'a'")
