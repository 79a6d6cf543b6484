"""Builds and runs that are only noted down: what reaches the builder, the base systems and the runner."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_setups import carried, ran, recipe

from backdate.checking import recipe_run
from backdate.checking.dated_project import Interpreters
from backdate.environments.environment import BuildFailure, Interpreter
from backdate.environments.inputs import EnvironmentRequest
from backdate.recipes.recipe import SuitePlan
from backdate.sandboxes.interface import BaseSystem
from backdate.testing.outcomes import SuiteRun


class NoSandbox:
    name = "bwrap"

    def require(self, *_wanted: object) -> None:
        """Nothing is lacking."""


class Seen:
    """What reached the builder, and the runner of plans."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, answer: BuildFailure | None = None) -> None:
        self.requests: list[EnvironmentRequest] = []
        self.plans: tuple[SuitePlan, ...] = ()
        self.where: dict[str, object] = {}
        self.asked: list[tuple[str, ...]] = []

        def prepare(_self: object, request: EnvironmentRequest, **_more: object) -> object:
            self.requests.append(request)
            built = carried(recipe("six"), ran(passed=2)).environment
            assert built is not None
            return answer or replace(built, choice=request.choice, base=request.base)

        def run_plans(
            _sandbox: object, _built: object, tree: Path, plans: object, **where: object
        ) -> SuiteRun:
            self.plans, self.where = tuple(plans), {"tree": tree, **where}  # type: ignore[call-overload]
            return ran(passed=2)

        def base_for(
            _cache: object, _sandbox: object, packages: tuple[str, ...], *, settings: object
        ) -> BaseSystem:
            self.asked.append(packages)
            return BaseSystem(sandbox="bwrap", place="/base", key="k", packages=packages)

        found = tuple(
            Interpreter(
                version=one, executable=Path("/p", one, "bin/python"), prefix=Path("/p", one), source="path"
            )
            for one in ("3.8.18", "3.12.1")
        )
        monkeypatch.setattr("backdate.environments.build.Builder.prepare", prepare)
        monkeypatch.setattr(Interpreters, "available", found)
        monkeypatch.setattr("backdate.testing.several.run_plans", run_plans)
        monkeypatch.setattr(recipe_run, "base_for", base_for)
