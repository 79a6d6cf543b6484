from pathlib import Path

import pytest

from backdate.recipes.basic import basic_recipe, install_steps, requirement_steps
from backdate.recipes.declared import read_declared

UNITTEST = "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n"
PYTEST = "def test_a():\n    assert 1\n"
DJANGO = "from django.test import TestCase\nclass A(TestCase):\n    def test_a(self): pass\n"


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize(
    ("files", "runner", "targets"),
    [
        (
            {"tests/test_a.py": UNITTEST, "tests/test_b.py": UNITTEST},
            "unittest",
            ("tests.test_a", "tests.test_b"),
        ),
        ({"tests/test_a.py": UNITTEST, "tests/test_b.py": PYTEST}, "pytest", ()),
        ({"tests/test_a.py": "import pytest\n" + UNITTEST}, "pytest", ()),
        ({"tests/test_a.py": UNITTEST, "setup.cfg": "[tool:pytest]\n"}, "pytest", ()),
        ({"app/tests.py": DJANGO, "manage.py": "x=1\n"}, "django", ()),
        ({"pkg/tests/__init__.py": UNITTEST}, "unittest", ("pkg.tests",)),
        ({"test-odd-name.py": UNITTEST}, "pytest", ("test-odd-name.py",)),
        ({"test_a.py": UNITTEST + "def test_helper(size): return size\n"}, "unittest", ("test_a",)),
        ({"test_a.py": UNITTEST + "def test_more(): assert 1\n"}, "pytest", ()),
        ({"test_a.py": "def test_with_a_fixture(size): pass\n"}, "pytest", ()),
        ({"test/helper.py": "x=1\n", "test/check_it.py": UNITTEST}, "pytest", ("test/check_it.py",)),
    ],
)
def test_the_runner(tmp_path: Path, files: dict[str, str], runner: str, targets: tuple[str, ...]) -> None:
    recipe = basic_recipe(write(tmp_path, files))
    assert recipe is not None
    assert (recipe.test.runner, recipe.test.targets) == (runner, targets)
    asked = [package for step in recipe.install for package in step.packages]
    assert ("pytest" in asked) == (runner == "pytest")


@pytest.mark.parametrize(
    "files",
    [
        {"a.py": "x=1\n"},
        {"test_a.py": "x = 'test'\n"},
        {"test_a.py": "def test_a(:\n"},
        {"venv/lib/test_a.py": PYTEST},
        {".hidden/test_a.py": PYTEST},
        {"test_a.py": "(" * 5000},
    ],
)
def test_projects_without_tests(tmp_path: Path, files: dict[str, str]) -> None:
    assert basic_recipe(write(tmp_path, files)) is None


def test_requirement_files(tmp_path: Path) -> None:
    names = [
        *("requirements.txt", "requirements-test.txt", "requirements-dev.txt", "dev-requirements.txt"),
        *("requirements-docs.txt", "test_requirements.txt", "requirements/base.txt", "notes.txt"),
        *("requirements/prod.in", "requirements/prod.txt", "requirements/docs.txt"),
    ]
    write(tmp_path, dict.fromkeys(names, ""))
    assert [step.file for step in requirement_steps(tmp_path)] == [
        "requirements.txt",
        "requirements/base.txt",
        "requirements/prod.txt",
        "requirements-test.txt",
        "test_requirements.txt",
    ]


def test_development_files_stand_in_for_test_files(tmp_path: Path) -> None:
    write(tmp_path, {"requirements.txt": "", "requirements-dev.txt": ""})
    assert [step.file for step in requirement_steps(tmp_path)] == ["requirements.txt", "requirements-dev.txt"]


def test_links_are_not_requirement_files(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").symlink_to("/etc/passwd")
    assert requirement_steps(tmp_path) == []


def test_extras_and_groups(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "tests/test_a.py": PYTEST,
            "pyproject.toml": """
[project]
name = "a"
[project.optional-dependencies]
test = ["x"]
docs = ["sphinx"]
[dependency-groups]
test = ["y", {include-group = "lint"}, {include-group = "test"}]
lint = ["z"]
""",
        },
    )
    recipe = basic_recipe(tmp_path)
    assert recipe is not None
    project, group, runner = recipe.install
    assert project.extras == ("test",)
    assert group.packages == ("y", "z")
    assert runner.packages == ("pytest",)
    assert [step.kind for step in install_steps(tmp_path)] == ["project"]
    assert install_steps(tmp_path)[0].extras == ()


@pytest.mark.parametrize(
    ("files", "extras", "groups"),
    [
        ({"setup.cfg": "[metadata]\nname=a\n[options.extras_require]\ntests = a\n"}, ["tests"], []),
        (
            {"setup.py": "from setuptools import setup\nE={'dev':['a']}\nsetup(extras_require=E)\n"},
            ["dev"],
            [],
        ),
        (
            {"pyproject.toml": "[tool.poetry]\nname='a'\n[tool.poetry.dev-dependencies]\npytest='^6'\n"},
            [],
            [("dev", ("pytest>=6,<7",))],
        ),
        (
            {"pyproject.toml": "[tool.poetry.group.test.dependencies]\npytest='*'\n"},
            [],
            [("test", ("pytest",))],
        ),
        ({"pyproject.toml": "[tool.pdm.dev-dependencies]\ntest=['pytest']\n"}, [], [("test", ("pytest",))]),
        ({"pyproject.toml": "[tool.hatch.envs.test]\ndependencies=['a']\n"}, [], [("test", ("a",))]),
        ({"Pipfile": "[dev-packages]\npytest = '*'\nme = {path = '.'}\n"}, [], [("dev", ("pytest",))]),
        ({"pyproject.toml": "not toml ["}, [], []),
        ({"setup.py": "import os; os.system('touch /tmp/ran-by-backdate')\nsetup("}, [], []),
        ({"setup.cfg": "no section\n"}, [], []),
    ],
)
def test_what_metadata_declares(
    tmp_path: Path, files: dict[str, str], extras: list[str], groups: list[tuple[str, tuple[str, ...]]]
) -> None:
    declared = read_declared(write(tmp_path, files))
    assert [name for name, _ in declared.extras] == extras
    assert [(name, packages) for name, packages, _ in declared.groups] == groups


def test_tests_require(tmp_path: Path) -> None:
    write(tmp_path, {"setup.py": "import setuptools\nsetuptools.setup(tests_require=['nose', 'mock'])\n"})
    assert read_declared(tmp_path).tests_require == ("nose", "mock")
