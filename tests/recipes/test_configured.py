"""What a configuration makes of the recipes of a project's files."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.configuration.documents import read_project_configuration
from backdate.errors import ConfigurationError
from backdate.recipes.configured import configured_recipes
from backdate.recipes.extract import extract_recipes
from backdate.recipes.files import Files
from backdate.recipes.recipe import Recipe
from backdate.recipes.repair.rules import repairs
from backdate.recipes.repair.setup_failure import read_failure
from backdate.sandboxes.services.wanted import ServiceKind

PYPROJECT = """[project]
name = "p"
version = "1"
optional-dependencies = { test = ["idna"], http = ["httpx"] }
[dependency-groups]
test = ["mock"]
lint = ["ruff"]
"""


class NothingKnown:
    """An index that has nothing."""

    def providers(self, module: str, candidates: Iterable[str], at: datetime) -> tuple[str, ...]:
        return ()

    def first_upload(self, name: str, wanted: str | None, after: datetime) -> datetime | None:
        return None

    def versions(self, name: str, at: datetime) -> tuple[str, ...]:
        return ()

    def has_wheels(self, name: str, at: datetime) -> bool:
        return False

    def wants_compiling(self, name: str, wanted: str, python: str, at: datetime) -> bool:
        return False


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    (tmp_path / "requirements.txt").write_text("six\n")
    (tmp_path / "other.txt").write_text("six\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_a.py").write_text("import pytest\ndef test_a(): pass\n")
    return tmp_path


def configured(tree: Path, text: str) -> Recipe:
    (tree / "backdate.toml").write_text(text)
    found = configured_recipes(
        extract_recipes(tree).candidates, read_project_configuration(tree).required(), Files(tree)
    )
    return found[0]


def steps(recipe: Recipe) -> list[tuple[str, object]]:
    return [
        (step.kind, step.packages or step.extras if step.kind in ("packages", "project") else step.file)
        for step in recipe.install
    ]


def test_nothing_is_changed_by_no_settings(tree: Path) -> None:
    plain = extract_recipes(tree).candidates
    assert configured_recipes(plain, read_project_configuration(tree).required(), Files(tree)) == plain


def test_what_is_replaced_and_what_is_added(tree: Path) -> None:
    before = configured(tree, "deselect = ['tests/test_a.py::test_z']\n")
    assert ("project", ("test",)) in steps(before)
    assert ("packages", ("mock",)) in steps(before)
    assert before.test.arguments == ("--deselect=tests/test_a.py::test_z",)
    after = configured(
        tree,
        "extras = ['http']\ngroups = ['lint']\nrequirements = ['other.txt']\npackages = ['attrs']\n"
        "build-constraints = ['setuptools<60']\n",
    )
    assert steps(after) == [
        ("project", ("http",)),
        ("requirements", "other.txt"),
        ("packages", ("ruff",)),
        ("packages", ("attrs",)),
        ("packages", ("pytest",)),
    ]
    assert [limit.requirement for limit in after.build_constraints] == ["setuptools<60"]
    extras = next(step for step in after.install if step.kind == "project")
    assert (extras.provenance.file, extras.provenance.line) == ("backdate.toml", 1)


def test_test_command(tree: Path) -> None:
    one = configured(tree, "test-command = 'A=1 pytest -x -k fast tests/test_a.py && python -m unittest'\n")
    assert (one.test.runner, one.test.targets, one.test.arguments) == (
        "pytest",
        ("tests/test_a.py",),
        ("-k", "fast"),
    )
    assert dict(one.test.environment) == {"A": "1"}
    assert [plan.runner for plan in one.further_tests] == ["unittest"]
    assert one.test.provenance.file == "backdate.toml"


@pytest.mark.parametrize(
    "setting", ["pytest-arguments = ['-k', 'gone']", "test-command = 'pytest -k gone tests'"]
)
def test_no_repair_runs_other_tests_than_those_asked_for(tree: Path, setting: str) -> None:
    (tree / "tests/check_a.py").write_text("def test_b(): pass\n")
    plain = extract_recipes(tree).candidates[0]
    failure = read_failure(
        phase="tests",
        status="no-tests",
        texts=("collected 2 items / 2 deselected",),
        python="3.12.1",
        instant=datetime(2024, 1, 1, tzinfo=UTC),
        pythons=(),
    )
    assert [one.rule for one in repairs(failure, plain, tree, NothingKnown())] == ["another way to run"]
    assert repairs(failure, configured(tree, setting + "\n"), tree, NothingKnown()) == ()


def test_what_was_asked_for_is_repaired_where_it_still_runs(tree: Path) -> None:
    asked = configured(tree, "pytest-arguments = ['-k', 'a']\n")
    failure = read_failure(
        phase="tests",
        status="broken",
        texts=("import file mismatch:",),
        python="3.12.1",
        instant=datetime(2024, 1, 1, tzinfo=UTC),
        pythons=(),
    )
    proposed = repairs(failure, asked, tree, NothingKnown())
    assert proposed
    assert {one.recipe.test.arguments[:2] for one in proposed} == {("-k", "a")}


def test_a_project_in_which_no_tests_were_found(tree: Path) -> None:
    (tree / "tests/test_a.py").rename(tree / "checks.py")
    assert extract_recipes(tree).candidates == ()
    one = configured(tree, "test-command = 'pytest checks.py'\n")
    assert one.test.targets == ("checks.py",)
    assert ("packages", ("pytest",)) in steps(one)


def test_variables_are_those_of_installing_and_testing(tree: Path) -> None:
    one = configured(tree, "test-command = 'A=0 B=2 pytest'\n[environment]\nA = '1'\n")
    assert dict(one.test.environment) == {"A": "1", "B": "2"}
    assert [(each.name, each.value) for each in one.variables] == [("A", "1")]


def test_services(tree: Path) -> None:
    (tree / ".travis.yml").write_text("services: [redis, mysql]\nscript: pytest\n")
    kinds = [one.kind for one in configured(tree, "refused-services = ['mysql']\n").services]
    assert kinds == [ServiceKind.REDIS]
    assert configured(tree, "refused-services = true\n").services == ()
    given = configured(tree, "services = ['postgresql']\n").services
    assert {one.kind for one in given} == {ServiceKind.REDIS, ServiceKind.MYSQL, ServiceKind.POSTGRESQL}


def test_arguments_for_pytest_may_name_tests(tree: Path) -> None:
    one = configured(tree, "pytest-arguments = ['-k', 'a', 'tests/test_a.py']\n")
    assert (one.test.targets, one.test.arguments) == (("tests/test_a.py",), ("-k", "a"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("test-command = './run-it'", r"test-command \(backdate.toml:1\): './run-it' is not followed"),
        ("test-command = 'rm -rf /'", "is not followed"),
        ("groups = ['tests']", "declares no group 'tests'; did you mean test"),
        ("requirements = ['gone.txt']", "there is no file gone.txt"),
        ("requirements = ['../x.txt']", "there is no file"),
        ("test-command = 'python -m unittest'\ndeselect = ['x']", "it is for pytest, .* by unittest"),
    ],
)
def test_what_cannot_be(tree: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        configured(tree, text + "\n")
