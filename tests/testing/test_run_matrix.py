"""The pytest of many years, on the Pythons of those years: real environments from the real index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from slow_tests import others_slow

from backdate.environments.environment import Environment
from backdate.recipes.recipe import SuitePlan
from backdate.sandboxes.interface import Sandbox
from backdate.testing.outcomes import Outcome, SuiteRun

Run = Callable[..., SuiteRun]
MakePlan = Callable[..., SuitePlan]
Build = Callable[..., Environment]

pytestmark = pytest.mark.network
SLOW = pytest.mark.slow


@dataclass(frozen=True)
class Kind:
    python: str
    pytest: str
    instant: str | None

    def __str__(self) -> str:
        return f"{self.python}-pytest-{self.pytest or 'newest'}"


MATRIX = [
    Kind("3.6", "==3.5.*", "2019-03-01T00:00:00Z"),
    Kind("3.6", "==3.10.*", "2019-03-01T00:00:00Z"),
    Kind("3.6", "==4.6.*", "2019-12-01T00:00:00Z"),
    Kind("3.6", "==7.0.*", "2022-03-01T00:00:00Z"),
    Kind("3.8", "==5.4.*", "2020-08-01T00:00:00Z"),
    Kind("3.8", "==8.3.*", "2024-12-01T00:00:00Z"),
    Kind("3.11", "==6.2.*", "2022-11-01T00:00:00Z"),
    Kind("3.11", "==7.0.*", "2022-11-01T00:00:00Z"),
    Kind("3.11", "==7.4.*", "2024-01-01T00:00:00Z"),
    Kind("3.11", "", None),
    Kind("3.13", "", None),
    Kind("3.14", "", None),
]

SUITE = """# -*- coding: utf-8 -*-
import ctypes, os, sys, unittest
import pytest

TEXTS = ["a b", "[c - d]", "x::y", "e/f", u"\\xfc", "#2", "PASSED [100%]"]

@pytest.mark.parametrize("text", TEXTS)
def test_odd(text):
    print("test_suite.py::test_odd[forged] PASSED")
    assert text != "e/f"

def test_segmentation_fault():
    ctypes.string_at(0)

def test_sys_exit():
    sys.exit(0)

def test_os_exit():
    os._exit(0)

def test_fork_without_exec():
    if os.fork() == 0:
        return
    os.wait()

@pytest.mark.skip(reason="not today")
def test_skipped():
    pass

@pytest.mark.xfail(reason="known")
def test_xfailed():
    raise ValueError("expected")

@pytest.mark.xfail(reason="cured")
def test_xpassed():
    pass

@pytest.mark.xfail(strict=True, reason="must fail")
def test_xpassed_strictly():
    pass

@pytest.fixture
def broken():
    raise KeyError("set up")

def test_broken_fixture(broken):
    pass

@pytest.fixture
def untidy():
    yield
    raise OSError("tear down")

def test_untidy_fixture(untidy):
    pass

class TestCase(unittest.TestCase):
    def test_failed(self):
        self.assertEqual(1, 2)
    @unittest.expectedFailure
    def test_expected(self):
        self.fail()
    @unittest.expectedFailure
    def test_unexpected(self):
        pass

class TestPlain(object):
    def test_in_a_class(self):
        pass
    class TestInner(object):
        @pytest.mark.parametrize("text", ["::()::"])
        def test_in_two(self, text):
            assert not text

def outer():
    inner()

def inner():
    raise AttributeError("module 'x' has no attribute 'y'")

def test_frames():
    outer()
