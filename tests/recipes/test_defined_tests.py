"""The tests that files define, and how many of them ran under whichever names."""

from pathlib import Path

import pytest

from backdate.recipes.defined_tests import DefinedTests, defined_tests, doctests_among
from backdate.recipes.suite import plan_tests

UNITTEST = """\
import unittest
def test_helper(case): pass
class A(unittest.TestCase):
    def test_one(self): pass
    def test_two(self): pass
    def helper(self): pass
class B(A):
    class Inner(unittest.TestCase):
        def test_one(self): pass
"""


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_functions_and_methods_count_and_helpers_do_not(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        {
            "tests/test_a.py": UNITTEST,
            "tests/test_b.py": "import pytest\ndef test_one(): pass\nasync def test_three(x): pass\n",
            "pkg/code.py": "def test_connection(): pass\n",
        },
    )
    assert dict(defined_tests(root).names) == {"test_one": 3, "test_two": 1, "test_three": 1}


@pytest.mark.parametrize("folder", ["tests/data", "tests/fixtures", "docs", "vendor", "{{name}}", "examples"])
def test_files_that_tests_read_and_other_projects_are_left_out(tmp_path: Path, folder: str) -> None:
    root = write(tmp_path, {f"{folder}/tests/test_a.py": "def test_one(): pass\n"})
    assert defined_tests(root).count == 0


@pytest.mark.parametrize(
    ("ids", "covered"),
    [
        (["tests/a.py::test_one[1]", "tests/a.py::test_one[2-x::y.z]", "tests/a.py::A::test_one[3]"], 2),
        (["tests.a.A.test_one", "tests.b.B.test_one", "tests.c.C.test_one"], 2),
        (["tests.a.A.test_two_1_of_two", "tests.a.A.test_two_0", "a.py::test_two#2"], 1),
        (["test_two (tests.a.A)"], 1),
        (["README.md::README.md", "a.py::A::check"], 0),
        ([], 0),
    ],
)
def test_a_function_counts_no_oftener_than_it_is_defined(ids: list[str], covered: int) -> None:
    assert DefinedTests(names={"test_one": 2, "test_two": 1}).covered_by(ids) == covered


DESCRIBED = """
from pytest import fixture

def describe_a_list():
    @fixture
    def one():
        return [1]

    def _helper():
        pass

    def has_a_length(one):
        assert len(one) == 1

    def describe_when_empty():
        def is_false():
            assert not []

def describe():
    return "a plain function"
"""


def test_functions_of_pytest_describe_are_tests(tmp_path: Path) -> None:
    root = write(tmp_path, {"tests/test_a.py": DESCRIBED, "tests/other.py": "def describe_it(): return 1\n"})
    defined = defined_tests(root)
    assert dict(defined.names) == {"has_a_length": 1, "is_false": 1}
    ids = ("tests/test_a.py::describe_a_list::has_a_length", "tests/test_a.py::describe_a_list::x::is_false")
    assert defined.covered_by(ids) == 2
    plan = plan_tests(root)
    assert plan is not None
    assert plan.runner == "pytest"


@pytest.mark.parametrize(
    ("files", "runner", "targets"),
    [
        ({"tests/test_a.py": UNITTEST}, "unittest", ("tests.test_a",)),
        # the standard library has a package of this name, which is imported instead of a folder that is none
        ({"test/test_a.py": UNITTEST}, "pytest", ()),
        ({"test/__init__.py": "", "test/test_a.py": UNITTEST}, "unittest", ("test.test_a",)),
        # pytest finds no file of this name by itself
        ({"src/pkg/tests.py": "def test_one(): pass\n"}, "pytest", ("src/pkg/tests.py",)),
        (
            {"pkg/tests.py": "def test_one(): pass\n", "pkg/test_a.py": "def test_one(): pass\n"},
            "pytest",
            (),
        ),
        (
            {
                "pkg/tests.py": "def test_one(): pass\n",
                "setup.cfg": "[tool:pytest]\npython_files = tests.py\n",
            },
            "pytest",
            (),
        ),
    ],
)
def test_the_runner_and_what_it_is_given_by_name(
    tmp_path: Path, files: dict[str, str], runner: str, targets: tuple[str, ...]
) -> None:
    plan = plan_tests(write(tmp_path, files))
    assert plan is not None
    assert (plan.runner, plan.targets) == (runner, targets)


def test_doctests_are_told_from_functions() -> None:
    ids = [
        "m/a.py::m.a.f",
        "a.py::a.C.m",
        "docs/usage.txt::usage.txt",
        "t.py::test_a[x.y]",
        "t.py::C::test_b",
        "t.C.test_d",
    ]
    assert doctests_among(ids) == 3
