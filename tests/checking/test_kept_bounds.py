"""Which environments with a bound kept are run, and which are those of the declared side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from builders import lock
from stored_results import make_check_result

from backdate.checking.kept_bounds import KeptBounds
from backdate.checking.own_bounds import OwnBound
from backdate.environments.environment import BuildFailure, LockedDistribution
from backdate.environments.inputs import EnvironmentRequest
from backdate.progress import NO_PROGRESS
from backdate.recipes.recipe import Provenance, SuitePlan

BOUND = OwnBound(
    distribution="numpy", declared="numpy<2", file="setup.cfg", line=3, specifier="<2", newest="2.0"
)
DECLARED = make_check_result().new
LOCAL = LockedDistribution(name="thing", version="1+of.another.tree", source=".")
OTHER_TESTS = SuitePlan(runner="unittest", provenance=Provenance(rule="a test"))


class Builder:
    """Resolves to a given lock, and builds nothing."""

    def __init__(self, resolved: object) -> None:
        self.resolved = resolved
        self.asked: list[str] = []

    def resolve(self, request: EnvironmentRequest) -> object:
        return self.resolved

    def prepare(self, request: EnvironmentRequest) -> BuildFailure:
        self.asked += request.constraints
        return BuildFailure(phase="resolve", message="", choice=DECLARED.choice, log=Path("/log"))


def passing(builder: Builder, **recipe: Any) -> frozenset[str]:
    request = EnvironmentRequest(
        name="thing", tree=Path("/t"), digest="0", steps=(), choice=DECLARED.choice, instant=DECLARED.instant
    )
    new = SimpleNamespace(recipe=replace(DECLARED.recipe, **recipe))
    pair: Any = SimpleNamespace(new=new, new_request=request)
    resources: Any = SimpleNamespace(builder=builder)
    kept = KeptBounds(pair, resources, ["t.py::b"], Path("/f"), NO_PROGRESS, declared=DECLARED)
    return kept.passing([BOUND])


def test_what_was_tested_as_declared_is_not_run_again() -> None:
    same = lock(numpy="1.26.0")
    own_tree = replace(same, distributions=(*same.distributions, LOCAL))
    builder = Builder(SimpleNamespace(lock=own_tree))
    assert passing(builder) == {"t.py::a"}  # what is good there
    assert builder.asked == []


@pytest.mark.parametrize(
    ("resolved", "recipe"),
    [
        (SimpleNamespace(lock=lock(numpy="1.26.0", other="1")), {}),
        (SimpleNamespace(lock=replace(lock(numpy="1.26.0"), python="3.12.0")), {}),
        (BuildFailure(phase="resolve", message="", choice=DECLARED.choice, log=Path("/log")), {}),
        (SimpleNamespace(lock=lock(numpy="1.26.0")), {"test": OTHER_TESTS}),
    ],
)
def test_another_environment_or_other_commands_are_run(resolved: object, recipe: dict[str, Any]) -> None:
    builder = Builder(resolved)
    assert passing(builder, **recipe) == frozenset()
    assert builder.asked == ["numpy<2"]
