"""What a function was given as a class is given as an instance."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup, Proposal
from backdate.solvers.rules.sources.restructuring import RestructuringSource

_SAID = (
    "Passing a class was deprecated in version 0.23 and isn't supported anymore from 0.24."
    "Please pass an instance instead."
)
_IMPORTS = "from sklearn.utils.estimator_checks import check_estimator as check\nfrom mine import LMNN, Cov\n"


def proposed(
    message: str, texts: dict[str, str], *at: tuple[str, int], executed: dict[str, frozenset[int]]
) -> list[Proposal]:
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="TypeError", message=message)
    places = tuple(SourcePlace(file=file, line=line) for file, line in at)
    group = FailureGroup(cause=cause, tests=("t",), places=places, raised_at=places)
    evidence = evidence_of(
        texts,
        modules={"sklearn": "scikit-learn"},
        versions={"scikit-learn": ("0.21.3", "1.7.1")},
        executed=executed,
    )
    return list(RestructuringSource().propose(group, evidence))


def edited(
    message: str, texts: dict[str, str], *at: tuple[str, int], **executed: frozenset[int]
) -> dict[str, str]:
    found = proposed(message, texts, *at, executed={f"{name}.py": lines for name, lines in executed.items()})
    return {edit.file: edit.text for one in found for edit in one.file_edits}


def test_all_failing_lines_are_one_proposal() -> None:
    a = f"{_IMPORTS}def test_a():\n    check(LMNN)\n    check(Cov)\n    check(LMNN(k=1))\n"
    b = f"{_IMPORTS}import mine\ndef test_b():\n    check(mine.models.RCA, True)\n"
    found = proposed(
        _SAID, {"a.py": a, "b.py": b}, ("a.py", 4), ("b.py", 5), executed={"a.py": frozenset({4})}
    )
    (only,) = found
    assert only.distribution == "scikit-learn"
    assert {edit.file: edit.text for edit in only.file_edits} == {
        "a.py": a.replace("check(LMNN)", "check(LMNN())"),
        "b.py": b.replace("models.RCA,", "models.RCA(),"),
    }


def test_what_the_same_tests_give_the_function_next_is_an_instance_as_well() -> None:
    a = f"{_IMPORTS}def test_a(made):\n    check(LMNN)\n    check(Cov)\n    check(made)\n    print(Cov)\n"
    assert edited(_SAID, {"a.py": a}, ("a.py", 4), a=frozenset({4, 5, 6, 7})) == {
        "a.py": a.replace("check(LMNN)", "check(LMNN())").replace("check(Cov)", "check(Cov())")
    }
    assert edited(_SAID, {"a.py": a}, ("a.py", 4), a=frozenset({4})) == {
        "a.py": a.replace("check(LMNN)", "check(LMNN())")
    }


def test_a_class_of_a_loop_is_called_where_it_is_given() -> None:
    a = f"{_IMPORTS}def test_a(Kind):\n    with warned():\n        check(Kind)\n"
    assert edited(_SAID, {"a.py": a}, ("a.py", 5)) == {"a.py": a.replace("check(Kind)", "check(Kind())")}


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("Passing a class is fine.", "check(LMNN)"),
        (_SAID, "check(LMNN())"),
        (_SAID, "check(*both)"),
        (_SAID, "mine.check(LMNN)"),
        (_SAID, "check(estimator=LMNN)"),
    ],
)
def test_other_messages_and_arguments_change_nothing(message: str, line: str) -> None:
    a = f"{_IMPORTS}import mine\n{line}\n"
    assert edited(message, {"a.py": a}, ("a.py", 4)) == {}
