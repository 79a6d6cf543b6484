"""What a row alone decides."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from backdate.construction.candidate import Candidate
from backdate.construction.migration.builder import MigrationBuilder
from backdate.construction.plan import BuildPlan
from backdate.construction.rules import exclude_by_row
from backdate.errors import InstantError

PLAN = BuildPlan(target=datetime(2025, 7, 31, tzinfo=UTC))
GOOD = Candidate(
    kind="git",
    name="a/b",
    location="https://example.org/a/b",
    revision="abc1234",
    dated=datetime(2021, 3, 1, 5, tzinfo=UTC),
    stars=3,
    licenses=("MIT",),
    language="Python",
)


def stage(candidate: Candidate, plan: BuildPlan = PLAN) -> str | None:
    excluded = exclude_by_row(candidate, plan) or MigrationBuilder().exclude_by_row(candidate, plan)
    return None if excluded is None else excluded.stage


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, None),
        ({"language": "Rust"}, "language"),
        ({"language": None, "stars": None, "licenses": None, "dated": None}, None),
        ({"licenses": ("GPL-3.0",)}, "licence"),
        ({"licenses": ()}, None),
        ({"stars": 0}, "stars"),
        ({"dated": datetime(2025, 7, 31, 1, tzinfo=UTC)}, "window"),
        ({"dated": datetime(2025, 7, 30, 23, tzinfo=UTC)}, None),
        ({"dated": datetime(1970, 1, 1, tzinfo=UTC)}, "window"),
        ({"kind": "sdist", "revision": "", "dated": None}, "window"),
    ],
)
def test_rules(change: dict[str, object], expected: str | None) -> None:
    assert stage(replace(GOOD, **change)) == expected  # type: ignore[arg-type]


def test_an_origin_takes_the_place_of_each_row_s_date() -> None:
    plan = replace(PLAN, origin=datetime(2021, 3, 1, tzinfo=UTC))
    assert stage(replace(GOOD, dated=datetime(2025, 8, 1, tzinfo=UTC)), plan) is None
    assert stage(replace(GOOD, kind="sdist", revision="", dated=None), plan) is None
    with pytest.raises(InstantError, match="not before"):
        replace(PLAN, origin=PLAN.target)
