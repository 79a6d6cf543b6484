"""An older setuptools, where the newest fails itself."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.recipes.files import Files
from backdate.recipes.recipe import BuildConstraint, Provenance, Recipe, SuitePlan
from backdate.recipes.repair.failing_setuptools import older_setuptools
from backdate.recipes.repair.repair_context import RepairContext
from backdate.recipes.repair.setup_failure import read_failure

WHY = Provenance(rule="a test")
VERSIONS = ("0.9", *(f"{major}.{minor}" for major in range(50, 70) for minor in (0, 1)), "weird")
FRAMES = """Traceback (most recent call last):
  File "<string>", line 3, in <module>
  File "/tmp/b/lib/python3.11/site-packages/{module}", line 163, in _long_description
    file = val.get("file") or []
           ^^^^^^^
AttributeError: 'NoneType' object has no attribute 'get'
"""


class Releases:
    """Facts of an index that knows the versions of setuptools alone."""

    def versions(self, name: str, at: datetime) -> tuple[str, ...]:
        return VERSIONS if name == "setuptools" else ()


def limits(root: Path, text: str, phase: str = "resolve", known: tuple[str, ...] = ()) -> list[str]:
    failure = read_failure(
        phase=phase,  # type: ignore[arg-type]
        status="failed",
        texts=[text],
        problems=[],
        python="3.11.7",
        instant=datetime(2024, 2, 1, tzinfo=UTC),
        passed=0,
        ran=0,
    )
    constraints = tuple(BuildConstraint(requirement=one, provenance=WHY) for one in known)
    plan = SuitePlan(runner="pytest", provenance=WHY)
    recipe = Recipe(install=(), test=plan, build_constraints=constraints)
    facts: object = Releases()
    context = RepairContext(failure=failure, recipe=recipe, files=Files(root), index_facts=facts)  # type: ignore[arg-type]
    return [
        one.requirement for repair in older_setuptools(context) for one in repair.recipe.build_constraints
    ]


def test_the_series_before_the_newest_and_a_much_older_one_are_tried(tmp_path: Path) -> None:
    text = FRAMES.format(module="setuptools/config/_apply_pyprojecttoml.py")
    assert limits(tmp_path, text) == ["setuptools<69", "setuptools<62"]
    assert limits(tmp_path, text, known=("cython<3",)) == [
        "cython<3",
        "setuptools<69",
        "cython<3",
        "setuptools<62",
    ]


@pytest.mark.parametrize(
    "text",
    [
        FRAMES.format(module="versioneer/x.py"),
        FRAMES.format(module="setuptools/x.py").replace("AttributeError", "warning"),
        FRAMES.format(module="setuptools/x.py").replace("Attr", '  File "setup.py", line 2, in g\nAttr'),
        "AttributeError: 'NoneType' object has no attribute 'get'\n",
    ],
)
def test_errors_of_others_are_not_its_own(tmp_path: Path, text: str) -> None:
    assert limits(tmp_path, text) == []


def test_limits_that_are_there_stay_and_tests_build_nothing(tmp_path: Path) -> None:
    text = FRAMES.format(module="setuptools/dist.py")
    assert limits(tmp_path, text, known=("setuptools<58",)) == []
    assert limits(tmp_path, text, phase="tests") == []
