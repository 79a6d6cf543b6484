"""The interpreter of a recipe: what was tested with, within what is declared, released and at hand."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from fake_setups import RULE, recipe

from backdate.checking import dated_project as room
from backdate.checking.dated_project import constraint_with_recipe
from backdate.environments.environment import Interpreter
from backdate.errors import InterpreterMissing
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


def test_where_none_can_be_had_it_is_the_nearest_to_those_that_are_named() -> None:
    assert minor(("3.4", "3.5"), NOTHING) == "3.6"
    assert minor(("3.5",), declared(">=3.5")) == "3.6"
    assert minor(("3.6",), NOTHING, here=("3.7", "3.9")) == "3.7"
    assert minor(("3.10",), NOTHING) == "3.9"


def test_the_reason_names_the_source() -> None:
    python_constraint = DeclaredPythons(versions=("3.6", "3.7"), provenance=RULE)
    instant = datetime(2021, 3, 1, tzinfo=UTC)
    narrowed = constraint_with_recipe(
        declared(">=3.6"), recipe("a", interpreter=python_constraint), instant, lambda _: True
    )
    reason = wanted_release(narrowed, instant)[1]
    assert "a test names 3.6, 3.7" in reason
    assert "python_requires >=3.6" in reason


def test_one_interpreter_is_looked_up_where_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str | None] = []

    def find(*, minor: str | None = None, **_: object) -> tuple[Interpreter, ...]:
        asked.append(minor)
        known = [
            Interpreter(version=version, executable=Path(version), prefix=Path("/"), source="path")
            for version in ("3.8.18", "3.9.2", "3.10.4")
        ]
        return tuple(one for one in known if minor is None or one.version.startswith(f"{minor}."))

    monkeypatch.setattr(room, "find_interpreters", find)
    interpreters = room.Interpreters(tmp_path)
    monkeypatch.setattr(interpreters, "_downloads", None)
    instant = datetime(2021, 3, 1, tzinfo=UTC)
    assert interpreters.choose(NOTHING, instant, forced="3.8").interpreter.version == "3.8.18"
    assert interpreters.choose(NOTHING, instant, forced="3.8.3").interpreter.version == "3.8.18"
    assert interpreters.choose(declared(">=3.6"), instant).interpreter.version == "3.9.2"
    assert asked == ["3.8", "3.9"]
    with pytest.raises(InterpreterMissing, match=r"3\.10\.4"):
        interpreters.choose(NOTHING, instant, forced="3.7")
    assert asked == ["3.8", "3.9", "3.7", None]
