"""A proven recipe becomes settings, with which the project's files come to it again."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from backdate.configuration.documents import read_project_configuration
from backdate.configuration.writing import file_with_settings, place_of_settings
from backdate.errors import ConfigurationError
from backdate.recipes.configured import configured_recipes
from backdate.recipes.extract import extract_recipes
from backdate.recipes.files import Files
from backdate.recipes.recipe import BuildConstraint, InstallStep, Provenance, Recipe, SuitePlan, Variable
from backdate.recipes.written import settings_of

RULE = Provenance(rule="a repair")
PYPROJECT = """# ours
[project]
name = "p"  # a name
version = "1"
optional-dependencies = { test = ["idna"], http = ["httpx"] }

[dependency-groups]
test = ["mock"]

[tool.other]
x   =   1
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    (tmp_path / "requirements.txt").write_text("six\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_a.py").write_text("import pytest\ndef test_a(): pass\n")
    return tmp_path


def again(tree: Path) -> Recipe:
    """The recipe that the files come to with their settings."""
    read = extract_recipes(tree).candidates
    return configured_recipes(read, read_project_configuration(tree).required(), Files(tree))[0]


def write(tree: Path, recipe: Recipe, python: str | None = None) -> tuple[str, ...]:
    written = settings_of(recipe, extract_recipes(tree).candidates, Files(tree), python=python)
    name = place_of_settings(tree)
    (tree / name).write_bytes(file_with_settings(tree, name, written.values))
    return written.left_out


def changed(recipe: Recipe) -> Recipe:
    """As repairs change one."""
    steps = [
        replace(step, extras=("http",)) if step.kind == "project" else step
        for step in recipe.install
        if step.kind != "requirements"
    ]
    test = SuitePlan(
        runner="pytest",
        targets=("tests",),
        arguments=("-k", "not slow"),
        environment=(("A", "a b"),),
        provenance=RULE,
    )
    return replace(
        recipe,
        install=(*steps, InstallStep(kind="packages", packages=("attrs<20",), provenance=RULE)),
        test=test,
        further_tests=(
            SuitePlan(
                runner="unittest",
                arguments=("discover",),
                cwd="tests",
                environment=(("A", "a b"),),
                provenance=RULE,
            ),
        ),
        variables=(Variable(name="A", value="a b", provenance=RULE),),
        build_constraints=(BuildConstraint(requirement="setuptools<58", provenance=RULE),),
    )


@pytest.mark.parametrize("own", [False, True])
def test_what_is_written_comes_to_the_same_recipe(tree: Path, own: bool) -> None:
    if own:
        (tree / "backdate.toml").write_text("# mine\n[environment]\nB = 'x'\n")
    recipe = changed(extract_recipes(tree).candidates[0])
    assert write(tree, recipe, "3.9") == ()
    found = again(tree)
    assert {step.packages for step in found.install if step.kind == "packages"} == {
        ("mock",),
        ("attrs<20", "pytest"),
    }
    assert [step.extras for step in found.install if step.kind == "project"] == [("http",)]
    assert [limit.requirement for limit in found.build_constraints] == ["setuptools<58"]
    assert (found.test.targets, found.test.arguments) == (("tests",), ("-k", "not slow"))
    assert dict(found.test.environment)["A"] == "a b"
    assert (found.further_tests[0].runner, found.further_tests[0].cwd) == ("unittest", "tests")
    python = read_project_configuration(tree).required().python
    assert python is not None
    assert python.value == "3.9"
    if own:
        assert (tree / "backdate.toml").read_text().startswith("# mine\n")
        assert dict(found.test.environment)["B"] == "x"
        assert (tree / "pyproject.toml").read_text() == PYPROJECT
    else:
        assert (tree / "pyproject.toml").read_text().startswith(PYPROJECT)


def test_writing_twice_changes_nothing(tree: Path) -> None:
    recipe = changed(extract_recipes(tree).candidates[0])
    write(tree, recipe)
    first = (tree / "pyproject.toml").read_text()
    write(tree, recipe)
    assert (tree / "pyproject.toml").read_text() == first
    assert set(tomllib.loads(first)["tool"]) == {"other", "backdate"}


def test_only_what_differs_is_written(tree: Path) -> None:
    recipe = extract_recipes(tree).candidates[0]
    written = settings_of(recipe, (recipe,), Files(tree), python=None)
    assert dict(written.values) == {"test-command": "pytest"}
    assert written.left_out == ()


def test_a_project_without_a_file_for_settings_gets_one(tree: Path) -> None:
    (tree / "pyproject.toml").unlink()
    assert place_of_settings(tree) == "backdate.toml"
    assert (
        file_with_settings(tree, "backdate.toml", {"test-command": "pytest"}) == b'test-command = "pytest"\n'
    )


def test_what_no_setting_says_is_told(tree: Path) -> None:
    recipe = extract_recipes(tree).candidates[0]
    elsewhere = InstallStep(kind="project", file="sub", provenance=RULE)
    odd = replace(recipe, install=(*recipe.install, elsewhere))
    assert settings_of(odd, (recipe,), Files(tree), python=None).left_out == (
        "what is installed is not read as it was proven",
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            b"\xef\xbb\xbf[project]\r\nname = 'p'  # why\r\n",
            b"\xef\xbb\xbf[project]\r\nname = 'p'  # why\r\n\r\n[tool.backdate]\r\nextras = [\"x\"]\r\n",
        ),
        (
            b"tool.backdate.python = '3.8'\n",
            b"tool.backdate.python = '3.8'\ntool.backdate.extras = [\"x\"]\n",
        ),
    ],
)
def test_line_ends_and_a_byte_order_mark_stay(tmp_path: Path, before: bytes, after: bytes) -> None:
    (tmp_path / "pyproject.toml").write_bytes(before)
    assert file_with_settings(tmp_path, "pyproject.toml", {"extras": ["x"]}) == after


@pytest.mark.parametrize("text", ["tool = 3\n", "[[tool.backdate]]\n", "tool = {backdate = {}}\n"])
def test_settings_in_a_form_that_cannot_be_added_to(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml cannot be changed"):
        file_with_settings(tmp_path, "pyproject.toml", {"environment": {"A": "b"}})


def test_no_file_takes_the_place_of_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.toml").write_text("[project]\n")
    (tmp_path / "pyproject.toml").symlink_to("real.toml")
    with pytest.raises(ConfigurationError, match="is a link"):
        file_with_settings(tmp_path, "pyproject.toml", {"extras": ["x"]})
