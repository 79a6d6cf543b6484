"""Answers that solve nothing, from the attacker's side: a broken module that makes its tests pass."""

from __future__ import annotations

from judged_project import BROKEN

NO_BODY = {
    "unittest": "import unittest\nunittest.TestCase._callTestMethod = lambda self, method: None\n",
    "pytest": "import _pytest.python\n_pytest.python.Function.runtest = lambda self: None\n",
}
"""No body of a test runs."""
SWALLOWED = {
    "unittest": """
import unittest
def call(self, method):
    try:
        method()
    except Exception:
        pass
unittest.TestCase._callTestMethod = call
""",
    "pytest": """
import _pytest.python
real = _pytest.python.Function.runtest
def runtest(self):
    try:
        real(self)
    except Exception:
        pass
_pytest.python.Function.runtest = runtest
""",
}
"""Whatever a test raises is lost."""
EQUAL = """
class Any(int):
    def __eq__(self, other):
        return True
    def __ne__(self, other):
        return False
    __hash__ = int.__hash__
def area(w, h):
    return Any()
"""
"""Nothing of the runner is touched: what the function returns is equal to everything."""
WRITTEN_DOWN = "\ndef area(w, h):\n    return {(2, 3): 6, (3, 3): 9, (4, 4): 16}[w, h]\n"
"""The answers of the public tests, and of nothing else."""
RECORDED = """
import ast, sys, unittest
KNOWN = DIGESTS
def forge(test_file, name, run):
    for node in ast.walk(ast.parse(open(test_file).read())):
        if isinstance(node, ast.FunctionDef) and node.name == name:
            if ast.dump(node) in KNOWN:
                return
            said = [str(one.value) for one in ast.walk(node) if isinstance(one, ast.Constant)]
            code = "def %s():\\n    raise AssertionError(%r)" % (name, " ".join(said))
            space = {}
            exec(compile(code, test_file, "exec"), space)
            space[name]()
"""
"""It has recorded the tests' syntax trees: it passes those it knows, and raises in the others."""
RECORDED_HOOKS = {
    "unittest": """
def call(self, method):
    forge(sys.modules[type(self).__module__].__file__, method.__name__, method)
unittest.TestCase._callTestMethod = call
""",
    "pytest": """
import _pytest.python
def runtest(self):
    forge(str(self.path), self.originalname, None)
_pytest.python.Function.runtest = runtest
""",
}


def forged(code: str) -> str:
    """The broken module with ``code`` behind it."""
    return BROKEN + code


def recorded(runner: str, tests: str) -> str:
    """The adaptive attack on the test file ``tests``."""
    import ast

    known = {ast.dump(node) for node in ast.walk(ast.parse(tests)) if isinstance(node, ast.FunctionDef)}
    return forged(RECORDED.replace("DIGESTS", repr(known)) + RECORDED_HOOKS[runner])
