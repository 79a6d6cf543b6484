"""Requirements of extras that the code imports where they are there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from repair_proposals import proposals

from backdate.recipes.repair.optional import optional_requirements
from backdate.recipes.repair.setup_failure import Problem

PROJECT = """
[project]
name = "a"
dependencies = ["six"]
[project.optional-dependencies]
extra = ["Pygments>=2.12", "lxml", "six"]
"""
CODE = "import os\ntry:\n    from pygments.util import x\nexcept ImportError:\n    x = None\n"


def proposed(
    root: Path, files: Mapping[str, str], *, passed: int = 3, message: str = "False is not true"
) -> list[tuple[str, ...]]:
    problem = Problem(type="AssertionError", message=message)
    found = proposals(optional_requirements, root, files, problem, passed=passed, ran=4)
    return [repair.recipe.install[-1].packages for repair in found]


def test_what_is_imported_in_a_try_is_installed(tmp_path: Path) -> None:
    files = {"pyproject.toml": PROJECT, "src/a/b/c.py": CODE}
    assert proposed(tmp_path, files) == [("Pygments>=2.12",)]


@pytest.mark.parametrize(
    ("files", "options"),
    [
        ({"a.py": CODE}, {"passed": 0}),
        ({"a.py": CODE}, {"message": "django: settings are not configured"}),
        ({"a.py": "import pygments\n"}, {}),
        ({"a.py": "try:\n    import six\nexcept ImportError:\n    six = None\n"}, {}),
        ({"a.py": CODE, "pyproject.toml": PROJECT.replace("Pygments", "docutils")}, {}),
    ],
)
def test_nothing_is_guessed(tmp_path: Path, files: dict[str, str], options: dict[str, object]) -> None:
    assert proposed(tmp_path, {"pyproject.toml": PROJECT, **files}, **options) == []  # type: ignore[arg-type]
