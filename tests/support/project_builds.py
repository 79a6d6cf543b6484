"""Real builds of small projects, for attacks at build time."""

from __future__ import annotations

from pathlib import Path

from backdate.checking.dated_project import Interpreters
from backdate.environments.build import Builder
from backdate.environments.cache import Cache, default_cache
from backdate.environments.environment import BuildFailure, Environment
from backdate.environments.inputs import EnvironmentRequest
from backdate.projects.python_constraint import read_python_constraint
from backdate.projects.tree import tree_digest
from backdate.recipes.recipe import InstallStep, Provenance
from backdate.sandboxes.choose import choose_sandbox
from backdate.timeline.instants import parse_instant

INSTANT = parse_instant("2023-06-01")
RULE = Provenance(rule="a test")


def build_project(
    folder: Path, setup: str, *, requirements: str = "", open_network: bool = False
) -> Environment | BuildFailure:
    """Build the environment of a project with that ``setup.py``."""
    tree = folder / "project"
    tree.mkdir(exist_ok=True)
    (tree / "setup.py").write_text(setup)
    (tree / "requirements.txt").write_text(requirements)
    cache = Cache(default_cache())
    steps: tuple[InstallStep, ...] = (InstallStep(kind="project", provenance=RULE, file="."),)
    if requirements:
        steps = (InstallStep(kind="requirements", provenance=RULE, file="requirements.txt"), *steps)
    request = EnvironmentRequest(
        tree=tree,
        digest=tree_digest(tree),
        steps=steps,
        name="project",
        choice=Interpreters(cache.folder).choose(read_python_constraint(tree), INSTANT, forced="3.11"),
        instant=INSTANT,
    )
    return Builder(cache, choose_sandbox("bwrap"), open_network=open_network).prepare(request)
