"""What a base class keeps no more, the project's class does."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.unset_attributes import unset_attributes

MESSAGE = "Cloning of Small failed with error: 'Small' object has no attribute 'base'."
CODE = """\
from lib import Ensemble

class Many(Ensemble):
    def __init__(self, base=None, number=3):
        super(Many, self).__init__(
            estimator=base, number=number)
        self.number = number

class Small(Many):
    def __init__(self, base=None):
        super().__init__(base=base)

    def fit(self):
        return self.base
"""
AFTER = CODE.replace(
    "estimator=base, number=number)\n", "estimator=base, number=number)\n        self.base = base\n"
)


def edited(code: str, message: str = MESSAGE, **known: object) -> list[str]:
    cause = Cause(kind=CauseKind.ASSERTION, type="AssertionError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=())
    evidence = evidence_of({"b.py": "x = 1\n", "a.py": code}, **known)
    return [edit.text for one in unset_attributes(group, evidence) for edit in one.file_edits]


def test_the_class_nearest_to_the_library_keeps_it() -> None:
    assert edited(CODE) == [AFTER]
    assert edited(CODE.replace("\n", "\r\n")) == [AFTER.replace("\n", "\r\n")]


@pytest.mark.parametrize(
    "code",
    [
        AFTER,
        CODE.replace("base=None", "other=None"),
        CODE.replace("class Small", "class Tiny"),
        CODE.replace("super(Many, self).__init__(", "print("),
        CODE.replace("    def fit(self):", "    @property\n    def base(self):"),
        CODE.replace("class Many(Ensemble)", "class Many(Small)").replace("base=None", "a=None"),
        "class Small(",
    ],
)
def test_other_code_stays(code: str) -> None:
    assert edited(code) == []


def test_files_of_tests_and_other_errors_stay() -> None:
    assert edited(CODE, kept_files=frozenset({"a.py"})) == []
    assert edited(CODE, "'Small' object has no attribute 'number_'") == []
    assert edited(CODE, "module 'Small' has no attribute 'base'") == []
