"""What a recipe writes out is loosened for the new side."""

from __future__ import annotations

import pytest
from fake_setups import RULE, recipe

from backdate.recipes.loosening import loosened_recipe, requirement_files_of
from backdate.recipes.recipe import InstallStep, Recipe


@pytest.mark.parametrize(
    ("written", "loose"),
    [
        ("django==1.11", "django"),
        ("pytest>=3,<4", "pytest>=3"),
        ("coverage[toml]~=5.0; python_version < '3.9'", "coverage[toml]>=5.0; python_version < '3.9'"),
        ("six", "six"),
        ("git+https://host/x.git@v1", "git+https://host/x.git@v1"),
    ],
)
def test_packages(written: str, loose: str) -> None:
    assert loosened_recipe(recipe(written)) == recipe(loose)


def test_other_steps_stay_as_their_files_are_loosened() -> None:
    steps = (
        InstallStep(kind="requirements", file="ci/py3.txt", provenance=RULE),
        InstallStep(kind="project", file=".", extras=("test",), provenance=RULE),
        InstallStep(kind="constraints", file="limits.txt", provenance=RULE),
    )
    one = Recipe(install=steps, test=recipe("a").test)
    assert loosened_recipe(one) == one
    assert requirement_files_of([one, one, recipe("a")]) == ("ci/py3.txt", "limits.txt")
