"""Odd but honest suites are not taken for forged ones, whatever the Python and the way it is watched."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from odd_suites import OddSuite, check_odd_run, odd_suites, old_suites

from backdate.environments.environment import Environment
from backdate.recipes.recipe import SuitePlan
from backdate.sandboxes.interface import Sandbox
from backdate.testing.outcomes import SuiteRun

REQUIREMENTS = ("pytest", "pytest-cov", "pytest-xdist")


@pytest.mark.network
@pytest.mark.slow
@pytest.mark.parametrize("version", ["3.6", "3.8", "3.12", "3.13"])
@pytest.mark.parametrize("suite", odd_suites())
def test_an_odd_suite_is_not_forged(
    run: Callable[..., SuiteRun],
    one_sandbox: Sandbox,
    build_environment: Callable[..., Environment],
    plan: Callable[..., SuitePlan],
    version: str,
    suite: OddSuite,
) -> None:
    environment = build_environment(version, *REQUIREMENTS, instant="2025-02-01T00:00:00Z")
    done = run(one_sandbox, environment, suite.files, plan(suite.runner, *suite.arguments), witness=True)
    check_odd_run(done, suite)


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.7", "3.6", "3.13"])
@pytest.mark.parametrize("name", old_suites())
def test_an_odd_suite_without_any_distribution_is_not_forged(
    run: Callable[..., SuiteRun],
    one_sandbox: Sandbox,
    plain_environment: Callable[[str], Environment],
    plan: Callable[..., SuitePlan],
    version: str,
    name: str,
) -> None:
    suite = old_suites()[name]
    environment = plain_environment(version)
    done = run(one_sandbox, environment, suite.files, plan(suite.runner, *suite.arguments), witness=True)
    check_odd_run(done, suite)
