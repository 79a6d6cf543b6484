"""Builtin functions are imported again behind an import of all of NumPy."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.starred_builtins import starred_builtins

CODE = "from numpy import *\nfrom own import *\n\ndef f(x):\n    return arange(max(0, x), min(x, 9))\n"
FIXED = CODE.replace("own import *\n", "own import *\nfrom builtins import max, min\n")


def edited(text: str, *, line: int = 5, new: str = "2.3.2", kept: bool = False) -> list[str]:
    cause = Cause(
        kind=CauseKind.CHANGED_VALUE, type="numpy.exceptions.AxisError", message="axis 120 is out of"
    )
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=line),))
    evidence = evidence_of(
        {"a.py": text},
        kept_files=frozenset({"a.py"}) if kept else frozenset(),
        versions={"numpy": ("1.21.6", new)},
    )
    found = starred_builtins(group, evidence)
    return [edit.text for proposal in found for edit in proposal.file_edits]


def test_they_come_behind_the_last_import_of_everything() -> None:
    assert edited(CODE) == [FIXED]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        (CODE, {"new": "1.26.4"}),
        (CODE, {"kept": True}),
        (CODE, {"line": 1}),  # the failing line uses none of them
        (CODE.replace("from numpy import *", "import numpy"), {}),
        (CODE.replace("f(x)", "f(x, max, min)"), {}),
        (f"{CODE}max = min = None\n", {}),
        (FIXED, {"line": 6}),
        (CODE.replace("max(0, x), min(x, 9)", "sum(x)"), {}),
        (f"{CODE})", {}),
    ],
)
def test_other_code_stays(text: str, options: dict[str, object]) -> None:
    assert edited(text, **options) == []  # type: ignore[arg-type]
