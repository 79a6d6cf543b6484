"""Suites that only the project's own program can run."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.recipes.files import Files
from backdate.recipes.recipe import Provenance, Recipe, SuitePlan
from backdate.recipes.repair.own_program import own_program, own_program_for_its_server
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import RepairContext, Rule
from backdate.recipes.repair.setup_failure import Problem, read_failure

SERVER = """\
import unittest


class TestPages(unittest.TestCase):
    def test_it(self):
        get("http://127.0.0.1:8097")


if __name__ == "__main__":
    start_server()
    unittest.main()
"""
IMPORTS = SERVER.replace("    start_server()\n", "    from shop import get\n")
REFUSED = Problem(type="urllib.error.URLError", message="<urlopen error [Errno 111] Connection refused>")
UNKNOWN = Problem(type="NameError", message="name 'get' is not defined", files=("test/pages.py",))


def proposed(
    rule: Rule,
    root: Path,
    files: dict[str, str],
    *problems: Problem,
    passed: int = 0,
    runner: str = "unittest",
) -> list[Repair]:
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text)
    failure = read_failure(
        phase="tests",
        status="completed",
        texts=[],
        problems=list(problems),
        python="3.8.18",
        instant=datetime(2021, 3, 1, tzinfo=UTC),
        passed=passed,
        ran=passed + 1,
    )
    plan = SuitePlan(runner=runner, targets=("tests",), provenance=Provenance(rule="a test"))  # type: ignore[arg-type]
    context = RepairContext(
        failure=failure,
        recipe=Recipe(install=(), test=plan),
        files=Files(root),
        index_facts=object(),  # type: ignore[arg-type]
    )
    return list(rule(context))


def test_a_program_that_may_start_the_server_of_the_tests(tmp_path: Path) -> None:
    files = {"tests/run_tests.py": SERVER}
    (repair,) = proposed(own_program_for_its_server, tmp_path, files, REFUSED, passed=9)
    assert (repair.recipe.test.runner, repair.recipe.test.targets) == ("program", ("tests/run_tests.py",))
    assert proposed(own_program_for_its_server, tmp_path, files, UNKNOWN, passed=9) == []
    assert proposed(own_program_for_its_server, tmp_path, files, REFUSED, passed=9, runner="program") == []


def test_a_file_of_tests_that_imports_what_it_tests_as_a_program_alone(tmp_path: Path) -> None:
    (repair,) = proposed(own_program, tmp_path, {"test/pages.py": IMPORTS}, UNKNOWN)
    assert (repair.recipe.test.runner, repair.recipe.test.targets) == ("program", ("test/pages.py",))


@pytest.mark.parametrize(
    ("text", "problem", "passed"),
    [
        (IMPORTS, UNKNOWN, 3),
        (IMPORTS, REFUSED, 0),
        (IMPORTS.replace("__main__", "main"), UNKNOWN, 0),
        (IMPORTS.replace("unittest.main()", "print()"), UNKNOWN, 0),
    ],
)
def test_no_other_file_is_a_program(tmp_path: Path, text: str, problem: Problem, passed: int) -> None:
    assert proposed(own_program, tmp_path, {"test/pages.py": text}, problem, passed=passed) == []
