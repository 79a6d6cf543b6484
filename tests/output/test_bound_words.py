"""What is said of the project's own bounds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from backdate.checking.answers import NeededCap, UnneededCap
from backdate.output.bound_words import breaks_in_words, liftable_in_words, proof_of_need
from backdate.timeline.instants import parse_instant

CAP = NeededCap(
    distribution="marshmallow",
    requirement="marshmallow<4",
    file="setup.py",
    line=3,
    tests=4,
    proven=True,
    newest="4.4.0",
    released=parse_instant("2026-09-01"),
    first="4.0.0",
    first_released=parse_instant("2025-04-17"),
    first_breaks=4,
)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "4 tests break since marshmallow 4.0.0 (2025-04-17), the first release above it"),
        (
            {"first_breaks": 1},
            (
                "4 tests break with marshmallow 4.4.0 (2026-09-01), 1 of them with 4.0.0 "
                "(2025-04-17), the first release above it"
            ),
        ),
        (
            {"first_breaks": 0},
            (
                "4 tests break with marshmallow 4.4.0 (2026-09-01), none of them with 4.0.0 "
                "(2025-04-17), the first release above it"
            ),
        ),
        (
            {"first_breaks": None},
            (
                "4 tests break with marshmallow 4.4.0 (2026-09-01); the first release above it is 4.0.0 "
                "(2025-04-17)"
            ),
        ),
        ({"first": "", "first_breaks": None}, "4 tests break with marshmallow 4.4.0 (2026-09-01)"),
        (
            {"tests": 1, "first_breaks": 1},
            "1 test breaks since marshmallow 4.0.0 (2025-04-17), the first release above it",
        ),
        ({"tests": 0, "first": "", "newest": "", "first_breaks": None}, "tests break"),
        (
            {
                "distribution": "python",
                "first": "",
                "first_breaks": None,
                "newest": "3.13.1",
                "released": None,
            },
            "4 tests break with Python 3.13.1",
        ),
    ],
)
def test_since_when_tests_break_is_said_as_far_as_it_was_seen(changes: dict[str, object], words: str) -> None:
    assert breaks_in_words(replace(CAP, **changes)) == words  # type: ignore[arg-type]


def test_what_a_run_showed_is_said_with_what_else_was_kept() -> None:
    assert proof_of_need(CAP) == "seen: all pass with only this cap kept"
    assert proof_of_need(replace(CAP, kept_with=("a<2",))) == "seen: all pass with this and a<2 kept"
    assert proof_of_need(replace(CAP, proven=False)) == "not shown by a run"


def free(name: str, file: str, line: int, *, compiled: bool = False) -> UnneededCap:
    return UnneededCap(
        distribution=name, requirement=f"{name}==1", file=file, line=line, without="2", compiled=compiled
    )


def said(*bounds: UnneededCap) -> list[tuple[str, str, int, str]]:
    return [(one.what, one.place.file, one.place.line, one.says) for one in liftable_in_words(bounds)]


def test_a_compiled_file_is_one_line() -> None:
    pins = [free(name, "dev.txt", line, compiled=True) for line, name in enumerate("abc", start=7)]
    assert said(*pins, free("z", "setup.py", 3)) == [
        ("3 pins", "dev.txt", 7, "nothing breaks without them; it is a compiled file: compile it again"),
        ("z==1", "setup.py", 3, "nothing breaks with z 2"),
    ]


def test_many_bounds_of_a_file_are_one_line_and_few_are_a_line_each() -> None:
    few = [free(name, "dev.txt", line) for line, name in enumerate("abcd", start=1)]
    assert [what for what, *_ in said(*few)] == ["a==1", "b==1", "c==1", "d==1"]
    assert said(*few, free("e", "dev.txt", 5)) == [
        ("5 bounds", "dev.txt", 1, "a==1, b==1, c==1 and 2 more: nothing breaks without them")
    ]
