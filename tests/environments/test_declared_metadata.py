"""What a project's own file states of it, without running anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.environments.declared_metadata import declared_metadata
from backdate.environments.stated_metadata import StatedMetadata

PROJECT = """
[build-system]
requires = ["flit_core"]
build-backend = "flit_core.buildapi"
[project]
name = "Some.Thing"
version = "1.0"
requires-python = ">=3.8"
dependencies = ["library >=1,<2", "six; python_version < '3.9'"]
[project.optional-dependencies]
Test_all = ["pytest; sys_platform != 'win32' or python_version > '3.9'", "library[fast]"]
"""


def written(tree: Path, text: str = PROJECT, **others: str) -> StatedMetadata | None:
    (tree / "pyproject.toml").write_text(text)
    for name, content in others.items():
        (tree / name.replace("_", ".")).write_text(content)
    return declared_metadata(tree)


def test_all_that_a_resolution_reads_is_read(tmp_path: Path) -> None:
    assert written(tmp_path) == StatedMetadata(
        name="some-thing",
        version="1.0",
        requires=(
            "library<2,>=1",
            'six; python_version < "3.9"',
            'pytest ; (sys_platform != "win32" or python_version > "3.9") and extra == "test-all"',
            'library[fast] ; extra == "test-all"',
        ),
        requires_python=">=3.8",
        extras=("test-all",),
    )


def test_a_version_that_a_build_tells_counts_for_nothing(tmp_path: Path) -> None:
    stated = written(tmp_path, PROJECT.replace('version = "1.0"', 'dynamic = ["version", "readme"]'))
    assert stated is not None
    assert stated.version == "0"


def test_what_is_not_stated_is_not_required(tmp_path: Path) -> None:
    bare = '[project]\nname = "thing"\n'
    for text in (bare, f"{bare}[tool.uv]\ndev-dependencies = ['six']\n"):
        assert written(tmp_path, text) == StatedMetadata(name="thing", version="0")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not [ toml",
        "[project]\nversion = '1'\n",
        '[project]\nname = "thing"\ndynamic = ["dependencies"]\n',
        '[project]\nname = "thing"\ndynamic = ["optional-dependencies"]\n',
        '[project]\nname = "thing"\ndynamic = ["requires-python"]\n',
        '[project]\nname = "thing"\ndynamic = 3\n',
        '[project]\nname = "thing\\n--index-url=https://example.org"\n',
        '[project]\nname = "thing"\nversion = "one"\n',
        '[project]\nname = "thing"\ndependencies = ["a @ https://example.org/a.zip"]\n',
        '[project]\nname = "thing"\ndependencies = ["not a requirement !"]\n',
        '[project]\nname = "thing"\ndependencies = [3]\n',
        '[project]\nname = "thing"\n[project.optional-dependencies]\n"a]b" = []\n',
        '[project]\nname = "thing"\n[tool.uv.sources]\nsix = { path = "six" }\n',
        '[project]\nname = "thing"\n[tool.uv]\nworkspace = { members = ["a"] }\n',
        '[project]\nname = "thing"\n[tool]\nuv = 3\n',
        '[project]\nname = "thing"\n[tool.poetry.dependencies]\nsix = "*"\n',
        "project = 3\n",
        "[[project]]\nname = 'thing'\n",
        "tool = 3\n[project]\nname = 'thing'\n",
    ],
)
def test_whatever_else_may_count_is_left_to_a_build(text: str, tmp_path: Path) -> None:
    assert written(tmp_path, text) is None


def test_files_beside_it_may_say_more(tmp_path: Path) -> None:
    bare = '[project]\nname = "thing"\nversion = "1"\n'
    for name in ("setup_py", "setup_cfg"):
        folder = tmp_path / name
        folder.mkdir()
        assert written(folder, bare, **{name: ""}) is None
    whole = tmp_path / "whole"
    whole.mkdir()
    assert written(whole, setup_py="from setuptools import setup\nsetup()\n") is not None


def test_no_link_out_of_the_tree_is_followed(tmp_path: Path) -> None:
    (tmp_path / "outside.toml").write_text(PROJECT)
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "pyproject.toml").symlink_to(tmp_path / "outside.toml")
    assert declared_metadata(tree) is None
