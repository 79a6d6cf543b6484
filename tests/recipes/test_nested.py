"""Repositories whose projects lie in folders below the root."""

from __future__ import annotations

from pathlib import Path

from backdate.recipes.extract import extract_recipes
from backdate.recipes.files import Files
from backdate.recipes.nested import nested_recipe

PROJECT = "[project]\nname = '{name}'\nversion = '1.0'\noptional-dependencies.test = ['six']\n"
TEST = "def test_it():\n    assert True\n"


def project(root: Path, folder: str, *, tested: bool = True) -> None:
    """An installable project in a folder."""
    (root / folder / "tests").mkdir(parents=True)
    (root / folder / "pyproject.toml").write_text(PROJECT.format(name=folder.rpartition("/")[2]))
    if tested:
        (root / folder / "tests" / "test_it.py").write_text(TEST)


def test_each_project_is_installed_and_tested_in_its_folder(tmp_path: Path) -> None:
    project(tmp_path, "core")
    project(tmp_path, "plugins/web")
    project(tmp_path, "plugins/untested", tested=False)
    project(tmp_path, "examples/shop")
    project(tmp_path, "tests/helpers")
    (tmp_path / "core" / "requirements.txt").write_text("attrs\n")
    (tmp_path / "dev-requirements.txt").write_text("pytest<8\n")
    (tmp_path / "requirements.txt").write_text("six\n")
    recipe = nested_recipe(Files(tmp_path))
    assert recipe is not None
    installed = [(step.kind, step.file or step.packages, step.extras) for step in recipe.install]
    assert installed == [
        ("requirements", "requirements.txt", ()),
        ("requirements", "dev-requirements.txt", ()),
        ("requirements", "core/requirements.txt", ()),
        ("project", "core", ("test",)),
        ("packages", ("pytest",), ()),
        ("project", "plugins/untested", ()),
        ("project", "plugins/web", ("test",)),
        ("project", "tests/helpers", ()),
    ]
    plans = [(plan.cwd, plan.arguments) for plan in (recipe.test, *recipe.further_tests)]
    assert plans == [("core", ("--rootdir=..",)), ("plugins/web", ("--rootdir=../..",))]
    assert recipe.test.provenance.file == "core/tests/test_it.py"


def test_of_more_suites_than_are_run_the_largest_are(tmp_path: Path) -> None:
    for number in range(10):
        project(tmp_path, f"p{number}")
        tests = "\n".join(f"def test_{one}(): pass" for one in range(number + 1))
        (tmp_path / f"p{number}" / "tests" / "test_it.py").write_text(tests)
    recipe = nested_recipe(Files(tmp_path))
    assert recipe is not None
    assert sum(step.kind == "project" for step in recipe.install) == 10
    assert [plan.cwd for plan in (recipe.test, *recipe.further_tests)] == [f"p{n}" for n in range(9, 1, -1)]


def test_it_is_tried_before_what_the_root_declares(tmp_path: Path) -> None:
    project(tmp_path, "backend")
    first, *_ = extract_recipes(tmp_path).candidates
    assert [step.file for step in first.install if step.kind == "project"] == ["backend"]


def test_several_are_tried_before_the_job_of_ci_that_tests_one(tmp_path: Path) -> None:
    project(tmp_path, "core")
    project(tmp_path, "web")
    (tmp_path / "tox.ini").write_text("[testenv]\ndeps = pytest\ncommands = pytest core\n")
    (tmp_path / ".travis.yml").write_text(
        "language: python\ninstall: pip install ./core pytest\nscript: pytest core\n"
    )
    rules = [recipe.provenance.rule for recipe in extract_recipes(tmp_path).candidates if recipe.provenance]
    assert rules[:2] == ["the projects in folders of their own", "Travis CI, the build"]


def test_a_root_that_is_a_project_itself_and_projects_to_try_out_are_left_alone(tmp_path: Path) -> None:
    project(tmp_path, "docs/example")
    assert nested_recipe(Files(tmp_path)) is None
    project(tmp_path, ".")
    project(tmp_path, "backend")
    rules = [recipe.provenance.rule for recipe in extract_recipes(tmp_path).candidates if recipe.provenance]
    assert rules == ["what the metadata and requirements files declare"]


def test_tests_of_unittest_are_run_by_pytest_where_another_project_needs_that(tmp_path: Path) -> None:
    project(tmp_path, "core")
    project(tmp_path, "web")
    case = "import unittest\nclass TestIt(unittest.TestCase):\n    def test_it(self):\n        pass\n"
    (tmp_path / "web" / "tests" / "test_it.py").write_text(case)
    recipe = nested_recipe(Files(tmp_path))
    assert recipe is not None
    plans = [(plan.runner, plan.targets, plan.arguments) for plan in (recipe.test, *recipe.further_tests)]
    assert plans == [("pytest", (), ("--rootdir=..",))] * 2


def test_a_repository_most_of_whose_tests_are_elsewhere_is_none(tmp_path: Path) -> None:
    project(tmp_path, "core")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_all.py").write_text("def test_a(): pass\ndef test_b(): pass\n")
    assert nested_recipe(Files(tmp_path)) is None


def test_links_are_not_followed(tmp_path: Path) -> None:
    project(tmp_path / "elsewhere", "backend")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "backend").symlink_to(tmp_path / "elsewhere" / "backend")
    assert nested_recipe(Files(tmp_path / "root")) is None


def test_a_collection_of_many_is_none(tmp_path: Path) -> None:
    for number in range(30):
        project(tmp_path, f"p{number}")
    assert nested_recipe(Files(tmp_path)) is None


def test_what_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    project(tmp_path, "core")
    project(tmp_path, "broken")
    (tmp_path / "broken" / "pyproject.toml").write_text("[project\n")
    recipe = nested_recipe(Files(tmp_path))
    assert recipe is not None
    assert [step.file for step in recipe.install if step.kind == "project"] == ["core"]
