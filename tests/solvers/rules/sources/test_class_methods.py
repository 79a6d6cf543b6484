"""A method that a library calls on the class by now is a class method."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.restructuring import RestructuringSource

SAID = "Base._pre_setup() missing 1 required positional argument: 'self'"
BEFORE = """\
class Base(TestCase):
    def _pre_setup(self):
        clear(lambda: self.name)
        super(Base, self)._pre_setup()
"""
AFTER = """\
class Base(TestCase):
    @classmethod
    def _pre_setup(cls):
        clear(lambda: cls.name)
        super(Base, cls)._pre_setup()
"""


def edited(text: str, message: str = SAID, *, kept: bool = False) -> list[str]:
    """The text with each proposal for an error of one of its methods."""
    place = SourcePlace(file="test_a.py", line=1)
    cause = Cause(kind=CauseKind.ARGUMENT_COUNT, type="TypeError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(place,))
    evidence = evidence_of({"base.py": text}, kept_files=frozenset({"base.py"} if kept else ()))
    found = RestructuringSource().propose(group, evidence)
    return [edit.text for proposal in found for edit in proposal.file_edits]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (BEFORE, AFTER),
        (BEFORE.replace("\n", "\r\n"), AFTER.replace("\n", "\r\n")),
        (
            BEFORE.replace("clear(", "cls = clear("),
            BEFORE.replace("    def", "    @classmethod\n    def").replace("clear(", "cls = clear("),
        ),
        (
            "class Base(a.B):\n    async def _pre_setup(self, é, x): é(self)\n",
            "class Base(a.B):\n    @classmethod\n    async def _pre_setup(cls, é, x): é(cls)\n",
        ),
    ],
)
def test_it_takes_the_class(text: str, wanted: str) -> None:
    assert edited(text) == [wanted]


def test_older_interpreters_do_not_say_of_which_class() -> None:
    assert edited(BEFORE, SAID.partition(".")[2]) == [AFTER]


@pytest.mark.parametrize(
    "text",
    [
        BEFORE.replace("Base(TestCase)", "Base"),
        BEFORE.replace("class Base", "class Other"),
        BEFORE.replace("    def", "    @staticmethod\n    def"),
        BEFORE.replace("(self):", "(this, self):"),
        "def _pre_setup(self):\n    pass\n",
    ],
)
def test_all_else_stays(text: str) -> None:
    assert edited(text) == []


def test_files_that_are_kept_stay() -> None:
    assert edited(BEFORE, kept=True) == []
