"""Arrays that are compared with a text or None."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.compared_arrays import compared_arrays

AMBIGUOUS = "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"


def proposed(text: str, message: str = AMBIGUOUS, new: str = "2.3.2") -> str | None:
    cause = Cause(kind=CauseKind.CHANGED_VALUE, type="ValueError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=2),))
    evidence = evidence_of({"a.py": text}, versions={"numpy": ("1.18.1", new)})
    found = compared_arrays(group, evidence)
    return None if found is None else found.file_edits[0].text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('    if bins == "auto":', '    if isinstance(bins, str) and bins == "auto":'),
        ("    while 'x' != self.bins:", "    while not isinstance(self.bins, str) or 'x' != self.bins:"),
        ("    x = 1 if a == None else 2", "    x = 1 if a is None else 2"),
        ("    if deep or a != None:", "    if deep or a is not None:"),
        ('    if not bins == "auto":', '    if not (isinstance(bins, str) and bins == "auto"):'),
    ],
)
def test_what_is_no_text_is_not_compared_with_one(before: str, after: str) -> None:
    head, tail = "def f(self, bins, a, deep):\n", "\n        pass\n"
    if before.endswith("2"):
        tail = "\n"
    assert proposed(f"{head}{before}{tail}") == f"{head}{after}{tail}"


@pytest.mark.parametrize(
    "line", ["if a == b: pass", "if a == 1: pass", 'if a < "b": pass', 'if f(a) == "b": pass', "if a: pass"]
)
def test_other_conditions_stay(line: str) -> None:
    assert proposed(f"a = b = 1\n{line}\n") is None


def test_other_errors_and_older_releases_propose_nothing() -> None:
    text = 'a = 1\nif a == "auto": pass\n'
    assert proposed(text, message="another error") is None
    assert proposed(text, new="1.24.4") is None
    assert proposed(f"{text}print 'Python 2'\n") is None
