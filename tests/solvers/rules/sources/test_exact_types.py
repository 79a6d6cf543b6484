"""Questions for a very type become questions for an instance where a library gives a subclass by now."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.restructuring import RestructuringSource

LACKS = "'AttributeValueList' object has no attribute 'lower'"


def edited(
    text: str, message: str = LACKS, *, ran: frozenset[int] = frozenset({1, 2, 3}), kept: bool = False
) -> list[str]:
    """The text of ``a.py`` with each proposal for an error that ``b.py`` raises."""
    place = SourcePlace(file="b.py", line=1)
    cause = Cause(kind=CauseKind.MISSING_ATTRIBUTE, type="AttributeError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(place,), raised_at=(place,))
    evidence = evidence_of(
        {"a.py": text, "b.py": "x['rel'].lower()\n"},
        executed={"a.py": ran},
        kept_files=frozenset({"a.py"} if kept else ()),
    )
    return [
        edit.text
        for proposal in RestructuringSource().propose(group, evidence)
        for edit in proposal.file_edits
        if edit.file == "a.py"
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("if type(value) is list:\n    pass\n", "if isinstance(value, list):\n    pass\n"),
        ("if type( é[0] ) == dict and a:\n    pass\n", "if isinstance(é[0], dict) and a:\n    pass\n"),
        ("x = a and type(b) is not str\n", "x = a and not isinstance(b, str)\n"),
        ("x = f(type(b) != str)\n", "x = f((not isinstance(b, str)))\n"),
        ("x = type(b) in (list, tuple)\n", "x = isinstance(b, (list, tuple))\n"),
        ("x = type(b) in [list, tuple]\n", "x = isinstance(b, (list, tuple))\n"),
        ("x = type(b) not in (list,)\n", "x = not isinstance(b, (list,))\n"),
    ],
)
def test_an_instance_is_asked_for(text: str, wanted: str) -> None:
    assert edited(text) == [wanted]


def test_each_question_is_a_proposal() -> None:
    text = "a = type(x) is list\nb = type(y) is int\n"
    assert edited(text) == [
        "a = isinstance(x, list)\nb = type(y) is int\n",
        "a = type(x) is list\nb = isinstance(y, int)\n",
    ]
    assert edited(text, ran=frozenset({2})) == ["a = type(x) is list\nb = isinstance(y, int)\n"]


@pytest.mark.parametrize(
    "text",
    [
        "x = type(b) is Own\n",
        "x = type(b, c) is list\n",
        "x = type(b) is list is c\n",
        "x = 'type(b) is list'\n",
        "x = own.type(b) is list\n",
        "x = type(b) < list\n",
        "x = type(b) == (list, dict)\n",
        "x = type(b) in list\n",
    ],
)
def test_other_comparisons_stay(text: str) -> None:
    assert edited(text) == []


def test_what_fails_otherwise_is_left_alone() -> None:
    text = "x = type(b) is list\n"
    assert edited(text, "'list' object has no attribute 'lower'") == []
    assert edited(text, "no such file") == []
    assert edited(text, kept=True) == []
