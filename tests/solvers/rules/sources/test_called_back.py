"""Functions of the project that a library calls with other arguments take what they are given."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.messages import read_message
from backdate.diagnosis.result import Cause
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.called_back import called_back

TEXT = """\
class Shop:
    def reply(self, request, ext):
        return request

    def start(self, mock):
        mock.on(self.reply)

def heard(sender): pass
def quiet(): pass
def named(a, *, b=1): pass
def typed(request, ext: dict): return ext
mock.run()
heard(1)
"""
CALL = 12


def edited(message: str, *, line: int = CALL, texts: dict[str, str] | None = None) -> list[str]:
    place = SourcePlace(file="a.py", line=line)
    said = read_message("TypeError", message)
    cause = Cause(kind=said.kind, type="TypeError", message=message, name=said.name, owner=said.owner)
    group = FailureGroup(cause=cause, tests=("t",), places=(place,))
    evidence = evidence_of(texts or {"a.py": TEXT})
    return [edit.text for proposal in called_back(group, evidence) for edit in proposal.file_edits]


@pytest.mark.parametrize(
    ("message", "old", "new"),
    [
        (
            "Shop.reply() missing 1 required positional argument: 'ext'",
            "(self, request, ext)",
            "(self, request, ext=None)",
        ),
        (
            "reply() missing 2 required positional arguments: 'request' and 'ext'",
            "(self, request, ext)",
            "(self, request=None, ext=None)",
        ),
        (
            "typed() missing 1 required positional argument: 'ext'",
            "(request, ext: dict)",
            "(request, ext: dict = None)",
        ),
        ("heard() takes 1 positional argument but 2 were given", "heard(sender)", "heard(sender, *args)"),
        ("quiet() takes 0 positional arguments but 1 were given", "quiet()", "quiet(*args)"),
        ("heard() got an unexpected keyword argument 'signal'", "heard(sender)", "heard(sender, **kwargs)"),
        ("named() got an unexpected keyword argument 'c'", "(a, *, b=1)", "(a, *, b=1, **kwargs)"),
    ],
)
def test_a_function_takes_what_it_is_given(message: str, old: str, new: str) -> None:
    assert edited(message) == [TEXT.replace(old, new)]


@pytest.mark.parametrize(
    "message",
    [
        "Shop.reply() missing 1 required positional argument: 'request'",
        "named() takes 1 positional argument but 2 were given",
        "other() missing 1 required positional argument: 'ext'",
        "Other.reply() missing 1 required positional argument: 'ext'",
        "module 'lib' has no attribute 'reply'",
    ],
)
def test_what_cannot_be_or_is_another_s_stays(message: str) -> None:
    assert edited(message) == []


def test_a_call_of_the_project_itself_is_wrong_and_not_its_function() -> None:
    assert edited("heard() takes 1 positional argument but 2 were given", line=CALL + 1) == []


def test_of_two_functions_of_one_name_none_is_taken() -> None:
    message = "heard() got an unexpected keyword argument 'signal'"
    assert edited(message, texts={"a.py": TEXT, "b.py": "def heard(x): pass\n"}) == []
    assert edited(message, texts={"a.py": "mock.run()\n", "tests/test_b.py": "def heard(x): pass\n"}) == []
