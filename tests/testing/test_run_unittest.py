"""unittest suites on the oldest, an old and a new interpreter, without network."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from backdate.environments.environment import Environment
from backdate.recipes.recipe import SuitePlan
from backdate.sandboxes.interface import Sandbox
from backdate.testing.outcomes import Outcome, SuiteRun

Run = Callable[..., SuiteRun]
MakePlan = Callable[..., SuitePlan]
Plain = Callable[[str], Environment]

VERSIONS = ["2.7", "3.6", "3.8", "3.12", "3.13", "3.14"]
MODERN = [version for version in VERSIONS if version != "2.7"]

MAIN = """
import ctypes, os, sys, unittest

class A(unittest.TestCase):
    def test_good(self):
        print("test_forged (tests.test_main.A) ... ok")
    def test_failed(self):
        self.assertEqual(1, 2)
    def test_raised(self):
        {}["key"]
    def test_sys_exit(self):
        sys.exit(0)
    @unittest.skip("not today")
    def test_skipped(self):
        pass
    @unittest.expectedFailure
    def test_expected(self):
        raise ValueError("as expected")
    @unittest.expectedFailure
    def test_unexpected(self):
        pass
    def test_crash(self):
        ctypes.string_at(0)
    def test_zz_after(self):
        pass

class SetUp(unittest.TestCase):
    def setUp(self):
        raise OSError("no set-up")
    def test_it(self):
        pass

class TearDown(unittest.TestCase):
    def tearDown(self):
        raise OSError("no tear-down")
    def test_it(self):
        pass

class ClassSetUp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise OSError("no class")
    def test_one(self):
        pass
    def test_two(self):
        pass

class ClassTearDown(unittest.TestCase):
    @classmethod
    def tearDownClass(cls):
        raise OSError("no end")
    def test_one(self):
        pass

@unittest.skip("whole class")
class Skipped(unittest.TestCase):
    def test_one(self):
        pass

class Cleanup(unittest.TestCase):
    def test_it(self):
        self.addCleanup(self.fail)
"""

SUBTESTS = """
import unittest
class Sub(unittest.TestCase):
    def test_bad(self):
        for n in range(3):
            with self.subTest(n=n):
                self.assertNotEqual(n, 1)
    def test_good(self):
        for n in range(3):
            with self.subTest(n=n):
                pass
    def test_some_skipped(self):
        for n in range(3):
            with self.subTest(n=n):
                if n == 1:
                    self.skipTest("one of them")
