"""Audits of real suites: which tests assert something."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import builders
import pytest
from patience import PATIENCE_S

from backdate.environments.environment import Environment
from backdate.recipes.recipe import SuitePlan
from backdate.sandboxes.interface import Limits, Sandbox
from backdate.testing.changed_tests.audit import audit_suite
from backdate.testing.changed_tests.audit_result import AuditFinding, SuiteAudit
from backdate.testing.changed_tests.changed_tree import (
    SecretChange,
    candidates_in,
    make_change,
    write_changed,
)
from backdate.testing.changed_tests.kinds import JUDGING_KINDS
from backdate.testing.outcomes import SuiteRun
from backdate.testing.run import run_suite

FINDINGS = {
    "test_good": AuditFinding.ASSERTS,
    "test_parameters": AuditFinding.ASSERTS,
    "Cases.test_good": AuditFinding.ASSERTS,
    "Cases.test_long": AuditFinding.ASSERTS,
    "Cases.test_swallowed": AuditFinding.NOT_REACHED,
    "Cases.test_either": AuditFinding.OPPOSITE_HOLDS,
    "Cases.test_left": AuditFinding.NOT_REACHED,
}
CASES = """
import functools, unittest

def calm(test):
    @functools.wraps(test)
    def called(self):
        try:
            test(self)
        except AssertionError:
            pass
    return called

class Both:
    def __eq__(self, other):
        return True
    def __ne__(self, other):
        return True
    __hash__ = None

class Cases(unittest.TestCase):
    def test_good(self):
        self.assertEqual(1 + 1, 2)

    def test_long(self):
        self.assertEqual(list(range(10_000)), list(range(10_000)))

    @calm
    def test_swallowed(self):
        self.assertEqual(1 + 1, 2)

    def test_either(self):
        self.assertEqual(Both(), 2)

    def test_left(self):
        if self:
            return
        self.assertTrue(True)

    @unittest.expectedFailure
    def test_expected_to_fail(self):
        self.assertEqual(1 + 1, 3)

    def test_without_assertion(self):
        str(1)
"""
FUNCTIONS = """
import pytest

def test_good():
    assert 1 + 1 == 2

@pytest.mark.parametrize("number", [1, 2])
def test_parameters(number):
    assert number == number

@pytest.mark.xfail
def test_xfail():
    assert 1 == 2

def test_failing():
    assert 1 == 2
"""
DJANGO = {
    "manage.py": """
import os, sys
if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "site_settings")
    from django.core.management import execute_from_command_line
    execute_from_command_line(sys.argv)
