"""What the files of a tree said about recipes is kept for the same tree, and for nothing else."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from fake_setups import INSTANT

from backdate import extensions
from backdate.checking.dated_project import DatedProject
from backdate.checking.kept_extractions import extraction_of, program_state
from backdate.environments.cache import Cache
from backdate.extensions import Extension, ExtensionGroup
from backdate.projects.python_constraint import PythonConstraint
from backdate.projects.tree import tree_digest
from backdate.recipes import extract
from backdate.recipes.extract import extract_recipes
from backdate.recipes.sources.kinds import ALL_SOURCES

FILES = {
    "setup.py": "from setuptools import setup\nsetup(name='p', install_requires=['six'])\n",
    "tox.ini": "[tox]\nenvlist = py38\n[testenv]\ndeps = mock\ncommands = pytest {posargs}\n",
    "tests/test_a.py": "import pytest\ndef test_a(): assert True\n",
    "Makefile": "test:\n\t./unknown $(shell date)\n",
    ".travis.yml": "python: 3.8\nservices: [redis-server]\ninstall: pip install .\nscript: pytest\n",
}


@pytest.fixture
def dated(tmp_path: Path) -> DatedProject:
    tree = tmp_path / "tree"
    for name, text in FILES.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    constraint = PythonConstraint(specifier=None, kind="none", rule="nothing")
    return DatedProject(
        name="p", tree=tree, digest=tree_digest(tree), instant=INSTANT, python_constraint=constraint
    )


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The trees whose files are read."""
    trees: list[Path] = []
    monkeypatch.setattr(
        extract, "extract_recipes", lambda *given: trees.append(given[0]) or extract_recipes(*given)
    )
    return trees


def test_the_same_tree_is_read_once_and_nothing_is_lost(
    dated: DatedProject, read: list[Path], tmp_path: Path
) -> None:
    cache = Cache(tmp_path / "cache")
    first = extraction_of(dated, ALL_SOURCES, cache)
    again = extraction_of(dated, ALL_SOURCES, cache)
    assert first == again == extract_recipes(dated.tree)
    assert first.candidates
    assert first.skipped
    assert len(read) == 1


def test_another_tree_and_other_sources_are_read(
    dated: DatedProject, read: list[Path], tmp_path: Path
) -> None:
    cache = Cache(tmp_path / "cache")
    extraction_of(dated, ALL_SOURCES, cache)
    of_metadata = extraction_of(dated, ["metadata"], cache)
    assert len(of_metadata.candidates) == 1
    (dated.tree / "requirements-dev.txt").write_text("six\n")
    (dated.tree / "setup.py").unlink()
    changed = extraction_of(replace(dated, digest=tree_digest(dated.tree)), ["metadata"], cache)
    assert changed != of_metadata
    assert len(read) == 3


def test_where_an_extension_reads_files_nothing_is_kept(
    dated: DatedProject, read: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Extension(
        group=ExtensionGroup.RECIPE_SOURCES, name="just", distribution="j 1", failure="it is broken"
    )
    monkeypatch.setattr(extensions, "all_extensions", lambda group: (one,))
    cache = Cache(tmp_path / "cache")
    for _ in range(2):
        with pytest.warns(extensions.ExtensionWarning):
            extraction_of(dated, ALL_SOURCES, cache)
    assert len(read) == 2


def test_a_distribution_that_is_installed_or_a_table_that_is_edited_makes_it_another_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for room in ("editing", "knowledge/tables", "projects", "recipes", "sandboxes/services"):
        (tmp_path / "program" / room).mkdir(parents=True)
    table, place = tmp_path / "program/knowledge/tables/modules.toml", tmp_path / "site-packages"
    table.write_text("a")
    place.mkdir()
    monkeypatch.setattr(sys, "path", [*sys.path, str(place), str(tmp_path / "gone")])
    states = [program_state(tmp_path / "program")]
    (place / "module.py").touch()
    assert program_state(tmp_path / "program") == states[0]
    (place / "backdate_just-1.0.dist-info").mkdir()
    states.append(program_state(tmp_path / "program"))
    os.utime(table, ns=(1, 1))
    states.append(program_state(tmp_path / "program"))
    assert len(set(map(str, states))) == 3