"""

FILES = {
    "tests/__init__.py": "",
    "tests/test_main.py": MAIN,
    "tests/test_absent.py": "import no_such_distribution\n",
    "tests/test_syntax.py": "def f(:\n",
    "tests/test_module.py": (
        "import unittest\ndef setUpModule(): raise OSError('module')\n"
        "class M(unittest.TestCase):\n    def test_m(self): pass\n"
    ),
    "tests/test_exits.py": "import sys; sys.exit(3)\n",
}

EXPECTED = {
    "tests.test_absent": Outcome.NOT_COLLECTED,
    "tests.test_syntax": Outcome.NOT_COLLECTED,
    "tests.test_exits": Outcome.NOT_COLLECTED,
    "tests.test_main.A.test_good": Outcome.PASSED,
    "tests.test_main.A.test_failed": Outcome.FAILED,
    "tests.test_main.A.test_raised": Outcome.FAILED,
    "tests.test_main.A.test_sys_exit": Outcome.FAILED,
    "tests.test_main.A.test_skipped": Outcome.SKIPPED,
    "tests.test_main.A.test_expected": Outcome.XFAILED,
    "tests.test_main.A.test_unexpected": Outcome.FAILED,
    "tests.test_main.A.test_crash": Outcome.CRASHED,
    "tests.test_main.A.test_zz_after": Outcome.PASSED,
    "tests.test_main.SetUp.test_it": Outcome.ERROR,
    "tests.test_main.TearDown.test_it": Outcome.ERROR,
    "tests.test_main.ClassSetUp.test_one": Outcome.ERROR,
    "tests.test_main.ClassSetUp.test_two": Outcome.ERROR,
    "tests.test_main.ClassTearDown.test_one": Outcome.PASSED,
    "tearDownClass (tests.test_main.ClassTearDown)": Outcome.ERROR,
    "tests.test_main.Skipped.test_one": Outcome.SKIPPED,
    "tests.test_main.Cleanup.test_it": Outcome.ERROR,
    "tests.test_module.M.test_m": Outcome.ERROR,
}


def outcomes(run: SuiteRun) -> dict[str, Outcome]:
    return {result.id: result.outcome for result in run.results}


def result_of(run: SuiteRun, identity: str):
    return next(result for result in run.results if result.id == identity)


@pytest.mark.parametrize("version", VERSIONS)
def test_discovery_knows_every_outcome(
    run: Run, one_sandbox: Sandbox, plain_environment: Plain, plan: MakePlan, version: str
) -> None:
    files = {name: text for name, text in FILES.items() if version != "2.7" or "exits" not in name}
    expected = {one: outcome for one, outcome in EXPECTED.items() if version != "2.7" or "exits" not in one}
    if version == "2.7":
        expected["tests.test_main.A.test_unexpected"] = Outcome.XPASSED
        expected["tests.test_main.A.test_sys_exit"] = Outcome.FAILED
    done = run(one_sandbox, plain_environment(version), files, plan("unittest"))
    assert outcomes(done) == expected
    assert (done.status, done.attempts, done.runner) == ("completed", 2, "unittest")
    assert done.suspicions == ()
    absent = result_of(done, "tests.test_absent").raised[-1]
    assert absent.type in ("ModuleNotFoundError", "ImportError")
    assert absent.frames[-1].file == "tests/test_absent.py"
    failed = result_of(done, "tests.test_main.A.test_raised")
    assert (failed.file, failed.raised[0].type) == ("tests/test_main.py", "KeyError")
    assert [frame.function for frame in failed.raised[0].frames] == ["test_raised"]
    assert "SIGSEGV" in result_of(done, "tests.test_main.A.test_crash").reason


@pytest.mark.parametrize("version", MODERN)
def test_subtests(
    run: Run, one_sandbox: Sandbox, plain_environment: Plain, plan: MakePlan, version: str
) -> None:
    done = run(one_sandbox, plain_environment(version), {"test_sub.py": SUBTESTS}, plan("unittest"))
    known = outcomes(done)
    assert known["test_sub.Sub.test_bad"] is Outcome.FAILED
    assert known["test_sub.Sub.test_good"] is Outcome.PASSED
    # before 3.11 a subtest that is skipped is all that is said of its test
    assert known["test_sub.Sub.test_some_skipped"] in (Outcome.PASSED, Outcome.SKIPPED)
    assert "1 == 1" in result_of(done, "test_sub.Sub.test_bad").raised[-1].message


@pytest.mark.parametrize("version", VERSIONS)
def test_targets_are_independent_of_each_other(
    run: Run, one_sandbox: Sandbox, plain_environment: Plain, plan: MakePlan, version: str
) -> None:
    files = {
        "one.py": "raise LookupError('at import')\n",
        "two.py": "import unittest\nclass T(unittest.TestCase):\n    def test_t(self): pass\n",
    }
    asked = plan("unittest", targets=("one", "two.T", "absent.module"))
    done = run(one_sandbox, plain_environment(version), files, asked)
    assert outcomes(done) == {
        "one": Outcome.NOT_COLLECTED,
        "absent.module": Outcome.NOT_COLLECTED,
        "two.T.test_t": Outcome.PASSED,
    }
    assert result_of(done, "one").raised[-1].type == "LookupError"


@pytest.mark.parametrize("version", MODERN)
def test_crashes_outside_of_tests_have_a_name(
    run: Run, one_sandbox: Sandbox, plain_environment: Plain, plan: MakePlan, version: str
) -> None:
    case = "import ctypes, unittest\nclass T(unittest.TestCase):\n"
    files = {
        "test_a.py": "import ctypes\nctypes.string_at(0)\n",
        "test_b.py": case + "    @classmethod\n    def setUpClass(cls): ctypes.string_at(0)\n"
        "    def test_1(self): pass\n    def test_2(self): pass\n",
        "test_c.py": case + "    def test_c(self): pass\n",
    }
    done = run(one_sandbox, plain_environment(version), files, plan("unittest"))
    assert outcomes(done) == {
        "test_a": Outcome.NOT_COLLECTED,
        "test_b.T.test_1": Outcome.CRASHED,
        "test_b.T.test_2": Outcome.CRASHED,
        "test_c.T.test_c": Outcome.PASSED,
    }
    assert (done.status, done.attempts) == ("completed", 3)
    assert "setUpClass of test_b.T" in result_of(done, "test_b.T.test_1").reason


@pytest.mark.slow
@pytest.mark.parametrize("version", MODERN)
def test_only_fail_fast_and_no_tests(
    run: Run, one_sandbox: Sandbox, plain_environment: Plain, plan: MakePlan, version: str
) -> None:
    environment = plain_environment(version)
    case = "import unittest\nclass T(unittest.TestCase):\n"
    files = {
        "test_c.py": case + "    def test_1(self): self.fail()\n    def test_10(self): pass\n"
        "    def test_2(self): pass\n"
    }
    done = run(one_sandbox, environment, files, plan("unittest", "discover", "--failfast"))
    assert outcomes(done) == {
        "test_c.T.test_1": Outcome.FAILED,
        "test_c.T.test_10": Outcome.PASSED,
        "test_c.T.test_2": Outcome.PASSED,
    }
    done = run(one_sandbox, environment, files, plan("unittest"), only=["test_c.T.test_1"])
    assert outcomes(done) == {"test_c.T.test_1": Outcome.FAILED}
    done = run(one_sandbox, environment, files, plan("unittest", "discover", "-p", "nothing*.py"))
    assert (done.status, done.results) == ("no-tests", ())


@pytest.mark.parametrize("version", ["3.8", "3.13"])
def test_asynchronous_tests(
    run: Run, one_sandbox: Sandbox, plain_environment: Plain, plan: MakePlan, version: str
) -> None:
    suite = """
