"""Odd but honest suites are never taken for forged ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from odd_suites import TWO, OddSuite, check_odd_run, odd_suites
from ready_environments import environment_with_pytest

from backdate.environments.environment import Environment
from backdate.recipes.recipe import SuitePlan
from backdate.sandboxes.interface import Sandbox
from backdate.testing.integrity import (
    UNKNOWN_INTEGRITY,
    IntegrityReason,
    Witnessing,
    integrity_of,
    merge_integrities,
)
from backdate.testing.outcomes import Outcome, SuiteRun

WITNESSED, NOT_WITNESSED = Witnessing.WITNESSED, Witnessing.NOT_WITNESSED


@pytest.mark.parametrize(
    "suite", odd_suites(("tests inherited", "loops that end by an exception", "doctests"))
)
def test_an_odd_suite_is_not_forged(
    run: Callable[..., SuiteRun],
    one_sandbox: Sandbox,
    plan: Callable[..., SuitePlan],
    suite: OddSuite,
) -> None:
    environment = environment_with_pytest(*suite.plugins)
    done = run(one_sandbox, environment, suite.files, plan(suite.runner, *suite.arguments), witness=True)
    check_odd_run(done, suite)


def test_a_crash_is_no_forgery(
    run: Callable[..., SuiteRun],
    one_sandbox: Sandbox,
    bare_pytest: Environment,
    plan: Callable[..., SuitePlan],
) -> None:
    files = {"test_odd.py": "import os\ndef test_0(): pass\ndef test_1(): os._exit(0)\ndef test_2(): pass\n"}
    done = run(one_sandbox, bare_pytest, files, plan("pytest"))
    assert done.count(Outcome.CRASHED) == 1
    assert done.integrity.state is NOT_WITNESSED
    assert IntegrityReason.NO_END in done.integrity.reasons


@pytest.mark.parametrize(
    ("script", "state"),
    [("pytest test_odd.py\n", NOT_WITNESSED), ("python -m pytest test_odd.py\n", WITNESSED)],
)
def test_of_scripts_only_those_that_start_one_suite_are_witnessed(
    run: Callable[..., SuiteRun],
    one_sandbox: Sandbox,
    bare_pytest: Environment,
    plan: Callable[..., SuitePlan],
    script: str,
    state: Witnessing,
) -> None:
    files = {"test_odd.py": TWO, "tests.sh": script}
    done = run(one_sandbox, bare_pytest, files, plan("script", targets=("tests.sh",)), witness=True)
    assert done.count(Outcome.PASSED) == 2
    assert done.integrity.state is state
    if state is NOT_WITNESSED:
        assert IntegrityReason.NO_CHANNEL in done.integrity.reasons


@pytest.mark.docker
def test_a_suite_in_a_container_is_witnessed(
    run: Callable[..., SuiteRun],
    docker_sandbox: Sandbox,
    bare_pytest: Environment,
    plan: Callable[..., SuitePlan],
) -> None:
    done = run(docker_sandbox, bare_pytest, {"test_odd.py": TWO}, plan("pytest"), witness=True)
    assert done.integrity.state is WITNESSED, (done.integrity.reasons, done.log_end)


def test_one_forgery_makes_a_run_forged() -> None:
    assert integrity_of(()).state is WITNESSED
    lost = integrity_of([IntegrityReason.EVENTS_LOST])
    assert lost.state is NOT_WITNESSED
    both = merge_integrities([lost, integrity_of([IntegrityReason.CANARY_WRONG], canaries=3, bodies=2)])
    assert both.state is Witnessing.FORGED
    assert both.reasons == (IntegrityReason.EVENTS_LOST, IntegrityReason.CANARY_WRONG)
    assert (both.canaries, both.bodies) == (3, 2)


def test_runs_that_were_stored_before_are_not_witnessed() -> None:
    assert UNKNOWN_INTEGRITY.state is NOT_WITNESSED
    assert UNKNOWN_INTEGRITY.reasons == (IntegrityReason.NOT_RECORDED,)
