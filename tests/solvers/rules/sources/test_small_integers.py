"""Arrays of small integers are made wider where a number does not fit into them."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.restructuring import RestructuringSource

REFUSED = "Python integer 256 out of bounds for uint8"


def edited(code: str, message: str = REFUSED) -> str:
    return next(iter(all_edited(code, message)), code)


def all_edited(code: str, message: str = REFUSED) -> list[str]:
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="OverflowError", message=message)
    places = (SourcePlace(file="a.py", line=1),)
    group = FailureGroup(cause=cause, tests=("t",), places=places, raised_at=places)
    evidence = evidence_of({"a.py": f"{code}\n"})
    found = RestructuringSource().propose(group, evidence)
    return [edit.text.rstrip("\n") for one in found for edit in one.file_edits]


@pytest.mark.parametrize(
    ("code", "after"),
    [
        ("return r + g * 256 + b * 65536", "return r + g.astype(int) * 256 + b.astype(int) * 65536"),
        ("x = 300 - image[0]", "x = 300 - image[0].astype(int)"),
        ("x = f(a) % -1", "x = f(a).astype(int) % -1"),
        ("x = (a + b) * 256", "x = (a + b).astype(int) * 256"),
        ("f(a) + more\nmore = 300", "f(a).astype(int) + more\nmore = 300"),
        ("g = lambda a, more=300: a.b(1) + more", "g = lambda a, more=300: a.b(1).astype(int) + more"),
    ],
)
def test_what_stands_beside_a_number_is_made_wider(code: str, after: str) -> None:
    assert edited(code) == after


@pytest.mark.parametrize("code", ["x = a.astype(int) * 256", "x = a == 256", "f(256, a)", "x = 'a' * 3"])
def test_what_is_no_arithmetic_with_a_number_stays(code: str) -> None:
    assert edited(code) == code


def test_another_error_says_nothing_of_it() -> None:
    assert edited("x = g * 256", "integer division or modulo by zero") == "x = g * 256"


def test_of_two_names_either_may_be_the_array() -> None:
    assert all_edited("return [int(most - v) for v in a]") == [
        "return [int(most - v.astype(int)) for v in a]",
        "return [int(most.astype(int) - v) for v in a]",
    ]


SHIFTED = """\
import numpy as np
def both(octets, at):
    return octets[at] << 8 | octets[at + 1]
def power(n):
    return 1 << n
DATA = np.zeros(4, dtype=np.uint8)
"""


def shifted(text: str = SHIFTED, old: str = "1.26.4", kept: tuple[str, ...] = ()) -> list[str]:
    cause = Cause(kind=CauseKind.ASSERTION, type="AssertionError", message="assert 3 == 515")
    group = FailureGroup(cause=cause, tests=("t",), places=(), raised_at=())
    evidence = evidence_of(
        {"a.py": text},
        executed={"a.py": frozenset({3, 5})},
        versions={"numpy": (old, "2.1.0")},
        kept_files=frozenset(kept),
    )
    found = RestructuringSource().propose(group, evidence)
    return [edit.text for one in found for edit in one.file_edits]


def test_shifts_of_small_integers_are_made_wider_though_nothing_fails_there() -> None:
    assert shifted() == [SHIFTED.replace("octets[at] <<", "octets[at].astype(int) <<")]
    assert shifted(SHIFTED.replace("np.uint8", "int")) == []
    assert shifted(old="2.0.1") == []
    assert shifted(kept=("a.py",)) == []