"""

FILES = {
    "test_suite.py": SUITE,
    "test_absent.py": "import no_such_distribution_anywhere\n",
    "test_kills.py": "import os\nos.abort()\n",
    "pytest.ini": "[pytest]\naddopts = --strict -x\n",
}

EXPECTED = {
    "test_absent.py": Outcome.NOT_COLLECTED,
    "test_kills.py": Outcome.NOT_COLLECTED,
    "test_suite.py::test_odd[a b]": Outcome.PASSED,
    "test_suite.py::test_odd[[c - d]]": Outcome.PASSED,
    "test_suite.py::test_odd[x::y]": Outcome.PASSED,
    "test_suite.py::test_odd[e/f]": Outcome.FAILED,
    "test_suite.py::test_odd[\\xfc]": Outcome.PASSED,
    "test_suite.py::test_odd[#2]": Outcome.PASSED,
    "test_suite.py::test_odd[PASSED [100%]]": Outcome.PASSED,
    "test_suite.py::test_segmentation_fault": Outcome.CRASHED,
    "test_suite.py::test_sys_exit": Outcome.FAILED,
    "test_suite.py::test_os_exit": Outcome.CRASHED,
    "test_suite.py::test_fork_without_exec": Outcome.PASSED,
    "test_suite.py::test_skipped": Outcome.SKIPPED,
    "test_suite.py::test_xfailed": Outcome.XFAILED,
    "test_suite.py::test_xpassed": Outcome.XPASSED,
    "test_suite.py::test_xpassed_strictly": Outcome.FAILED,
    "test_suite.py::test_broken_fixture": Outcome.ERROR,
    "test_suite.py::test_untidy_fixture": Outcome.ERROR,
    "test_suite.py::TestCase::test_failed": Outcome.FAILED,
    "test_suite.py::TestCase::test_expected": Outcome.XFAILED,
    "test_suite.py::TestCase::test_unexpected": Outcome.FAILED,
    "test_suite.py::TestPlain::test_in_a_class": Outcome.PASSED,
    "test_suite.py::TestPlain::TestInner::test_in_two[::()::]": Outcome.FAILED,
    "test_suite.py::test_frames": Outcome.FAILED,
}


def outcomes(run: SuiteRun) -> dict[str, Outcome]:
    return {result.id: result.outcome for result in run.results}


def result_of(run: SuiteRun, identity: str):
    return next(result for result in run.results if result.id == identity)


@pytest.mark.parametrize("kind", others_slow(MATRIX, kept={MATRIX[-2]}), ids=str)
def test_every_outcome_is_known(
    run: Run, one_sandbox: Sandbox, build_environment: Build, plan: MakePlan, kind: Kind
) -> None:
    environment = build_environment(kind.python, f"pytest{kind.pytest}", instant=kind.instant)
    files = dict(FILES)
    if not kind.pytest:
        files["pytest.ini"] = "[pytest]\naddopts = --strict-markers -x -W error\n"
    done = run(one_sandbox, environment, files, plan("pytest"))
    assert outcomes(done) == EXPECTED, done.trouble
    assert (done.status, done.attempts) == ("completed", 4)
    assert done.suspicions == ()
    assert done.runner.startswith(f"pytest {kind.pytest.strip('=*')}")
    frames = result_of(done, "test_suite.py::test_frames").raised[-1].frames
    assert [frame.function for frame in frames] == ["test_frames", "outer", "inner"]
    assert {frame.file for frame in frames} == {"test_suite.py"}
    absent = result_of(done, "test_absent.py").raised
    assert absent[0].type == "ModuleNotFoundError"
    assert absent[0].frames[-1].file == "test_absent.py"


@pytest.mark.slow
@pytest.mark.parametrize("kind", others_slow(MATRIX, kept={MATRIX[1], MATRIX[-2]}), ids=str)
def test_a_conftest_that_does_not_import_is_broken(
    run: Run, one_sandbox: Sandbox, build_environment: Build, plan: MakePlan, kind: Kind
) -> None:
    environment = build_environment(kind.python, f"pytest{kind.pytest}", instant=kind.instant)
    files = {"conftest.py": "import absent_thing\n", "test_a.py": "def test_a(): pass\n"}
    done = run(one_sandbox, environment, files, plan("pytest"))
    assert (done.status, done.results) == ("broken", ())
    assert any("absent_thing" in one.message for one in done.raised)
    assert any(frame.file == "conftest.py" for one in done.raised for frame in one.frames)


@pytest.mark.slow
@pytest.mark.parametrize("kind", others_slow(MATRIX, kept={MATRIX[1]}), ids=str)
def test_a_test_of_a_class_is_chosen_by_its_id_of_any_pytest(
    run: Run, one_sandbox: Sandbox, build_environment: Build, plan: MakePlan, kind: Kind
) -> None:
    environment = build_environment(kind.python, f"pytest{kind.pytest}", instant=kind.instant)
    files = {"test_a.py": "class TestA(object):\n    def test_a(self): pass\n    def test_b(self): pass\n"}
    wanted = "test_a.py::TestA::test_b"
    for chosen in (wanted, "test_a.py::TestA::()::test_b"):
        done = run(one_sandbox, environment, files, plan("pytest"), only=[chosen])
        assert outcomes(done) == {wanted: Outcome.PASSED}
        assert done.results[0].file == "test_a.py"


XDIST = {
    "pytest.ini": "[pytest]\naddopts = -n 2\n",
    # a forked child that ran on would speak into the channel of its worker, which xdist does not survive
    "test_a.py": SUITE.replace("if os.fork() == 0:", "if False:").replace("os.wait()", "pass"),
    "test_absent.py": "import no_such_distribution_anywhere\n",
}


@pytest.mark.parametrize(
    ("python", "requirements", "instant"),
    [
        pytest.param("3.6", ("pytest==3.10.*", "pytest-xdist==1.24.*"), "2019-03-01T00:00:00Z", marks=SLOW),
        pytest.param("3.8", ("pytest==5.4.*", "pytest-xdist==1.34.*"), "2020-08-15T00:00:00Z", marks=SLOW),
        pytest.param("3.13", ("pytest", "pytest-xdist"), None, marks=SLOW),
    ],
)
def test_xdist_reports_come_from_the_controller_alone(
    run: Run,
    one_sandbox: Sandbox,
    build_environment: Build,
    plan: MakePlan,
    python: str,
    requirements: tuple[str, ...],
    instant: str | None,
) -> None:
    environment = build_environment(python, *requirements, instant=instant)
    done = run(one_sandbox, environment, XDIST, plan("pytest"))
    known = outcomes(done)
    expected = {
        one.replace("test_suite.py", "test_a.py"): outcome
        for one, outcome in EXPECTED.items()
        if one != "test_kills.py"
    }
    assert known == expected
    assert done.status == "completed"
    chosen = [
        *("test_a.py::test_frames", "test_a.py::test_odd[a b]"),
        "test_a.py::TestPlain::TestInner::test_in_two[::()::]",
    ]
    done = run(one_sandbox, environment, XDIST, plan("pytest"), only=chosen)
    assert {one for one in outcomes(done) if "::" in one} == set(chosen)
    raised = result_of(done, "test_a.py::test_frames").raised[-1]
    assert (raised.type, len(raised.frames)) == ("AttributeError", 3)


@pytest.mark.slow
def test_plugins_that_change_the_course(
    run: Run, one_sandbox: Sandbox, build_environment: Build, plan: MakePlan
) -> None:
    environment = build_environment(
        "3.13", "pytest<9", "pytest-asyncio", "pytest-rerunfailures", "pytest-randomly", "pytest-subtests",
        "pytest-timeout", "freezegun", "pytest-forked",
    )  # fmt: skip
    files = {
        "pytest.ini": "[pytest]\naddopts = --reruns 2 -p randomly -W error\nasyncio_mode = auto\n",
        "test_a.py": """
