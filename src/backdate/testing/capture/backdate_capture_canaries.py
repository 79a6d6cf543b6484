"""Canaries: tests that must fail, pass or raise, at places and under names that only the host can work out.

They go the way of the suite's own tests, from the runner's hooks to the events, so that whatever changes what
becomes of tests changes what becomes of them. The host knows them by their names, and takes them out.

Runs inside the dated environment: no dependency, and the syntax of Python 2.7 to today's.
PYTEST_DONT_REWRITE
"""

import unittest

import backdate_capture_events
from backdate_capture_events import clean, emit

_KINDS = 3
_NAME, _NONCE, _PLACE = slice(0, 16), slice(16, 32), slice(32, 48)

_FUNCTIONS = (
    "def test_%s():\n    found = '%s'\n    assert found == 'expected', found\n",
    "def test_%s():\n    found = '%s'\n    assert found\n",
    "def test_%s():\n    found = '%s'\n    raise ValueError(found)\n",
)
_METHODS = (
    "def test_%s(self):\n    found = '%s'\n    self.assertEqual(found, 'expected')\n",
    "def test_%s(self):\n    found = '%s'\n    self.assertTrue(found)\n",
    "def test_%s(self):\n    found = '%s'\n    raise ValueError(found)\n",
)


class Canary(object):
    """One of them: the host's ``canary_kinds`` says the same of its code."""

    def __init__(self, number, code):
        self.kind = number % _KINDS
        self.name = "test_" + code[_NAME]
        self.code = code
        self.last = number >= backdate_capture_events.CANARIES - _KINDS
        """Whether it runs after all tests."""

    def place(self, tests):
        """Before which of so many tests it runs."""
        return tests if self.last or not tests else int(self.code[_PLACE], 16) % tests

    def _defined(self, texts, path, module):
        text = texts[self.kind] % (self.code[_NAME], self.code[_NONCE])
        names = {"__name__": module, "__file__": path}
        exec(compile(text, path, "exec"), names)  # noqa: S102 - a text of ours
        return names[self.name]

    def function(self, path, module):
        """A test function."""
        return self._defined(_FUNCTIONS, path, module)

    def case_class(self, path, module):
        """A TestCase with one test."""
        method = self._defined(_METHODS, path, module)
        name = "Test" + self.code[_PLACE].upper()
        return type(unittest.TestCase)(
            name, (unittest.TestCase,), {self.name: method, "__module__": module, "__qualname__": name}
        )


class Canaries(object):
    """Those of one run, each given out once."""

    def __init__(self, codes):
        made = [Canary(number, code) for number, code in enumerate(codes)]
        self._waiting = sorted(made, key=lambda canary: canary.code)  # not in the order of their kinds
        self._any = bool(made)
        self._tests = 0
        self._started = 0

    def expect(self, tests):
        """Say how many tests there are, before the first one."""
        self._tests = tests

    def due(self):
        """Those that run before the test that starts now."""
        now = [canary for canary in self._waiting if canary.place(self._tests) == self._started]
        self._started += 1
        self._waiting = [canary for canary in self._waiting if canary not in now]
        return now

    def rest(self):
        """Those that have not run."""
        now, self._waiting = self._waiting, []
        return now

    def give_up(self, reason):
        """Run no more of them, and say why."""
        if self._any:
            self._waiting = []
            emit("canaries-off", reason=clean(reason, 300))


canaries = Canaries(backdate_capture_events.canary_codes)
backdate_capture_events.canary_codes = []
