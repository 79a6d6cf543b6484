"""Suites that commit: programs for version control ask for somebody's name and address."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from backdate.environments.environment import Environment
from backdate.recipes.recipe import SuitePlan
from backdate.sandboxes.interface import Sandbox
from backdate.sandboxes.unsafe_local import UnsafeLocal
from backdate.testing.outcomes import SuiteRun

COMMITS = """
import subprocess

def git(*arguments):
    return subprocess.run(("git", *arguments), check=True, capture_output=True, text=True).stdout.strip()

def test_somebody_commits_and_tags(tmp_path):
    git("init", str(tmp_path))
    git("-C", str(tmp_path), "commit", "--allow-empty", "-m", "first")
    git("-C", str(tmp_path), "tag", "-m", "a tag with a tagger", "v1")

def test_what_a_project_sets_itself_goes_before(tmp_path):
    git("init", str(tmp_path))
    git("-C", str(tmp_path), "config", "user.email", "someone@example.org")
    git("-C", str(tmp_path), "commit", "--allow-empty", "-m", "first")
    assert git("-C", str(tmp_path), "log", "-1", "--format=%ae") == "someone@example.org"
"""


def test_a_suite_commits_without_a_configuration_of_git(
    one_sandbox: Sandbox,
    bare_pytest: Environment,
    plan: Callable[..., SuitePlan],
    run: Callable[..., SuiteRun],
) -> None:
    if isinstance(one_sandbox, UnsafeLocal):
        pytest.skip("the user of this machine may have no name")
    result = run(one_sandbox, bare_pytest, {"test_commits.py": COMMITS}, plan("pytest"))
    assert {one.id: str(one.outcome) for one in result.results} == {
        "test_commits.py::test_somebody_commits_and_tags": "passed",
        "test_commits.py::test_what_a_project_sets_itself_goes_before": "passed",
    }, [one.raised for one in result.results]
