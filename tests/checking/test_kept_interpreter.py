"""The new side's interpreter: the old one's while it is supported, then the oldest supported one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from fake_setups import choice

from backdate.checking.dated_project import DatedProject
from backdate.checking.kept_interpreter import kept_interpreter, not_older
from backdate.environments.environment import InterpreterChoice
from backdate.projects.python_constraint import PythonConstraint
from backdate.timeline.calendar import end_of_support, supported_minors
from backdate.timeline.instants import Instant


class Pythons:
    """Every minor of ``here`` in its patch 5."""

    def __init__(self, *here: str) -> None:
        self.here = here

    def obtainable(self, minor: str) -> bool:
        return minor in self.here

    def choose(self, constraint: PythonConstraint, instant: Instant) -> InterpreterChoice:
        assert constraint.specifier is not None
        version = constraint.specifier.removeprefix("==").replace("*", "5")
        return replace(choice(version), wanted=version, reason=constraint.rule)


def chosen(
    old: str, year: int, specifier: str | None = None, *here: str, kind: str = "requires"
) -> InterpreterChoice:
    constraint = PythonConstraint(specifier=specifier, kind=kind, rule="requires-python")  # type: ignore[arg-type]
    dated = DatedProject(
        name="p",
        tree=Path("/p"),
        digest="0",
        instant=datetime(year, 11, 15, tzinfo=UTC),
        python_constraint=constraint,
    )
    here = here or ("3.9", "3.10", "3.11", "3.12", "3.13")
    return kept_interpreter(choice(old), dated, Pythons(*here))  # type: ignore[arg-type]


def test_the_old_one_stays_while_it_is_supported() -> None:
    found = chosen("3.11.2", 2025)
    assert (found.interpreter.version, found.note) == ("3.11.2", None)
    assert found.reason == "the old side's, supported until 2027-10-31"


def test_then_the_oldest_supported_one_that_the_project_allows_takes_its_place() -> None:
    assert chosen("3.8.18", 2024).interpreter.version == "3.9.5"
    assert chosen("3.8.18", 2025).interpreter.version == "3.10.5"
    found = chosen("3.8.18", 2025, ">=3.8,!=3.10.*")
    assert found.interpreter.version == "3.11.5"
    assert found.reason == (
        "Python 3.8 of the old side was supported until 2024-10-07: 3.11 is the oldest that was supported on "
        "2025-11-15 and that the project allows"
    )


def test_classifiers_keep_nobody_from_installing() -> None:
    assert chosen("3.8.18", 2024, "==3.8.*", kind="classifiers").interpreter.version == "3.9.5"


def test_where_none_is_allowed_the_old_one_is_kept_and_it_is_said() -> None:
    found = chosen("3.8.18", 2025, ">=3.6,<3.9")
    assert found.interpreter.version == "3.8.18"
    assert "requires-python >=3.6,<3.9 allows none that was supported on 2025-11-15" in found.reason


def test_what_cannot_be_had_here_is_passed_over() -> None:
    found = chosen("3.8.18", 2024, None, "3.11")
    assert found.interpreter.version == "3.11.5"
    assert found.reason.endswith("(3.9, 3.10 cannot be had here)")


@pytest.mark.parametrize(
    ("minor", "end"),
    [
        ((3, 8), date(2024, 10, 7)),
        ((3, 12), date(2028, 10, 31)),
        ((3, 99), None),
    ],
)
def test_when_support_ends(minor: tuple[int, int], end: date | None) -> None:
    assert end_of_support(minor) == end


def test_what_was_supported() -> None:
    assert supported_minors(datetime(2021, 3, 1, tzinfo=UTC)) == ((3, 6), (3, 7), (3, 8), (3, 9))
    assert supported_minors(datetime(2024, 10, 7, 12, tzinfo=UTC))[0] == (3, 8)
    assert supported_minors(datetime(2024, 10, 8, tzinfo=UTC))[0] == (3, 9)


@pytest.mark.parametrize(
    ("asked", "old", "specifier", "version"),
    [
        ("3.9.13", "3.10.4", None, "3.10.4"),  # a matrix has 3.10 before it is what the day asks for
        ("3.9.13", "3.10.4", ">=3.8", "3.10.4"),
        ("3.9.13", "3.10.4", "<3.10", "3.9.13"),
        ("3.10.13", "3.10.4", None, "3.10.13"),
        ("3.11.7", "3.10.4", None, "3.11.7"),
    ],
)
def test_what_an_instant_asks_for_is_not_older_than_the_old_one(
    asked: str, old: str, specifier: str | None, version: str
) -> None:
    constraint = PythonConstraint(specifier=specifier, kind="requires", rule="requires-python")
    dated = DatedProject(
        name="p",
        tree=Path("/p"),
        digest="0",
        instant=datetime(2022, 7, 20, tzinfo=UTC),
        python_constraint=constraint,
    )
    found = not_older(choice(asked), choice(old), dated)
    assert found.interpreter.version == version
    assert (found.reason == "the old side's, as Python 3.9 is older") == (version == old)