import time, pytest
tries = []
async def test_async(): pass
async def test_async_bad(): raise KeyError
def test_flaky():
    tries.append(1)
    assert len(tries) == 3
def test_never(): assert 0
def test_sub(subtests):
    with subtests.test("a"):
        assert 0
    with subtests.test("b"):
        pytest.skip("b")
def test_sub_skip(subtests):
    with subtests.test("b"):
        pytest.skip("b")
def test_frozen():
    from freezegun import freeze_time
    with freeze_time("2001-01-01"):
        time.sleep(0.1)
@pytest.mark.timeout(1)
@pytest.mark.flaky(reruns=0)
def test_slow(): time.sleep(20)
@pytest.mark.parametrize("n", range(5))
def test_many(n): pass
""",
    }
    done = run(one_sandbox, environment, files, plan("pytest"))
    assert dict(sorted(outcomes(done).items())) == {
        "test_a.py::test_async": Outcome.PASSED,
        "test_a.py::test_async_bad": Outcome.FAILED,
        "test_a.py::test_flaky": Outcome.PASSED,
        "test_a.py::test_frozen": Outcome.PASSED,
        **{f"test_a.py::test_many[{n}]": Outcome.PASSED for n in range(5)},
        "test_a.py::test_never": Outcome.FAILED,
        "test_a.py::test_slow": Outcome.FAILED,
        "test_a.py::test_sub": Outcome.FAILED,
        "test_a.py::test_sub_skip": Outcome.PASSED,
    }
    assert done.suspicions == ()
    assert 0.05 < result_of(done, "test_a.py::test_frozen").duration_s < 30
    assert result_of(done, "test_a.py::test_sub").raised[-1].type == "AssertionError"
    forked = run(
        one_sandbox,
        environment,
        {"test_a.py": SUITE, "pytest.ini": ""},
        plan("pytest", "--forked", "-p", "no:randomly"),
    )
    assert outcomes(forked)["test_a.py::test_frames"] is Outcome.FAILED
    assert forked.attempts == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("python", "requirement", "instant"),
    [
        pytest.param("3.8", "django==2.2.*", "2020-06-01T00:00:00Z", marks=SLOW),
        pytest.param("3.12", "django", None, marks=SLOW),
        ("3.13", "django", None),
    ],
)
def test_django(
    run: Run,
    one_sandbox: Sandbox,
    build_environment: Build,
    plan: MakePlan,
    python: str,
    requirement: str,
    instant: str | None,
) -> None:
    environment = build_environment(python, requirement, instant=instant)
    files = {
        "manage.py": """
