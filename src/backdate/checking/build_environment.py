"""One environment as of an instant, in a folder of the caller's."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.requirements import Requirement

from backdate.checking.dated_project import DatedProject, Interpreters, choose, dated_project
from backdate.checking.resources import Resources, require_new_folder
from backdate.environments.environment import BuildFailure, Environment
from backdate.environments.inputs import EnvironmentRequest
from backdate.errors import SourceError, UsageError
from backdate.progress import NO_PROGRESS, ONLY, Activity, Reporter, StageReporter
from backdate.projects.project import Project
from backdate.projects.python_constraint import read_python_constraint
from backdate.projects.tree import tree_digest
from backdate.recipes.recipe import InstallStep, Provenance, Recipe, SuitePlan
from backdate.text import UNREADABLE, first_line
from backdate.timeline.instants import Instant, require_past

if TYPE_CHECKING:
    from backdate.checking.starting_recipes import StartingRecipe
    from backdate.index.closed import AllowedFiles

BUILD_REQUIREMENTS = "build-requirements.txt"
"""In the folder of an environment whose builds are locked: what they take besides what it holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentResult:
    """An environment, or why there is none."""

    environment: Environment | None = None
    failure: BuildFailure | None = None


def build_project_environment(
    resources: Resources,
    source: str | Path,
    *,
    instant: Instant,
    output: Path,
    packages: tuple[str, ...] = (),
    tests: bool = False,
    python: str | None = None,
    lock_builds: bool = False,
    progress: Reporter = NO_PROGRESS,
) -> EnvironmentResult:
    """Build the environment of a project, or of ``packages`` alone, as of ``instant`` at ``output``.

    ``output`` becomes a virtual environment with its lock beside (``pylock.toml``, PEP 751); it must not
    exist or be empty. With ``tests`` what the project's tests need is in it as well. With ``lock_builds`` it
    is built once more to see what builds take from the index besides, for ``build-requirements.txt``.
    """
    output = output.absolute()
    require_new_folder(output)
    require_past(instant)
    for package in packages:
        _require_requirement(package)
    with tempfile.TemporaryDirectory(prefix="backdate-") as temporary:
        work = Path(temporary, "project")
        work.mkdir()
        if packages:
            request = packages_request(packages, work, instant, resources.interpreters, python)
        else:
            from backdate.checking.recipe_run import request_for  # with all that running tests takes

            progress.report(Activity(text=f"opening {source}"))
            project = resources.open_project(source, work, before=instant)
            dated = dated_project(project, instant, python=python)
            start = _tested(project, dated, resources) if tests else _untested(dated)
            choice = choose(start.recipe, dated, resources.interpreters, start.python)
            request = request_for(start.recipe, dated, choice)
        built = resources.builder.build_at(request, output, progress=progress)
        if lock_builds and isinstance(built, Environment):
            from backdate.environments.throwaway import files_that_builds_take

            progress.report(Activity(text="building once more, to see what builds take from the index"))
            taken = files_that_builds_take(resources.builder, request, built, Path(temporary, "again"))
            if isinstance(taken, BuildFailure):
                built = taken
            else:
                (output / BUILD_REQUIREMENTS).write_text(_with_hashes(taken, built), encoding="utf-8")
    if isinstance(built, BuildFailure):
        StageReporter(progress, ONLY).enter("failed")
        return EnvironmentResult(failure=built)
    return EnvironmentResult(environment=built)


def _with_hashes(taken: Iterable[AllowedFiles], built: Environment) -> str:
    """The files that are not in the environment's own lock, in the format of requirement files."""
    held = {(one.name, one.version): set(one.hashes) for one in built.lock.distributions}
    lines = []
    for release in taken:
        hashes = sorted(release.hashes - held.get((release.name, release.version), set()))
        if hashes:
            words = (f"{release.name}=={release.version}", *(f"--hash={one}" for one in hashes))
            lines.append(" \\\n    ".join(words))
    return "".join(f"{line}\n" for line in lines)


def _require_requirement(text: str) -> None:
    """Raise UsageError unless ``text`` is one requirement (PEP 508): no option, no second line."""
    try:
        Requirement(text)
    except UNREADABLE as error:
        words = first_line(str(error))
        raise UsageError(f"{text!r} is not a requirement ({words}); write 'six' or 'six>=1.15'") from error


def packages_request(
    packages: tuple[str, ...],
    tree: Path,
    instant: Instant,
    interpreters: Interpreters,
    python: str | None,
) -> EnvironmentRequest:
    """What to build for ``packages`` alone, ``tree`` an empty folder. Raises InterpreterMissing."""
    rule = Provenance(rule="named on the command line")
    return EnvironmentRequest(
        name="packages",
        tree=tree,
        digest=tree_digest(tree),
        steps=(InstallStep(kind="packages", packages=packages, provenance=rule),),
        choice=interpreters.choose(read_python_constraint(tree), instant, forced=python),
        instant=instant,
    )


def _untested(dated: DatedProject) -> StartingRecipe:
    """What the project needs to run, without its tests' needs."""
    from backdate.checking.starting_recipes import StartingRecipe
    from backdate.recipes.basic import install_steps

    steps = install_steps(dated.tree)
    if not steps:
        raise SourceError("the project declares nothing to install: no requirements, no metadata")
    none = SuitePlan(runner="pytest", provenance=Provenance(rule="no tests are run"))
    return StartingRecipe(recipe=Recipe(install=steps, test=none), source="what the project declares")


def _tested(project: Project, dated: DatedProject, resources: Resources) -> StartingRecipe:
    """The recipe that a check begins with."""
    from backdate.checking.starting_recipes import starting_recipes

    starting = starting_recipes(project, dated, resources)
    if not starting.starts:
        raise SourceError("no tests were found in the project; leave --tests away")
    return starting.starts[0]
