"""A suite of nose, run with pytest, has what nose calls around the tests of plain classes."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from backdate.environments.environment import Environment
from backdate.recipes.recipe import NOSE_SETUPS, SuitePlan
from backdate.sandboxes.interface import Sandbox
from backdate.testing.outcomes import Outcome, SuiteRun

SUITE = """
import functools
import sys
import unittest

calls = []

def with_value(test):
    @functools.wraps(test)
    def called(*args, **kwargs):
        return test(*(args + (1,)), **kwargs)
    return called

@with_value
def test_given(value):
    assert value == 1

def test_closes_its_output():
    print("something")
    assert sys.stdout.getvalue() == "something\\n"
    sys.stdout.close()

class Base(object):
    @classmethod
    def setUpClass(cls):
        calls.append("class")

    @classmethod
    def tearDownClass(cls):
        calls.append("end of class")

    def setUp(self):
        self.value = 1
        calls.append("test")

    def tearDown(self):
        calls.append("end of test")

class TestFirst(Base):
    def test_value(self):
        assert self.value == 1

    def test_other(self):
        assert self.value == 1
        self.value = 2

class TestMethods(object):
    @classmethod
    def setup_class(cls):
        cls.made = getattr(cls, "made", 0) + 1

    def setUp(self):
        self.tests = getattr(self, "tests", 0) + 1

    def test_once(self):
        assert (self.made, self.tests) == (1, 1)

    @with_value
    def test_given(self, value):
        assert value == 1

class TestUnit(unittest.TestCase):
    def setUp(self):
        self.count = getattr(self, "count", 0) + 1

    def test_once(self):
        self.assertEqual(self.count, 1)

class TestZeroFails(object):
    def tearDown(self):
        raise ValueError("after")

    def test_passes(self):
        pass

def test_order():
    once = ["test", "end of test"]
    assert calls == ["class"] + 2 * once + ["end of class"]
"""


@pytest.mark.network
@pytest.mark.slow
@pytest.mark.parametrize(
    ("version", "wanted"), [("3.6", "pytest<4"), ("3.8", "pytest<7"), ("3.12", "pytest")]
)
def test_plain_classes_have_what_nose_calls(
    run: Callable[..., SuiteRun],
    one_sandbox: Sandbox,
    build_environment: Callable[..., Environment],
    plan: Callable[..., SuitePlan],
    version: str,
    wanted: str,
) -> None:
    environment = build_environment(version, wanted, instant="2025-02-01T00:00:00Z")
    done = run(one_sandbox, environment, {"test_it.py": SUITE}, plan("pytest", **{NOSE_SETUPS: "1"}))
    outcomes = {test.id.partition("::")[2]: test.outcome for test in done.results}
    assert outcomes.pop("TestZeroFails::test_passes") == Outcome.ERROR
    assert set(outcomes.values()) == {Outcome.PASSED}
    assert len(outcomes) == 8
    alone = run(one_sandbox, environment, {"test_it.py": SUITE}, plan("pytest"))
    kept = {test.id.partition("::")[2] for test in alone.results if test.outcome == Outcome.PASSED}
    assert kept == {"TestUnit::test_once", "TestZeroFails::test_passes"}


@pytest.mark.network
@pytest.mark.slow
def test_nose_itself_runs_the_same(tmp_path: Path, build_environment: Callable[..., Environment]) -> None:
    environment = build_environment("3.8", "nose", instant="2021-01-01T00:00:00Z")
    (tmp_path / "test_it.py").write_text(SUITE)
    done = subprocess.run(
        [str(environment.python), "-m", "nose"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "Ran 9 tests" in done.stderr
    assert "FAILED (errors=1)" in done.stderr
    assert "ValueError: after" in done.stderr