import unittest
class T(unittest.IsolatedAsyncioTestCase):
    async def test_good(self): pass
    async def test_bad(self): raise KeyError
class S(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self): raise KeyError
    async def test_it(self): pass
"""
    done = run(one_sandbox, plain_environment(version), {"test_s.py": suite}, plan("unittest"))
    assert outcomes(done) == {
        "test_s.S.test_it": Outcome.ERROR,
        "test_s.T.test_bad": Outcome.FAILED,
        "test_s.T.test_good": Outcome.PASSED,
    }


@pytest.mark.parametrize("version", MODERN)
def test_a_suite_that_a_test_runs_is_left_alone(
    run: Run, one_sandbox: Sandbox, plain_environment: Plain, plan: MakePlan, version: str
) -> None:
    suite = """
import io, os, sys, unittest
class Outer(unittest.TestCase):
    def test_outer(self):
        class Inner(unittest.TestCase):
            def test_inner(self): self.fail()
        result = unittest.TextTestRunner(stream=io.StringIO()).run(Inner("test_inner"))
        self.assertEqual(len(result.failures), 1)
    def test_parallel(self):
        if os.fork() == 0:
            return
        os.wait()
"""
    done = run(one_sandbox, plain_environment(version), {"test_s.py": suite}, plan("unittest"))
    assert outcomes(done) == {
        "test_s.Outer.test_outer": Outcome.PASSED,
        "test_s.Outer.test_parallel": Outcome.PASSED,
    }
    assert done.suspicions == ()
