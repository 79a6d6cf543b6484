"""``backdate recipe`` in an application of its own."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from backdate.cli.recipe import recipe_command
from backdate.errors import SourceError


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "test_a.py").write_text("import pytest\ndef test_a(): pass\n")
    (tmp_path / "setup.py").write_text(
        "from setuptools import setup\nsetup(name='x', python_requires='>=3.6')\n"
    )
    (tmp_path / ".travis.yml").write_text(
        "python: [3.6]\n"
        'install: ["pip install . b codecov", "pip install a\\e[2J>1"]\n'
        "script: A=1 pytest tests\n"
    )
    return tmp_path


def run(*arguments: str) -> tuple[int, str, str]:
    application = typer.Typer()
    application.command("recipe")(recipe_command)
    result = CliRunner().invoke(application, list(arguments), standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.return_value, result.stdout, result.stderr


def test_text(tree: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in tree.rglob("*")}
    status, text, _ = run(str(tree), "--at", "2020-06-01")
    assert status == 0
    assert text.startswith("Python 3.8.3: python_requires >=3.6 in setup.py:2")
    assert "Recipe 1 of 2: Travis CI, the build" in text
    assert "  test     A=1 python -m pytest tests\n           from .travis.yml:3  (Travis CI)" in text
    assert "things were skipped; --all shows them" in text
    assert before == {path: path.stat().st_mtime_ns for path in tree.rglob("*")}


def test_everything(tree: Path) -> None:
    _, text, _ = run(str(tree), "--all")
    assert "Recipe 2 of 2: what the metadata and requirements files declare" in text
    assert ".travis.yml:2: there are control characters in it" in text
    assert "\x1b" not in text


def test_json(tree: Path) -> None:
    _, text, _ = run(str(tree), "--format", "json")
    assert json.loads(text)["test"]["provenance"]["line"] == 3
    _, text, _ = run(str(tree), "--format", "json", "--all")
    assert len(json.loads(text)["candidates"]) == 2
    assert json.loads(text)["skipped"]


def test_scripts(tree: Path) -> None:
    _, text, _ = run(str(tree), "--format", "sh")
    assert text.startswith("#!/bin/sh\n")
    _, text, _ = run(str(tree), "--format", "dockerfile", "--at", "2020-06-01")
    assert "FROM python:3.8.3\nARG INDEX_URL=" in text


def test_no_tests(tmp_path: Path) -> None:
    status, out, error = run(str(tmp_path))
    assert (status, out) == (2, "")
    assert "no recipe" in error


def test_a_file_is_no_project(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(SourceError, match="is not a folder"):
        run(str(tmp_path / "a"))