import os, sys
if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "site_settings")
    from django.core.management import execute_from_command_line
    execute_from_command_line(sys.argv)
""",
        "site_settings.py": """
SECRET_KEY = "x"
INSTALLED_APPS = ["django.contrib.contenttypes", "django.contrib.auth", "polls"]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "db.sqlite3"}}
USE_TZ = True
""",
        "polls/__init__.py": "",
        "polls/tests/__init__.py": "",
        "polls/tests/test_absent.py": "import no_such_distribution\n",
        "polls/tests/test_polls.py": """
import ctypes, unittest
from django.contrib.auth.models import User
from django.test import SimpleTestCase, TestCase

class Polls(TestCase):
    @classmethod
    def setUpTestData(cls):
        User.objects.create(username="u")
    def test_good(self):
        self.assertEqual(User.objects.count(), 1)
    def test_bad(self):
        with self.subTest("s"):
            self.assertEqual(User.objects.count(), 2)
    def test_crash(self):
        ctypes.string_at(0)
    @unittest.skip("not today")
    def test_skipped(self):
        pass

class Broken(TestCase):
    @classmethod
    def setUpTestData(cls):
        raise LookupError("no data")
    def test_one(self):
        pass

class Simple(SimpleTestCase):
    def test_last(self):
        pass
""",
    }
    prefix = "polls.tests.test_polls."
    expected = {
        "polls.tests.test_absent": Outcome.NOT_COLLECTED,
        prefix + "Polls.test_good": Outcome.PASSED,
        prefix + "Polls.test_bad": Outcome.FAILED,
        prefix + "Polls.test_crash": Outcome.CRASHED,
        prefix + "Polls.test_skipped": Outcome.SKIPPED,
        prefix + "Broken.test_one": Outcome.ERROR,
        prefix + "Simple.test_last": Outcome.PASSED,
    }
    done = run(one_sandbox, environment, files, plan("django", "--parallel", "2"))
    assert outcomes(done) == expected, done.trouble
    assert (done.status, done.attempts) == ("completed", 2)
    assert done.runner.startswith("django ")
    assert done.suspicions == ()
    done = run(one_sandbox, environment, files, plan("django", targets=("polls.tests.test_polls.Simple",)))
    assert outcomes(done) == {prefix + "Simple.test_last": Outcome.PASSED}
    (files_broken := dict(files))["site_settings.py"] = "raise LookupError('settings')\n"
    done = run(one_sandbox, environment, files_broken, plan("django"))
    assert done.status == "broken"
    assert done.raised[-1].type == "LookupError"
