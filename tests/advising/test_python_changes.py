"""What a release of Python changed, from the tables and from two interpreters."""

from __future__ import annotations

import pytest

from backdate.advice import PythonChange, SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.project_uses import ProjectUses
from backdate.advising.python_changes import python_changes
from backdate.advising.uses import read_uses
from backdate.diagnosis.result import Cause, CauseKind
from backdate.sandboxes.interface import Sandbox

WORKER = """
import threading
import unittest
class Worker(threading.Thread):
    def __init__(self):
        super().__init__()
        self._handle = None
class Case(unittest.TestCase):
    def enterContext(self, context): ...
    def helper(self): ...
"""


@pytest.fixture(scope="module")
def pair(one_sandbox: Sandbox) -> EnvironmentPair:
    from diagnosis_environments import environment_of, find_interpreter

    old, new = (find_interpreter(version) for version in ("3.10", "3.13"))
    return EnvironmentPair(
        sandbox=one_sandbox,
        old=environment_of(old.parents[1], old),
        new=environment_of(new.parents[1], new),
    )


def test_attributes_that_base_classes_have_now(pair: EnvironmentPair) -> None:
    uses = ProjectUses()
    read_uses(WORKER.encode(), "w.py", uses)
    changes = {change.what.partition(":")[0]: change for change in python_changes(pair, (), uses)}
    assert set(changes) == {
        "threading.Thread has `_handle` of its own",
        "unittest.TestCase has `enterContext` of its own",
    }
    handle = changes["threading.Thread has `_handle` of its own"]
    assert (handle.since, handle.places) == ("3.13", (SourcePlace(file="w.py", line=7),))
    assert "whatsnew" in handle.source


def test_stricter_calls(pair: EnvironmentPair) -> None:
    message = "Population must be a sequence.  For dicts or sets, use sorted(d)."
    cause = Cause(kind=CauseKind.CHANGED_TYPE, type="TypeError", message=message)
    place = SourcePlace(file="a.py", line=3)
    (change,) = python_changes(pair, [(cause, (place,))], ProjectUses())
    assert change == PythonChange(
        since="3.11",
        what="random.sample takes no sets",
        source="https://docs.python.org/3/whatsnew/3.11.html#changes-in-the-python-api",
        places=(place,),
    )
    other = Cause(kind=CauseKind.CHANGED_TYPE, type="TypeError", message="something else")
    assert python_changes(pair, [(other, ())], ProjectUses()) == ()


def test_texts_that_assertions_compare_with(pair: EnvironmentPair) -> None:
    shown = (
        "assert 'usage: app ...' == 'usage: app ...'\n  - optional arguments:\n  + options:\n      -h, --help"
    )
    contained = "assert 'optional arguments:' in 'usage: app [-h]\\n\\noptions:\\n'"
    first, second = (
        SourcePlace(file="tests/test_app.py", line=3),
        SourcePlace(file="tests/test_app.py", line=9),
    )
    causes = [
        (Cause(kind=CauseKind.ASSERTION, type="AssertionError", message=text, related=("app",)), (place,))
        for text, place in ((shown, first), (contained, second))
    ]
    (change,) = python_changes(pair, causes, ProjectUses())
    assert change == PythonChange(
        since="3.10",
        what="the help of argparse has the heading `options:` where it had `optional arguments:`",
        source="https://docs.python.org/3/whatsnew/3.10.html#argparse",
        places=(first, second),
    )
    same = "assert 'options: none' == 'options: all'"
    cause = Cause(kind=CauseKind.ASSERTION, type="AssertionError", message=same)
    assert python_changes(pair, [(cause, (first,))], ProjectUses()) == ()
