"""Changed trees, limits, and which result belongs to which change."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import builders
import pytest

from backdate.testing.changed_tests.changed_tree import (
    LEAST_CASE_WALL_S,
    LEAST_WALL_S,
    SecretChange,
    candidates_in,
    files_of_tests,
    limits_of,
    make_change,
    write_changed,
)
from backdate.testing.changed_tests.kinds import ChangeKind
from backdate.testing.outcomes import Frame, Outcome, Raised

FILE = "tests/test_shapes.py"
TEXT = "class TestShape:\n    def test_area(self):\n        assert area(2) == 4\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    (root / FILE).parent.mkdir(parents=True)
    (root / FILE).write_text(TEXT)
    return root


def change_in(tree: Path, kind: ChangeKind = ChangeKind.INVERTED) -> SecretChange:
    candidate = next(one for one in candidates_in(tree, FILE) or () if one.kind is kind)
    return make_change(FILE, candidate, random.Random(1))


def test_only_the_copy_is_changed(tree: Path, tmp_path: Path) -> None:
    change = change_in(tree)
    write_changed(tree, tmp_path / "changed", [change])
    assert (tree / FILE).read_text() == TEXT
    assert (tmp_path / "changed" / FILE).read_text() == TEXT.replace(
        "assert area(2) == 4", f"assert not area(2) == 4, '{change.secret}'"
    )


@pytest.mark.parametrize(
    ("identity", "file", "named"),
    [
        (f"{FILE}::TestShape::test_area", FILE, True),
        (f"{FILE}::TestShape::test_area[2-3]", FILE, True),
        (f"{FILE}::test_area", FILE, False),
        ("other.py::TestShape::test_area", "other.py", False),
        ("tests.test_shapes.TestShape.test_area", FILE, True),
        ("tests.test_shapes.TestShape.test_area#2", FILE, True),
        ("test_shapes.TestShape.test_area", None, True),
        ("tests.test_shapes.TestShape.test_area", "elsewhere.py", False),
        ("tests.test_shapes.TestOther.test_area", FILE, False),
    ],
)
def test_the_results_that_name_a_changed_function(tree: Path, identity, file, named) -> None:
    result = replace(builders.result(identity), file=file)
    assert change_in(tree).concerns(result) is named


def test_only_its_own_failure_counts(tree: Path) -> None:
    change = change_in(tree)
    own = Frame(file=FILE, line=3, function="test_area")
    failure = Raised(type="AssertionError", message=f"{change.secret}: no", frames=(own,))
    result = builders.result(f"{FILE}::TestShape::test_area", Outcome.FAILED, failure)
    assert change.caused(result)
    assert not change.caused(replace(result, outcome=Outcome.ERROR))
    long = replace(failure, message="0, 1, …", frames=(replace(own, source=f"assert x, '{change.secret}'"),))
    assert change.caused(replace(result, raised=(long,)))
    for other in (
        replace(failure, message="no"),
        replace(failure, type="ValueError"),
        replace(failure, frames=(replace(own, function="f"),)),
        replace(failure, frames=(replace(own, file="conftest.py"),)),
    ):
        assert not change.caused(replace(result, raised=(other,)))


def test_limits_grow_with_the_suite_and_its_longest_test() -> None:
    short = limits_of(builders.run(builders.result("a")))
    assert (short.case_wall_s, short.wall_s) == (LEAST_CASE_WALL_S, LEAST_WALL_S + 3 * LEAST_CASE_WALL_S)
    slow = replace(builders.result("a"), duration_s=100.0)
    long = limits_of(replace(builders.run(slow), duration_s=500.0))
    assert (long.case_wall_s, long.wall_s) == (300.0, 1500.0 + 3 * 300.0)


def test_files_outside_of_the_tree_are_left_alone(tree: Path) -> None:
    inside = builders.result(f"{FILE}::test_a")
    others = [
        replace(builders.result("x"), file=file)
        for file in ("/usr/lib/test_x.py", "../test_x.py", "tests/absent.py", "tests/data.txt")
    ]
    assert files_of_tests(builders.run(inside, *others), tree) == (FILE,)
