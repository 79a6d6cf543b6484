"""What is joined to a list is made one where it is none any more."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.restructuring import RestructuringSource

SET_AND_LIST = "unsupported operand type(s) for +: 'set' and 'list'"
LIST_AND_SET = 'can only concatenate list (not "Headers") to list'


def edited(text: str, message: str, line: int = 1, kept: frozenset[str] = frozenset()) -> list[str]:
    place = SourcePlace(file="a.py", line=line)
    cause = Cause(kind=CauseKind.CHANGED_TYPE, type="TypeError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(place,), raised_at=(place,))
    evidence = evidence_of({"a.py": text}, kept_files=kept)
    found = RestructuringSource().propose(group, evidence)
    return [edit.text for proposal in found for edit in proposal.file_edits]


@pytest.mark.parametrize(
    ("text", "message", "wanted"),
    [
        ("TAGS = lib.TAGS + ['a']\n", SET_AND_LIST, ["TAGS = list(lib.TAGS) + ['a']\n"]),
        ("x = [1] + f(é=2)\n", LIST_AND_SET, ["x = [1] + list(f(é=2))\n"]),
        (
            "x = lib.A + lib.B + ['a']\n",
            SET_AND_LIST,
            ["x = list(lib.A) + lib.B + ['a']\n", "x = list(lib.A + lib.B) + ['a']\n"],
        ),
        (
            "x = a['t'] + b['t']\n",
            "unsupported operand type(s) for +: 'Column' and 'Column'",
            ["x = list(a['t']) + list(b['t'])\n"],
        ),
        ("x = (1,) + f()\n", 'can only concatenate tuple (not "list") to tuple', ["x = (1,) + tuple(f())\n"]),
        (
            "x = markup.keyboard + [[a]]\n",
            'can only concatenate tuple (not "list") to tuple',
            ["x = list(markup.keyboard) + [[a]]\n"],
        ),
        (
            "self.a += (['b'])\n",
            "unsupported operand type(s) for +=: 'set' and 'list'",
            ["self.a = list(self.a) + (['b'])\n"],
        ),
    ],
)
def test_the_operand_that_is_none_is_made_a_list(text: str, message: str, wanted: list[str]) -> None:
    assert edited(text, message) == wanted


def test_a_sum_of_several_lines_is_one_statement() -> None:
    text = "x = f(\n    a + ['b'],\n    c,\n)\n"
    assert edited(text, SET_AND_LIST, line=1) == [text.replace("a +", "list(a) +")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = a + ['b']\n", "unsupported operand type(s) for +: 'NoneType' and 'list'"),
        ("x = a + 1\n", "unsupported operand type(s) for +: 'set' and 'int'"),
        ("x = ['a'] + ['b']\n", SET_AND_LIST),
        ("x = a - ['b']\n", SET_AND_LIST),
        ("x = a + b\n", 'can only concatenate list (not "list") to list'),  # what a hostile test may raise
        ("x += a or ['b']\n", "unsupported operand type(s) for +=: 'set' and 'list'"),
        ("x = a + ['b'\n", SET_AND_LIST),
    ],
)
def test_other_sums_stay(text: str, message: str) -> None:
    assert edited(text, message) == []


def test_files_that_are_kept_stay() -> None:
    assert edited("x = a + ['b']\n", SET_AND_LIST, kept=frozenset({"a.py"})) == []
