"""A project's own settings ask for the network, Debian packages, services and this machine's variables."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_builds import NoSandbox, Seen

from backdate.checking.dated_project import dated_project
from backdate.checking.recipe_run import run_recipe
from backdate.checking.resources import Resources
from backdate.checking.settings import Settings
from backdate.checking.starting_recipes import StartingRecipes, starting_recipes
from backdate.cli.recipe_options import RecipeOptions
from backdate.configuration.configuration import NO_CONFIGURATION, Configuration
from backdate.errors import UsageError
from backdate.projects.project import Origin, Project
from backdate.sandboxes.interface import Sandbox
from backdate.timeline.instants import parse_instant

WANTED = """
allow-network = true
debian-packages = ["netcat-openbsd"]
services = ["redis"]
host-variables = ["A_TOKEN"]
"""
BY_URL = Origin(kind="git", location="https://example.org/o/p.git", revision="0" * 40)
BY_SDIST = Origin(kind="sdist", location="p==1", revision="0" * 64)


@pytest.fixture(params=["pyproject.toml", "backdate.toml"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "setup.py").write_text("from setuptools import setup\nsetup(name='p')\n")
    (tree / "test_a.py").write_text("def test_a(): pass\n")
    header = "[tool.backdate]" if request.param == "pyproject.toml" else ""
    (tree / request.param).write_text(header + WANTED)
    return tree


def run(
    tree: Path,
    origin: Origin,
    monkeypatch: pytest.MonkeyPatch,
    configuration: Configuration = NO_CONFIGURATION,
) -> tuple[Seen, StartingRecipes]:
    """The first recipe of the project, built and tested."""
    monkeypatch.setenv("A_TOKEN", "a-secret-value")
    seen = Seen(monkeypatch)
    sandbox: Sandbox = NoSandbox()  # type: ignore[assignment]  # nothing runs in it
    settings = Settings(cache=tree.parent / "cache", services=False, configuration=configuration)
    with Resources(settings, sandbox=sandbox) as resources:
        project = Project(name="p", root=tree, origin=origin)
        dated = dated_project(project, parse_instant("2023-01-01"))
        starting = starting_recipes(project, dated, resources)
        run_recipe(starting.starts[0].recipe, dated, resources, log_folder=tree.parent / "logs")
    return seen, starting


@pytest.mark.parametrize("origin", [BY_URL, BY_SDIST], ids=["url", "sdist"])
def test_a_foreign_project_gets_nothing(tree: Path, origin: Origin, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, starting = run(tree, origin, monkeypatch)
    assert (seen.where["network"], seen.where["host_variables"]) == ("off", ())
    assert seen.asked == []
    assert starting.starts[0].recipe.services == ()
    assert starting.starts[0].recipe.system == ()
    for name in ("allow-network", "debian-packages", "services", "host-variables"):
        assert any(f"ignored: {name} (" in note for note in starting.notes), name


def test_nor_does_a_folder_that_nobody_trusts(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = RecipeOptions().configuration(tree)
    seen, starting = run(tree, Origin(kind="folder", location=str(tree)), monkeypatch, given)
    assert (seen.where["network"], seen.asked) == ("off", [])
    assert len(starting.notes) == 4


def test_one_that_is_trusted_does(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = RecipeOptions(trust_config=True).configuration(tree)
    seen, starting = run(tree, Origin(kind="folder", location=str(tree)), monkeypatch, given)
    assert seen.where["network"] == "on"
    assert seen.where["host_variables"] == (("A_TOKEN", "a-secret-value"),)
    assert seen.asked == [("netcat-openbsd",)]
    assert [service.kind.value for service in starting.starts[0].recipe.services] == ["redis"]
    assert "a-secret-value" not in repr(starting)
    assert starting.notes == ()


@pytest.mark.parametrize("source", ["https://example.org/o/p.git", "pypi:p==1", "git+ssh://x/y"])
def test_only_folders_can_be_trusted(source: str) -> None:
    with pytest.raises(UsageError, match="is for a folder of yours"):
        RecipeOptions(trust_config=True).configuration(source)


def test_nor_does_the_tree_of_a_task_or_of_a_candidate(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their runs take a recipe as it is, with settings that nobody's configuration is part of."""
    from fake_setups import recipe

    seen = Seen(monkeypatch)
    sandbox: Sandbox = NoSandbox()  # type: ignore[assignment]  # nothing runs in it
    with Resources(Settings(cache=tree.parent / "cache"), sandbox=sandbox) as resources:
        dated = dated_project(Project(name="p", root=tree, origin=BY_URL), parse_instant("2023-01-01"))
        run_recipe(recipe("six"), dated, resources, log_folder=tree.parent / "logs")
    assert (seen.where["network"], seen.where["host_variables"], seen.asked) == ("off", (), [])
