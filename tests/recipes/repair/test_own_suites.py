"""Files that say themselves which tests they have."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.recipes.files import Files
from backdate.recipes.recipe import Provenance, Recipe, SuitePlan
from backdate.recipes.repair.own_suites import own_suites
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import RepairContext
from backdate.recipes.repair.setup_failure import Problem, read_failure

SUITE = """\
import unittest


class Base(unittest.TestCase):
    def test_it(self):
        self.parse("a")


class TestOne(Base):
    def parse(self, text):
        return text


def test_main():
    suite = unittest.TestSuite()
    suite.addTests(unittest.makeSuite(TestOne))
    return suite
"""


def proposed(
    root: Path, text: str, *, targets: tuple[str, ...] = ("tests.py",), **plan: object
) -> list[Repair]:
    (root / "tests.py").write_text(text)
    failure = read_failure(
        phase="tests",
        status="completed",
        texts=[],
        problems=[Problem(type="AttributeError", message="'Base' object has no attribute 'parse'")],
        python="3.8.18",
        instant=datetime(2021, 3, 1, tzinfo=UTC),
    )
    written = {"runner": "pytest", "targets": targets, "provenance": Provenance(rule="a test"), **plan}
    recipe = Recipe(install=(), test=SuitePlan(**written))  # type: ignore[arg-type]
    context = RepairContext(failure=failure, recipe=recipe, files=Files(root), index_facts=object())  # type: ignore[arg-type]
    return list(own_suites(context))


def test_unittest_runs_what_the_file_gives(tmp_path: Path) -> None:
    (repair,) = proposed(tmp_path, SUITE)
    assert repair.recipe.test.runner == "unittest"
    assert repair.recipe.test.targets == ("tests.test_main",)
    assert repair.recipe.test.provenance.rule == "repair: the file's own suite"


@pytest.mark.parametrize(
    "text",
    [
        SUITE.replace("def test_main():", "def test_main(loader):"),
        SUITE.replace("def test_main", "def helper"),
        SUITE.replace("    return suite\n", ""),
        SUITE[: SUITE.index("def test_main")] + "def test_main():\n    return 1\n",
        "def (",
    ],
)
def test_a_file_without_such_a_function_stays_with_pytest(tmp_path: Path, text: str) -> None:
    assert proposed(tmp_path, text) == []


def test_only_files_that_are_named_and_without_arguments(tmp_path: Path) -> None:
    assert proposed(tmp_path, SUITE, targets=()) == []
    assert proposed(tmp_path, SUITE, targets=("tests.py", "other.py")) == []
    assert proposed(tmp_path, SUITE, arguments=("-k", "one")) == []
    assert proposed(tmp_path, SUITE, runner="unittest") == []
