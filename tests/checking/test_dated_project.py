"""The interpreter of a recipe: what was tested with, within what is declared, released and at hand."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from fake_setups import RULE, recipe

from backdate.checking.dated_project import constraint_with_recipe
from backdate.projects.python_constraint import PythonConstraint, wanted_release
from backdate.recipes.recipe import DeclaredPythons

ALL = ("3.6", "3.7", "3.8", "3.9", "3.10", "3.11")


def minor(
    named: tuple[str, ...] | None,
    declared: PythonConstraint,
    day: tuple[int, int, int] = (2021, 3, 1),
    here: tuple[str, ...] = ALL,
) -> str:
    """The minor that is wanted in the end."""
    python_constraint = DeclaredPythons(versions=named, provenance=RULE) if named is not None else None
    instant = datetime(*day, tzinfo=UTC)
    narrowed = constraint_with_recipe(
        declared, recipe("a", interpreter=python_constraint), instant, lambda one: one in here
    )
    return wanted_release(narrowed, instant)[0].rpartition(".")[0]


def declared(specifier: str | None, kind: str = "requires") -> PythonConstraint:
    return PythonConstraint(specifier=specifier, kind=kind, rule="python_requires")  # type: ignore[arg-type]


NOTHING = declared(None, "none")


@pytest.mark.parametrize(
    ("named", "python_constraint", "expected"),
    [
        (None, declared(">=3.6"), "3.9"),
        (("3.6", "3.7"), declared(">=3.6"), "3.7"),
        (("3.6", "3.9"), declared(">=3.6"), "3.9"),
        (("3.6", "3.7", "3.8"), declared(">=3.6,<3.8"), "3.7"),
        (("3.6",), declared(">=3.8"), "3.9"),
        (("3.7.4", "3.8-dev"), NOTHING, "3.8"),
        (("3.6", "3.9"), NOTHING, "3.9"),
        (("2.7", "pypy3", "nightly"), NOTHING, "3.8"),
        (("3.10", "3.7"), NOTHING, "3.7"),
        (("3.7",), declared("==3.6.*", "classifiers"), "3.7"),
        (("3.6", "3.7"), declared("==3.6.*", "classifiers"), "3.6"),
    ],
)
def test_the_minor_at_the_first_of_march_2021(
    named: tuple[str, ...] | None, python_constraint: PythonConstraint, expected: str
) -> None:
    assert minor(named, python_constraint) == expected


def test_what_is_not_at_hand_is_not_wished_for() -> None:
    assert minor(("3.6", "3.7"), NOTHING, here=("3.6", "3.8")) == "3.6"
    assert minor(("3.6",), NOTHING, here=("3.8",)) == "3.8"


def test_the_reason_names_the_source() -> None:
    python_constraint = DeclaredPythons(versions=("3.6", "3.7"), provenance=RULE)
    instant = datetime(2021, 3, 1, tzinfo=UTC)
    narrowed = constraint_with_recipe(
        declared(">=3.6"), recipe("a", interpreter=python_constraint), instant, lambda _: True
    )
    reason = wanted_release(narrowed, instant)[1]
    assert "a test names 3.6, 3.7" in reason
    assert "python_requires >=3.6" in reason
