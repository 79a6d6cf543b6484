"""Extensions: one example of each kind, found through its entry point; those that do not work are named."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate import extensions
from backdate.errors import UsageError
from backdate.extensions import ExtensionGroup, ExtensionWarning, all_extensions
from backdate.recipes.extract import extract_recipes
from backdate.recipes.repair.rules import repairs
from backdate.recipes.repair.setup_failure import read_failure
from backdate.sandboxes.choose import choose_sandbox
from backdate.solvers.choose import SolverOptions, open_solver
from backdate.tasks.foreign.exporting import export_formats

EXAMPLE = Path(__file__).parent / "support" / "extension_example"
ROOT = Path(__file__).parents[1]
MODULES = sorted(EXAMPLE.glob("example_*.py"))


def describe(folder: Path, name: str, entry_points: dict[str, dict[str, str]]) -> None:
    """Make ``folder`` look like one in which a distribution with these entry points is installed."""
    described = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    described.mkdir(parents=True)
    (described / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    text = "".join(
        f"[{group}]\n" + "".join(f"{entry} = {value}\n" for entry, value in entries.items())
        for group, entries in entry_points.items()
    )
    (described / "entry_points.txt").write_text(text)


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path, in which the example is installed; more may be."""
    folder = tmp_path / "site"
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    describe(folder, project["name"], project["entry-points"])
    for module in MODULES:
        (folder / module.name).write_text(module.read_text())
    monkeypatch.syspath_prepend(str(folder))
    all_extensions.cache_clear()
    yield folder
    all_extensions.cache_clear()
    for module in MODULES:
        sys.modules.pop(module.stem, None)


class NoIndex:
    """Knows nothing of any distribution."""

    def providers(self, module, candidates, at):
        return ()

    def first_upload(self, name, wanted, after):
        return None

    def versions(self, name, at):
        return ()

    def has_wheels(self, name, at):
        return False

    def wants_compiling(self, name, wanted, python, at):
        return False


def project(tmp_path: Path) -> Path:
    tree = tmp_path / "project"
    tree.mkdir()
    (tree / "test_it.py").write_text("def test_it(): pass\n")
    (tree / "justfile").write_text("build:\n    true\ntest:\n    pip install six\n    pytest -k it\n")
    return tree


def test_a_recipe_source_is_read(installed: Path, tmp_path: Path) -> None:
    recipes = extract_recipes(project(tmp_path)).candidates
    of_just = [recipe for recipe in recipes if recipe.test.arguments == ("-k", "it")]
    assert of_just[0].install[0].packages == ("six",)
    assert extract_recipes(tmp_path / "project", sources={"tox"}).candidates == ()


def locale_trouble(tmp_path: Path):
    recipe = extract_recipes(project(tmp_path)).candidates[0]
    failure = read_failure(
        phase="tests",
        status="completed",
        texts=["locale.Error: unsupported locale setting"],
        python="3.8.18",
        instant=datetime(2022, 1, 1, tzinfo=UTC),
    )
    return failure, recipe, tmp_path / "project"


def test_a_repair_rule_is_asked(installed: Path, tmp_path: Path) -> None:
    failure, recipe, tree = locale_trouble(tmp_path)
    proposed = [repair for repair in repairs(failure, recipe, tree, NoIndex()) if "locale" in repair.rule]
    assert dict(proposed[0].recipe.test.environment)["LC_ALL"] == "C.UTF-8"


def test_without_it_no_rule_knows(tmp_path: Path) -> None:
    failure, recipe, tree = locale_trouble(tmp_path)
    assert not any("locale" in repair.rule for repair in repairs(failure, recipe, tree, NoIndex()))


def test_a_solver_is_opened_by_its_name(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "a.patch").write_text("--- a\n")
    with open_solver(
        f"patch-file:{tmp_path / 'a.patch'}", SolverOptions(sandbox=choose_sandbox("unsafe-local"))
    ) as solver:
        assert solver.name == "patch-file"
        assert solver.attempt(None).patch == "--- a\n"
    with (
        pytest.raises(UsageError, match="patch-file"),
        open_solver("nothing", SolverOptions(sandbox=choose_sandbox("unsafe-local"))),
    ):
        pass


def test_an_exporter_is_a_form(installed: Path) -> None:
    assert export_formats()["names"] is not None
    assert export_formats()["swebench"] is None


def test_one_that_does_not_load_is_named_and_left_out(installed: Path, tmp_path: Path) -> None:
    describe(installed, "a-broken-one", {"backdate.solvers": {"broken": "module_that_is_not_there:x"}})
    with pytest.warns(ExtensionWarning, match=r"broken of a-broken-one 1\.0.*ModuleNotFoundError"):
        working = extensions.extensions(ExtensionGroup.SOLVERS)
    assert [extension.name for extension in working] == ["patch-file"]
    assert [extension.name for extension in all_extensions(ExtensionGroup.SOLVERS)] == [
        "broken",
        "patch-file",
    ]


def test_one_of_another_kind_is_named_and_left_out(installed: Path, tmp_path: Path) -> None:
    describe(installed, "another-kind", {"backdate.recipe_sources": {"wrong": "example_solver:open_solver"}})
    with pytest.warns(ExtensionWarning, match="wrong of another-kind.*function and not a RecipeSource"):
        assert extract_recipes(project(tmp_path)).candidates


def test_one_that_raises_is_named_and_left_out(installed: Path, tmp_path: Path) -> None:
    source = installed / "example_source.py"
    source.write_text(source.read_text().replace("    lines = (", "    raise KeyError('k')\n    lines = ("))
    with pytest.warns(ExtensionWarning, match=r"just of backdate-example 1\.0.*KeyError"):
        assert extract_recipes(project(tmp_path)).candidates


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_each_is_short_and_is_what_the_page_shows(module: Path) -> None:
    text = module.read_text()
    assert len(text.splitlines()) < 30
    assert text.strip() in (ROOT / "docs" / "how-to" / "extending.md").read_text()


@pytest.mark.slow
@pytest.mark.network
def test_one_that_pip_installed_is_found(tmp_path: Path) -> None:
    example = shutil.copytree(EXAMPLE, tmp_path / "example")  # setuptools builds in the folder itself
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", ROOT, example], check=True)
    code = (
        "from backdate.extensions import ExtensionGroup, all_extensions\n"
        "for group in ExtensionGroup:\n"
        "    for extension in all_extensions(group):\n"
        "        print(extension.name, extension.distribution, extension.failure or 'loads')\n"
    )
    listed = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout
    assert sorted(listed.splitlines()) == [
        f"{name} backdate-example 1.0 loads" for name in ("just", "locale", "names", "patch-file")
    ]