""",
    "site_settings.py": "SECRET_KEY = 'x'\nINSTALLED_APPS = ['shapes']\nUSE_TZ = True\n",
    "shapes/__init__.py": "",
    "shapes/tests.py": CASES.replace(
        "import functools, unittest", "import functools, unittest\nimport django.test"
    ).replace("class Cases(unittest.TestCase)", "class Cases(django.test.SimpleTestCase)"),
}
RunSuite = Callable[..., SuiteRun]


class Suite:
    """A suite whose tree lies in ``folder``."""

    def __init__(
        self,
        sandbox: Sandbox,
        environment: Environment,
        plan: SuitePlan,
        folder: Path,
        files: Mapping[str, str],
    ) -> None:
        self.sandbox, self.environment, self.plan, self.folder = sandbox, environment, plan, folder
        self.tree = folder / "tree"
        for name, text in files.items():
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / name).write_text(text)
        self.reruns: list[tuple[str, int]] = []
        self.whole = self.run(self.tree, (), "whole")

    def run(self, tree: Path, only: Sequence[str], name: str) -> SuiteRun:
        return run_suite(
            self.sandbox,
            self.environment,
            tree,
            self.plan,
            limits=Limits(wall_s=PATIENCE_S, memory_bytes=1024 * 1024 * 1024),
            log_folder=self.folder / name,
            only=only or None,
        )

    def rerun(self, tree: Path, only: Sequence[str], name: str) -> SuiteRun:
        self.reruns.append((name, len(only)))
        return self.run(tree, only, name)

    def audit(self, most: int | None = None, seed: int = 1) -> SuiteAudit:
        return audit_suite(self.whole, self.tree, self.folder / "scratch", self.rerun, most=most, seed=seed)


def found_in(audit: SuiteAudit) -> dict[str, AuditFinding]:
    return {one.function: one.finding for one in audit.functions}


@pytest.mark.slow
@pytest.mark.parametrize("runner", ["pytest", pytest.param("unittest", marks=pytest.mark.slow)])
def test_what_asserts_nothing_is_found(one_sandbox, bare_pytest, plan, tmp_path, runner) -> None:
    files = {"test_cases.py": CASES}
    if runner == "pytest":
        files["test_functions.py"] = FUNCTIONS
    suite = Suite(one_sandbox, bare_pytest, plan(runner), tmp_path, files)
    audit = suite.audit()
    expected = {name: one for name, one in FINDINGS.items() if runner == "pytest" or "." in name}
    assert found_in(audit) == expected
    assert audit.available == len(expected)
    assert audit.not_changeable == 1  # test_without_assertion
    assert {one.function for one in audit.asserting_nothing} == {
        "Cases.test_swallowed",
        "Cases.test_either",
        "Cases.test_left",
    }
    parameters = next((one for one in audit.functions if one.function == "test_parameters"), None)
    assert parameters is None or len(parameters.tests) == 2
    assert [name for name, _ in suite.reruns] == ["inverted", "inverted-again", "replaced"]


@pytest.mark.network
@pytest.mark.slow
def test_django(one_sandbox, build_environment, plan, tmp_path) -> None:
    suite = Suite(one_sandbox, build_environment("3.13", "django"), plan("django"), tmp_path, DJANGO)
    assert found_in(suite.audit()) == {name: one for name, one in FINDINGS.items() if "." in name}
    _check_each_kind(suite, "shapes/tests.py", "Cases.test_good")


@pytest.mark.parametrize("runner", ["pytest", pytest.param("unittest", marks=pytest.mark.slow)])
def test_each_kind_of_change_fails_by_itself(one_sandbox, bare_pytest, plan, tmp_path, runner) -> None:
    suite = Suite(one_sandbox, bare_pytest, plan(runner), tmp_path, {"test_cases.py": CASES})
    _check_each_kind(suite, "test_cases.py", "Cases.test_good")


def _check_each_kind(suite: Suite, file: str, function: str) -> None:
    import random

    candidates = {one.kind: one for one in candidates_in(suite.tree, file) or () if one.function == function}
    assert candidates.keys() >= set(JUDGING_KINDS)
    for kind in JUDGING_KINDS:
        change = make_change(file, candidates[kind], random.Random(1))
        write_changed(suite.tree, suite.folder / "changed", [change])
        results = suite.run(suite.folder / "changed", (), kind).results
        assert [change.caused(one) for one in results if change.concerns(one)] == [True]
        others = {one.id: one.outcome for one in results if not change.concerns(one)}
        assert others == {one.id: one.outcome for one in suite.whole.results if not change.concerns(one)}


def _suite_of(tree: Path, count: int) -> SuiteRun:
    (tree / "test_a.py").write_text(
        "".join(f"def test_{n}():\n    assert {n}\n" for n in range(1, count + 1))
    )
    return builders.run(*(builders.result(f"test_a.py::test_{n}") for n in range(1, count + 1)))


def test_a_bounded_number_is_chosen_by_the_seed(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    whole = _suite_of(tree, 20)
    asked: list[tuple[str, ...]] = []

    def vanished(changed: Path, only: Sequence[str], name: str) -> SuiteRun:
        asked.append(tuple(only))
        return builders.run()

    def audit(seed: int, most: int | None) -> SuiteAudit:
        asked.clear()
        return audit_suite(whole, tree, tmp_path / "scratch", vanished, most=most, seed=seed)

    first = audit(1, 4)
    assert {one.finding for one in first.functions} == {AuditFinding.UNPROVEN}
    assert (len(first.functions), first.available, first.seed) == (4, 20, 1)
    assert [len(only) for only in asked] == [4, 0]  # what is unclear runs again in the whole suite
    assert audit(1, 4) == first
    assert found_in(audit(2, 4)) != found_in(first)
    assert len(audit(1, None).functions) == len(audit(1, 99).functions) == 20
    assert asked[0] == ()


def test_without_an_environment_nothing_is_said(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    audit = audit_suite(_suite_of(tree, 2), tree, tmp_path / "scratch", lambda *_: None, most=None, seed=1)
    assert audit.count(AuditFinding.UNPROVEN) == 2
    assert audit.asserting_nothing == ()


def test_a_secret_that_another_test_raises_is_no_proof(tmp_path: Path) -> None:
    """The failure must be the changed function's own."""
    tree = tmp_path / "tree"
    tree.mkdir()
    whole = _suite_of(tree, 1)
    candidate = (candidates_in(tree, "test_a.py") or ())[0]
    change = SecretChange(file="test_a.py", candidate=candidate, secret="0123")
    assert not change.caused(whole.results[0])
