"""What the attacks share: each file is one attack, written from the attacker's side."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from attacker import Attacker
from hostile_suites import RunSuite
from judged_project import Attacked, JudgedProject, verified_task
from patience import PATIENCE_S
from ready_environments import environment_with_pytest
from sandboxed_shell import Shell, bubblewrap, python, shell

from backdate.recipes.recipe import Provenance, SuitePlan
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.interface import MIB, Limits, Sandbox
from backdate.testing.outcomes import SuiteRun
from backdate.testing.run import run_suite

__all__ = ("bubblewrap", "python", "shell")

collect_ignore = ["planted_files"]
"""What attackers leave: some of it has the names of tests."""


@pytest.fixture(params=["bubblewrap", pytest.param("docker", marks=pytest.mark.docker)])
def isolated(request: pytest.FixtureRequest) -> Sandbox:
    """Each sandbox that isolates."""
    sandbox: Sandbox = request.getfixturevalue(
        "bubblewrap" if request.param == "bubblewrap" else "docker_sandbox"
    )
    return sandbox


@pytest.fixture
def attacker(isolated: Sandbox, tmp_path: Path) -> Attacker:
    """Runs scripts from within each sandbox that isolates."""
    return Attacker(Shell(isolated, tmp_path))


@pytest.fixture
def run_suite_of(bubblewrap: Bubblewrap, tmp_path: Path) -> RunSuite:
    """Runs the suite of files that it is given by the pytest or unittest of these tests' own environment."""
    environment = environment_with_pytest()
    runs: list[SuiteRun] = []

    def run(
        files: Mapping[str, str], runner: str, *, witness: bool, arguments: tuple[str, ...] = ()
    ) -> SuiteRun:
        folder = tmp_path / str(len(runs))
        tree = folder / "tree"
        tree.mkdir(parents=True)
        for name, text in files.items():
            (tree / name).write_text(text, encoding="utf-8")
        plan = SuitePlan(runner=runner, provenance=Provenance(rule="a test"))  # type: ignore[arg-type]
        runs.append(
            run_suite(
                bubblewrap,
                environment,
                tree,
                plan,
                limits=Limits(wall_s=PATIENCE_S, memory_bytes=1024 * MIB),
                log_folder=folder / "logs",
                witness=witness,
            )
        )
        return runs[-1]

    return run


@pytest.fixture(scope="session", params=["unittest", pytest.param("pytest", marks=pytest.mark.slow)])
def attacked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Attacked:
    """A project with a verified task, whose tests run by unittest or pytest."""
    project = JudgedProject(request.param)
    return Attacked(request.param, project, verified_task(project, tmp_path_factory.mktemp("verified")))
