"""The first item of what is a number by now is the number itself."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.restructuring import RestructuringSource

NO_ITEMS = "'float' object is not subscriptable"


def edited(text: str, message: str = NO_ITEMS, *, kept: bool = False) -> list[str]:
    """The text with each proposal for an error on its first line."""
    place = SourcePlace(file="a.py", line=1)
    cause = Cause(kind=CauseKind.CHANGED_TYPE, type="TypeError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(place,), raised_at=(place,))
    evidence = evidence_of({"a.py": text}, kept_files=frozenset({"a.py"} if kept else ()))
    found = RestructuringSource().propose(group, evidence)
    return [edit.text for proposal in found for edit in proposal.file_edits]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "if best is None or -res.fun[0] >= best:\n    pass\n",
            ["if best is None or -res.fun >= best:\n    pass\n"],
        ),
        ("x = solve(é)[0, 0]\n", ["x = solve(é)\n"]),
        ("x = a[0] + b[0]\n", ["x = a + b[0]\n", "x = a[0] + b\n"]),
        ("x = f(\n    a [ 0 ],\n)\n", ["x = f(\n    a,\n)\n"]),
    ],
)
def test_the_value_is_taken_as_it_is(text: str, wanted: list[str]) -> None:
    assert sorted(edited(text)) == sorted(wanted)


@pytest.mark.parametrize(
    "message",
    [
        "'numpy.float64' object is not subscriptable",
        "invalid index to scalar variable.",
        "too many indices for array: array is 0-dimensional, but 1 were indexed",
    ],
)
def test_numbers_of_numpy_have_no_items_either(message: str) -> None:
    assert edited("x = a.fun[0]\n", message) == ["x = a.fun\n"]


@pytest.mark.parametrize(
    "text", ["x = a[1]\n", "x = a['0']\n", "a[0] = 1\n", "x = [1, 2][0]\n", "x = 1\ny = a[0]\n"]
)
def test_other_items_stay(text: str) -> None:
    assert edited(text) == []


def test_what_fails_otherwise_is_left_alone() -> None:
    assert edited("x = a[0]\n", "'NoneType' object is not subscriptable") == []
    assert edited("x = a[0]\n", kept=True) == []
