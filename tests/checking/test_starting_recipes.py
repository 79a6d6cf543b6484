"""What makes two recipes the same, and when a recipe of another commit can be tried here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_setups import RULE, recipe, start

from backdate.checking.starting_recipes import effect_key, usable
from backdate.recipes.recipe import BuildConstraint, InstallStep, Provenance, Recipe, SystemPackages, Variable


def test_provenance_makes_no_difference() -> None:
    one = recipe("a")
    elsewhere = Provenance(rule="other", file="tox.ini", line=3)
    other = replace(one, install=tuple(replace(step, provenance=elsewhere) for step in one.install))
    assert effect_key(one, "3.8.1", apt=True) == effect_key(other, "3.8.1", apt=True)
    assert effect_key(one, "3.8.1", apt=True) != effect_key(one, "3.9.1", apt=True)


@pytest.mark.parametrize(
    "other",
    [
        recipe("b"),
        recipe("a", targets=("tests",)),
        recipe("a", variables=(Variable(name="X", value="1", provenance=RULE),)),
        recipe("a", build_constraints=(BuildConstraint(requirement="setuptools<58", provenance=RULE),)),
        recipe("a", further_tests=(recipe("a", targets=("more",)).test,)),
    ],
)
def test_what_makes_a_difference(other: Recipe) -> None:
    assert effect_key(recipe("a"), "3.8.1", apt=True) != effect_key(other, "3.8.1", apt=True)


def test_a_recipe_names_files_that_have_to_be_there(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "requirements.txt").write_text("six\n")
    step = InstallStep(kind="requirements", file="requirements.txt", provenance=RULE)
    here = recipe("a", targets=("tests", "tests/*.py"))
    here = replace(here, install=(*here.install, step))
    assert usable(start(here), tmp_path)
    assert not usable(start(replace(here, install=(replace(step, file="other.txt"),))), tmp_path)
    assert not usable(start(recipe("a", targets=("gone/test_a.py::test_x",))), tmp_path)
    assert not usable(start(replace(here, test=replace(here.test, cwd="gone"))), tmp_path)
    outside = replace(here, install=(replace(step, file="../../etc/passwd"),))
    assert not usable(start(outside), tmp_path)


def test_debian_packages_make_a_difference_where_they_are_applied() -> None:
    system = (SystemPackages(manager="apt", packages=("pandoc",), provenance=RULE),)
    plain, with_system = recipe("a"), recipe("a", system=system)
    assert effect_key(plain, "3.8.1", apt=True) != effect_key(with_system, "3.8.1", apt=True)
    assert effect_key(plain, "3.8.1", apt=False) == effect_key(with_system, "3.8.1", apt=False)
