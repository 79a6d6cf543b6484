"""Failures whose exception says little: fixtures, doctests, tracebacks that are handed on as text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from builders import raised

from backdate.checking.compare import group_breakages
from backdate.environments.environment import Environment
from backdate.recipes.recipe import SuitePlan
from backdate.sandboxes.interface import Sandbox
from backdate.testing.outcomes import CaseResult, Raised, SuiteRun
from backdate.testing.told_tracebacks import told_exceptions

Run = Callable[..., SuiteRun]
MakePlan = Callable[..., SuitePlan]

FILES = {
    "pkg.py": '''"""A module.

    >>> 1 + 1
    3
    >>> 2 + 2
    5
"""


def lost():
    """Asks for what is gone.

    >>> import collections
    >>> collections.Mapping
    0
    """
''',
    "test_a.py": """import unittest
import pytest

def test_one(absent): pass

@pytest.fixture
def middle(absent): pass

def test_two(middle): pass

def test_three(gone): pass

class _StringException(Exception): pass

class TestTold(unittest.TestCase):
    def test_told(self):
        text = 'log: {{{x}}}\\n\\nTraceback (most recent call last):\\n'
        text += '  File "%s", line 3, in test_told\\n    check()\\nKeyError: 1\\n' % __file__
        raise _StringException(text)
""",
    "test_b.py": """import doctest, unittest, pkg

class TestDoc(unittest.TestCase):
    def test_doc(self):
        for case in doctest.DocTestSuite(pkg): case.debug() if False else case.runTest()
""",
}


@pytest.fixture
def done(run: Run, one_sandbox: Sandbox, bare_pytest: Environment, plan: MakePlan) -> SuiteRun:
    targets = ("pkg.py", "test_a.py", "test_b.py")
    return run(one_sandbox, bare_pytest, FILES, plan("pytest", "--doctest-modules", targets=targets))


def last_of(done: SuiteRun, test: str) -> Raised:
    return next(result for result in done.results if result.id == test).raised[-1]


def test_failures_say_what_they_are_about(done: SuiteRun) -> None:
    fixture = last_of(done, "test_a.py::test_one")
    assert fixture.message == "fixture 'absent' not found"
    assert [(frame.file, frame.line, frame.function) for frame in fixture.frames] == [
        ("test_a.py", 4, "test_one")
    ]
    assert last_of(done, "test_a.py::test_two").message == fixture.message

    example = last_of(done, "pkg.py::pkg")
    assert example.message == "expected 3, got 2\nexample: 1 + 1"
    assert [(frame.file, frame.line, frame.source) for frame in example.frames] == [("pkg.py", 3, "1 + 1")]

    inside = last_of(done, "pkg.py::pkg.lost")
    assert inside.type == "AttributeError"
    assert (inside.frames[0].file, inside.frames[0].line) == ("pkg.py", 14)

    told = last_of(done, "test_a.py::TestTold::test_told")
    assert (told.type, told.message) == ("KeyError", "1")
    assert [(frame.file, frame.function) for frame in told.frames] == [("test_a.py", "test_told")]

    by_unittest = last_of(done, "test_b.py::TestDoc::test_doc")
    assert by_unittest.message == "expected 3, got 2\nexample: 1 + 1"
    assert (by_unittest.frames[-1].file, by_unittest.frames[-1].line) == ("pkg.py", 3)


def test_one_missing_fixture_is_one_group(done: SuiteRun) -> None:
    broke: dict[str, CaseResult | None] = {
        result.id: result for result in done.results if result.id.startswith("test_a.py::test_")
    }
    groups = {group.message: group.tests for group in group_breakages(broke, done)}
    assert groups == {
        "fixture 'absent' not found": ("test_a.py::test_one", "test_a.py::test_two"),
        "fixture 'gone' not found": ("test_a.py::test_three",),
    }


def test_what_tells_of_nothing_stays_as_it_is() -> None:
    plain = (raised("testtools.testresult.real._StringException", "no traceback"),)
    assert told_exceptions(plain) == plain
    other = (raised("ValueError", "Traceback (most recent call last):\nKeyError: 1"),)
    assert told_exceptions(other) == other
    assert told_exceptions(()) == ()
