"""Carrying out one recipe at an instant: an environment, and what the tests say in it.

The one way from a recipe to a run, for set-ups, checks and bisections alike: whatever a recipe names
(variables, limits of builds, further test commands, interpreters) is honoured here.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.checking.interpreters import Interpreters
from backdate.environments.build import Builder
from backdate.environments.environment import BuildFailure, CutoffOverride, Environment, InterpreterChoice
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.system import apt_packages, base_for
from backdate.progress import NO_PROGRESS, Reporter, StageEntered
from backdate.projects.project import Project
from backdate.projects.python_constraint import PythonConstraint, read_python_constraint
from backdate.projects.tree import tree_digest
from backdate.recipes.declared import version_variables
from backdate.recipes.recipe import Recipe
from backdate.sandboxes.bases import BaseSettings
from backdate.sandboxes.debian import BaseFailure
from backdate.sandboxes.interface import BaseSystem, Limits
from backdate.testing.outcomes import SuiteRun
from backdate.testing.several import run_plans
from backdate.text import minor_version
from backdate.timeline.instants import Instant

_NOT_FOR_BUILDS = ("PYTHON", "UV_", "PIP_", "LD_", "XDG_", "LC_", "VIRTUAL_ENV", "BACKDATE_", "PYTEST_")
_NEVER_FOR_BUILDS = {"PATH", "HOME", "TMPDIR", "LANG", "TZ", "SHELL", "USER", "CI"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedProject:
    """What recipes are carried out on: one tree at one instant."""

    name: str
    tree: Path
    digest: str
    """``tree_digest(tree)``."""
    instant: Instant
    python_constraint: PythonConstraint
    """What the metadata say about interpreters."""
    version_hint: str | None = None
    python: str | None = None
    """The interpreter ("3.8") that the user asked for, whatever the project says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """With what recipes are carried out."""

    builder: Builder
    interpreters: Interpreters
    limits: Limits
    """Of each run of tests."""
    apt: bool = False
    """Whether the Debian packages that a recipe asks for are applied."""
    bases: BaseSettings | None = None
    """What the systems are made of that they are applied in; None for the usual."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeRun:
    """One recipe carried out."""

    recipe: Recipe
    choice: InterpreterChoice
    python: str | None = None
    """The interpreter that a repair asked for, against what the project says; None as a rule."""
    environment: Environment | None = None
    failure: BuildFailure | None = None
    """Why there is no environment."""
    run: SuiteRun | None = None
    """None when there was no environment to run in."""
    build_s: float = 0.0
    """Seconds until there was an environment, or none."""


def dated_project(project: Project, instant: Instant, *, python: str | None = None) -> DatedProject:
    """The ground that a project's own tree is, at ``instant``."""
    return DatedProject(
        name=project.name,
        tree=project.root,
        digest=tree_digest(project.root),
        instant=instant,
        python_constraint=read_python_constraint(project.root),
        version_hint=project.origin.version_hint,
        python=python,
    )


def choose(
    recipe: Recipe, ground: DatedProject, interpreters: Interpreters, forced: str | None = None
) -> InterpreterChoice:
    """The interpreter for ``recipe``. ``forced`` is a repair's; the user's goes before it.

    One that a repair asked for on another machine and that is not to be had on this one is not asked for.
    """
    if forced is not None and ground.python is None and interpreters.obtainable(minor_version(forced)):
        choice = interpreters.choose(ground.python_constraint, ground.instant, forced=forced)
        return replace(choice, reason=f"Python {forced}, as a repair asks for it")
    return interpreters.choose_for(recipe, ground.python_constraint, ground.instant, forced=ground.python)


def request_for(recipe: Recipe, ground: DatedProject, choice: InterpreterChoice) -> EnvironmentRequest:
    """All that the environment of ``recipe`` on ``ground`` is a function of."""
    return EnvironmentRequest(
        name=ground.name,
        tree=ground.tree,
        digest=ground.digest,
        steps=recipe.install,
        choice=choice,
        instant=ground.instant,
        version_variables=version_variables(ground.tree, ground.version_hint),
        variables=build_variables(recipe),
        build_constraints=tuple(one.requirement for one in recipe.build_constraints),
        build_requirements=tuple((one.distribution, one.requirement) for one in recipe.build_requirements),
        extra_cutoff_overrides=tuple(
            CutoffOverride(name=one.name, until=one.until, reason=one.provenance.rule)
            for one in recipe.extra_cutoff_overrides
        ),
    )


