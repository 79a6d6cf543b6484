"""Which of a project's own bounds keep a newer release away."""

from __future__ import annotations

from typing import Any

import pytest
from builders import lock
from fake_setups import recipe

from backdate.checking.own_bounds import separating_bounds
from backdate.projects.unpinning import LoosenedRequirement
from backdate.recipes.recipe import InstallStep, Provenance


def change(before: str, file: str = "pyproject.toml", line: int = 1, **more: Any) -> LoosenedRequirement:
    values: dict[str, Any] = {
        "kind": "dependency",
        "name": before,
        "after": "",
    } | more
    return LoosenedRequirement(file=file, line=line, before=before, **values)


NEWEST = lock(marshmallow="4.1.0", click="8.1", numpy="2.0.0", six="1.16")


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("marshmallow<4", [("marshmallow", "<4", "4.1.0")]),
        ("Marshmallow[tests] >=3,<4 ; python_version >= '3.8'", [("marshmallow", "<4,>=3", "4.1.0")]),
        ("marshmallow<4; python_version < '3.8'", []),
        ("marshmallow<4; extra == 'web'", []),
        ("marshmallow ^3.0", [("marshmallow", "<4,>=3.0", "4.1.0")]),
        ("marshmallow ^3 || ^4", []),
        ("click<9", []),
        ("absent<1", []),
        ("six==1.16", []),
        ("not a requirement", []),
    ],
)
def test_what_the_newest_release_does_not_obey(before: str, expected: list[tuple[str, str, str]]) -> None:
    found = separating_bounds([change(before)], recipe("x"), NEWEST)
    assert [(one.distribution, one.specifier, one.newest) for one in found] == expected
    assert all(one.declared == before for one in found)


def test_bounds_of_builds_and_interpreters_are_none_of_packages() -> None:
    changes = [change("numpy<2", kind="build"), change("<3.12", kind="python", name="python")]
    assert separating_bounds(changes, recipe("x"), NEWEST) == ()


def test_one_distribution_is_told_where_users_meet_it_with_all_its_bounds() -> None:
    changes = [
        change("numpy<1.25", "requirements-dev.txt", 4),
        change("numpy<2", "pyproject.toml", 7),
        change("marshmallow<4", "requirements.txt", 2),
    ]
    numpy, marshmallow = separating_bounds(changes, recipe("x"), NEWEST)
    assert (numpy.file, numpy.line, numpy.declared, numpy.constraint) == (
        *("pyproject.toml", 7, "numpy<2"),
        "numpy<1.25,<2",
    )
    assert marshmallow.file == "requirements.txt"


def test_a_line_of_a_ci_file_counts_and_what_a_repair_holds_back_does_not() -> None:
    written = Provenance(rule="a run step", file=".github/workflows/ci.yml", line=12)
    repaired = Provenance(rule="repair: a limit")
    own = recipe("x")
    steps = (
        InstallStep(kind="packages", packages=("numpy<2", "six"), provenance=written),
        InstallStep(kind="packages", packages=("marshmallow<4",), provenance=repaired),
    )
    (found,) = separating_bounds([], type(own)(install=steps, test=own.test), NEWEST)
    assert (found.declared, found.file, found.line) == ("numpy<2", ".github/workflows/ci.yml", 12)
