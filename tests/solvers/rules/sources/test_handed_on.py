"""What a method is given is handed on to the one that it stands in for."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.handed_on import handed_on

METHOD = "class A(lib.B):\n    def m(self, el, *, tags=None, of=1):\n        return {call}\n"
ONE = "B.m() missing 1 required positional argument: 'tags'"
TWO = "B.m() missing 2 required keyword-only arguments: 'tags' and 'of'"


def edited(call: str, message: str, text: str = METHOD) -> list[str]:
    place = SourcePlace(file="a.py", line=3)
    cause = Cause(kind=CauseKind.ARGUMENT_COUNT, type="TypeError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(place,), raised_at=(place,))
    evidence = evidence_of({"a.py": text.format(call=call)})
    found = [edit.text for proposal in handed_on(group, evidence) for edit in proposal.file_edits]
    head, tail = text.split("{call}")
    return [one.removeprefix(head).removesuffix(tail) for one in found]


@pytest.mark.parametrize(
    ("call", "message", "wanted"),
    [
        ("super().m(el)", ONE, "super().m(el, tags)"),
        ("super(A, self).m(el=el)", ONE, "super(A, self).m(el=el, tags=tags)"),
        ("super().m()", ONE, "super().m(tags)"),
        ("f(super().m(el), 2)", TWO, "f(super().m(el, tags=tags, of=of), 2)"),
    ],
)
def test_the_call_of_the_method_above_gets_it(call: str, message: str, wanted: str) -> None:
    assert edited(call, message) == [wanted]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("super().other(el)", ONE),
        ("self.m(el)", ONE),
        ("super().m(*el)", ONE),
        ("super().m(el)", ONE.replace("tags", "unknown")),
        ("super().m(el)", "B.m() takes 2 positional arguments but 3 were given"),
    ],
)
def test_other_calls_stay(call: str, message: str) -> None:
    assert edited(call, message) == []
    assert edited(call, message, "class A(lib.B):\n\n    m = {call}\n") == []
