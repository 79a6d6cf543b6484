"""A project between two releases of a library: both environments are real, the library is written to them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

from diagnosis_environments import environment_of
from patience import PATIENCE_S
from small_runner import MIB, write_files

from backdate.environments.environment import Environment
from backdate.recipes.recipe import Provenance, SuitePlan
from backdate.sandboxes.interface import Limits, Sandbox
from backdate.tasks.runner import TaskRunResult
from backdate.testing.run import run_suite

UNITTEST = SuitePlan(runner="unittest", targets=("test_project",), provenance=Provenance(rule="for a test"))


def with_library(root: Path, name: str, version: str, files: Mapping[str, str]) -> Environment:
    """An environment at ``root`` with one installed distribution."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(root)], check=True)
    site = next(root.glob("lib/python*/site-packages"))
    write_files(site, files)
    record = "".join(f"{file},,\n" for file in files)
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    write_files(site / f"{name}-{version}.dist-info", {"METADATA": metadata, "RECORD": record})
    return environment_of(root, root / "bin/python")


@dataclass
class TwoReleases:
    """Does for ``project`` what the real task runner does; "origin" and "target" are the two environments."""

    project: Mapping[str, str]
    environments: Mapping[str, Environment]
    sandbox: Sandbox

    def over(self, change: Callable[[Sandbox], Sandbox]) -> TwoReleases:
        return TwoReleases(self.project, self.environments, change(self.sandbox))

    def make_tree(self, task, target: Path, stage: str | None = None) -> None:
        write_files(target, self.project)

    def build(self, task, tree: Path, environment: str):
        return SimpleNamespace(answer=self.environments[environment])

    def run_tests(self, task, tree: Path, environment: str, *, log_folder: Path, only=()) -> TaskRunResult:
        run = run_suite(
            self.sandbox,
            self.environments[environment],
            tree,
            UNITTEST,
            limits=Limits(wall_s=PATIENCE_S, memory_bytes=512 * MIB, disk_bytes=256 * MIB),
            log_folder=log_folder,
            only=only or None,
        )
        bad = [one.id for one in run.results if one.outcome.bad]
        solved = run.status == "completed" and not bad
        reason = "" if solved else f"{run.status}: {bad}"
        return TaskRunResult(
            solved=solved, run=run, reason=reason, environment=self.environments[environment]
        )
