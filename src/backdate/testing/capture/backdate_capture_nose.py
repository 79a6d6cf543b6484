"""A pytest plugin (pytest 3.5 to today's): tests of nose are called as nose calls them, where it does not.

nose calls a decorated test as it is, without arguments, where pytest asks for those of the function inside,
and gives each test a stream of its own for what it prints, which it may read and close. Around tests of plain
classes it takes the first of its names that a class has, unittest's among them (``nose.suite.ContextSuite``,
``nose.case.MethodTestCase`` and ``nose.plugins.capture`` of 1.3.7). ``setup_class`` and its counterpart are
left to pytest, and so are ``setup`` and ``teardown``, which it called until its release 8.
PYTEST_DONT_REWRITE
"""

import inspect
import sys
import unittest

import pytest

try:
    from StringIO import StringIO
except ImportError:
    from io import StringIO

_OF_CLASSES = (
    ("setup_class", "setup_all", "setupClass", "setupAll", "setUpClass", "setUpAll"),
    ("teardown_class", "teardown_all", "teardownClass", "teardownAll", "tearDownClass", "tearDownAll"),
)
_OF_TESTS = (("setup", "setUp"), ("teardown", "tearDown"))


def _left_to_nose(owner, names):
    """What ``owner`` has under the first of ``names`` that it knows; None where pytest calls that one."""
    for name in names:
        found = getattr(owner, name, None)
        if callable(found):
            return found if name != names[0] else None
    return None


def _around(owner, pairs):
    """Call what goes before, and say what comes after."""
    before, after = (_left_to_nose(owner, names) for names in pairs)
    if before is not None:
        before()
    return after


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector, name, obj):
    function = getattr(obj, "__func__", obj)
    if not inspect.isfunction(function) or not collector.funcnamefilter(name):
        return
    if sys.version_info < (3,):  # whose functions hold no other one inside, unless a library says so
        return
    if hasattr(function, "__wrapped__") and not hasattr(function, "__signature__"):
        function.__signature__ = inspect.signature(function, follow_wrapped=False)


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call():
    shown, own = sys.stdout, StringIO()
    sys.stdout = own
    yield
    sys.stdout = shown
    try:
        shown.write("" if own.closed else own.getvalue())
    except UnicodeError:  # Python 2 joins no text and bytes: a test that prints both is judged all the same
        pass


@pytest.fixture(scope="class", autouse=True)
def backdate_nose_class(request):
    kind = request.cls
    plain = isinstance(kind, type) and not issubclass(kind, unittest.TestCase)
    after = _around(kind, _OF_CLASSES) if plain else None
    yield
    if after is not None:
        after()


@pytest.fixture(autouse=True)
def backdate_nose_test(request):
    instance = getattr(getattr(request.node, "obj", None), "__self__", None)
    plain = instance is not None and not isinstance(instance, (type, unittest.TestCase))
    after = _around(instance, _OF_TESTS) if plain else None
    yield
    if after is not None:
        after()