def build_variables(recipe: Recipe) -> tuple[tuple[str, str], ...]:
    """The variables of ``recipe`` for build steps, sorted.

    Those that steer the interpreter, the installers or the sandbox are left out: they are ours there.
    """
    found = {
        one.name: one.value
        for one in recipe.variables
        if one.name not in _NEVER_FOR_BUILDS and not one.name.startswith(_NOT_FOR_BUILDS)
    }
    return tuple(sorted(found.items()))


def run_recipe(
    recipe: Recipe,
    ground: DatedProject,
    means: Means,
    *,
    log_folder: Path,
    progress: Reporter = NO_PROGRESS,
    subject: str = "only",
    python: str | None = None,
    choice: InterpreterChoice | None = None,
) -> RecipeRun:
    """Build the environment of ``recipe`` on ``ground`` and run its tests there.

    ``python``: the interpreter that a repair asks for. ``choice``: the interpreter, where it was chosen
    before. What fails is in the answer; raises MachineError when the machine is at fault.
    """
    choice = choice or choose(recipe, ground, means.interpreters, python)
    recipe_run = RecipeRun(recipe=recipe, choice=choice, python=python)
    started = time.monotonic()
    built = build(recipe, ground, means, choice, progress=progress, subject=subject)
    build_s = time.monotonic() - started
    if isinstance(built, BuildFailure):
        return replace(recipe_run, failure=built, build_s=build_s)
    run = run_tests(recipe, ground, means, built, log_folder=log_folder, progress=progress, subject=subject)
    return replace(recipe_run, environment=built, run=run, build_s=build_s)


def build(
    recipe: Recipe,
    ground: DatedProject,
    means: Means,
    choice: InterpreterChoice,
    *,
    progress: Reporter = NO_PROGRESS,
    subject: str = "only",
) -> Environment | BuildFailure:
    """The environment of ``recipe`` on ``ground``.

    In a base system with its Debian packages if ``means`` say so. Raises MachineError when the machine is at
    fault.
    """
    base = base_with(apt_packages(recipe)[0], means) if means.apt else None
    if isinstance(base, BaseFailure):
        return BuildFailure(phase="install", message=base.message, choice=choice, log=base.log)
    request = replace(request_for(recipe, ground, choice), base=base)
    return means.builder.prepare(
        request, on_stage=lambda stage: progress.report(StageEntered(subject=subject, stage=stage))
    )


def run_tests(
    recipe: Recipe,
    ground: DatedProject,
    means: Means,
    environment: Environment,
    *,
    log_folder: Path,
    only: Sequence[str] | None = None,
    progress: Reporter = NO_PROGRESS,
    subject: str = "only",
) -> SuiteRun:
    """Every test command of ``recipe`` in ``environment``, which was built for it on ``ground``.

    ``only``: the node ids of the tests to run; None for all.
    """
    return run_plans(
        means.builder.sandbox,
        environment,
        ground.tree,
        (recipe.test, *recipe.further_tests),
        limits=means.limits,
        log_folder=log_folder,
        only=only,
        at=request_for(recipe, ground, environment.choice).at,
        on_progress=lambda finished, total: progress.report(
            StageEntered(
                subject=subject,
                stage="testing",
                detail=f"{finished} of {total} tests" if total else f"{finished} tests",
            )
        ),
    )


def base_with(packages: tuple[str, ...], means: Means) -> BaseSystem | BaseFailure | None:
    """A base system with these Debian packages; None for the sandbox's own, when there are none.

    Packages that the archive does not have (files name those of other releases) are left out.
    """
    cache, sandbox = means.builder.cache, means.builder.sandbox
    base = base_for(cache, sandbox, packages, settings=means.bases)
    if isinstance(base, BaseFailure) and base.missing:
        there = tuple(one for one in packages if one not in base.missing)
        base = base_for(cache, sandbox, there, settings=means.bases)
    return base
