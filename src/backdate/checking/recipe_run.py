"""Running one recipe at an instant: an environment, and what the tests say in it.

The one way from a recipe to a test run, for set-ups, checks and bisections alike: whatever a recipe names
(variables, limits of builds, further test commands, interpreters) is honoured here.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from backdate.checking.cpu_time import cpu_time_s
from backdate.checking.dated_project import DatedProject, choose
from backdate.checking.optional_modules import optional_notes
from backdate.checking.resources import Resources
from backdate.checking.rights import given_rights, granted_packages, services_allowed
from backdate.checking.service_notes import service_notes
from backdate.environments.environment import BuildFailure, CutoffOverride, Environment, InterpreterChoice
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.system import apt_packages, base_for
from backdate.progress import NO_PROGRESS, ONLY, Reporter, StageReporter
from backdate.recipes.declared import version_variables
from backdate.recipes.recipe import Recipe
from backdate.sandboxes.interface import BaseSystem
from backdate.sandboxes.interruption import check
from backdate.sandboxes.services.plan import ServicePlan, plan_services
from backdate.testing.outcomes import CaseResult, Frame, Raised, SuiteRun

if TYPE_CHECKING:
    from backdate.index.closed import AllowedFiles
    from backdate.sandboxes.debian import BaseFailure
    from backdate.testing.changed_tests.changed_tree import ChangedRunLimits
    from backdate.testing.moved_clock import MovedClock

LONGEST_CASE = 0.5
"""The part of a suite's time after which a test of which nothing is heard is ended, and the others run on."""
_NOT_FOR_BUILDS = ("PYTHON", "UV_", "PIP_", "LD_", "XDG_", "LC_", "VIRTUAL_ENV", "BACKDATE_", "PYTEST_")
_NEVER_FOR_BUILDS = {"PATH", "HOME", "TMPDIR", "LANG", "TZ", "SHELL", "USER", "CI"}
_SITE_PACKAGES = "/site-packages/"
_AT_ONCE = nullcontext()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeRun:
    """What became of one recipe."""

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
    tests_cpu_s: float = 0.0
    """Processor time of ``run``."""


_TREES = 32
"""Of the last ones it is remembered what tells a build the version: a check asks nine times."""


def request_for(recipe: Recipe, dated: DatedProject, choice: InterpreterChoice) -> EnvironmentRequest:
    """All that the environment of ``recipe`` on ``dated`` is a function of."""
    return EnvironmentRequest(
        name=dated.name,
        tree=dated.tree,
        digest=dated.digest,
        steps=recipe.install,
        choice=choice,
        instant=dated.instant,
        version_variables=dict(_version_variables(dated.tree, dated.digest, dated.version_hint)),
        constraints=dated.locked.constraints if dated.locked is not None else (),
        allowed_files=_allowed_files(dated),
        variables=build_variables(recipe),
        build_constraints=tuple(limit.requirement for limit in recipe.build_constraints),
        build_requirements=tuple((need.distribution, need.requirement) for need in recipe.build_requirements),
        extra_cutoff_overrides=tuple(
            CutoffOverride(name=later.name, until=later.until, reason=later.provenance.rule)
            for later in recipe.extra_cutoff_overrides
        ),
    )


@lru_cache(maxsize=_TREES)
def _version_variables(tree: Path, content: str, version: str | None) -> Mapping[str, str]:
    """Those of ``tree``, whose digest is ``content``."""
    del content  # it tells the trees apart that lie at one path in turn
    return version_variables(tree, version)


def _allowed_files(dated: DatedProject) -> tuple[AllowedFiles, ...]:
    if dated.locked is None:
        return ()
    from backdate.checking.locked_side import allowed_files

    return allowed_files(dated.locked)


def build_variables(recipe: Recipe) -> tuple[tuple[str, str], ...]:
    """The variables of ``recipe`` for build steps, sorted.

    Those that steer the interpreter, the installers or the sandbox are left out: builds set their own.
    """
    variables = {
        variable.name: variable.value
        for variable in recipe.variables
        if variable.name not in _NEVER_FOR_BUILDS and not variable.name.startswith(_NOT_FOR_BUILDS)
    }
    return tuple(sorted(variables.items()))


def run_recipe(
    recipe: Recipe,
    dated: DatedProject,
    resources: Resources,
    *,
    log_folder: Path,
    progress: Reporter = NO_PROGRESS,
    subject: str = ONLY,
    python: str | None = None,
    choice: InterpreterChoice | None = None,
    building: AbstractContextManager[object] = _AT_ONCE,
    testing: AbstractContextManager[object] = _AT_ONCE,
) -> RecipeRun:
    """Build the environment of ``recipe`` on ``dated`` and run its tests there.

    ``python``: the interpreter that a repair asks for. ``choice``: the interpreter, where it was chosen
    before. ``building`` and ``testing`` are entered while it is built and while its tests run. What fails is
    in the result; raises MachineError when the machine is at fault.
    """
    choice = choice or choose(recipe, dated, resources.interpreters, python)
    recipe_run = RecipeRun(recipe=recipe, choice=choice, python=python)
    with building:
        check()
        started = time.monotonic()
        built = build(recipe, dated, resources, choice, progress=progress, subject=subject)
        build_s = time.monotonic() - started
    if isinstance(built, BuildFailure):
        return replace(recipe_run, failure=built, build_s=build_s)
    with testing:
        check()
        computed = cpu_time_s()
        run = run_tests(
            recipe, dated, resources, built, log_folder=log_folder, progress=progress, subject=subject
        )
        computed = cpu_time_s() - computed
    return replace(recipe_run, environment=built, run=run, build_s=build_s, tests_cpu_s=computed)


def build(
    recipe: Recipe,
    dated: DatedProject,
    resources: Resources,
    choice: InterpreterChoice,
    *,
    progress: Reporter = NO_PROGRESS,
    subject: str = ONLY,
) -> Environment | BuildFailure:
    """The environment of ``recipe`` on ``dated``.

    It is built in a base system with the Debian packages of the recipe where the settings ask for them.
    Raises MachineError when the machine is at fault.
    """
    request = based_request(recipe, dated, resources, choice)
    if isinstance(request, BuildFailure):
        return request
    built = resources.builder.prepare(request, progress=progress, subject=subject)
    if dated.locked is None:
        return built
    from backdate.checking.locked_side import with_locked_hashes  # few checks have a lock

    return with_locked_hashes(built, dated.locked)


def based_request(
    recipe: Recipe, dated: DatedProject, resources: Resources, choice: InterpreterChoice
) -> EnvironmentRequest | BuildFailure:
    """``request_for``, in the base system that the settings ask for; why there is none, where it fails."""
    wanted = wanted_packages(recipe, resources) if resources.apt else ()
    packages = tuple(sorted({*wanted, *granted_packages(resources.settings)}))
    base = base_with(packages, resources) if packages else None
    if base is not None and not isinstance(base, BaseSystem):
        return BuildFailure(phase="install", message=base.message, choice=choice, log=base.log)
    return replace(request_for(recipe, dated, choice), base=base)


def run_tests(
    recipe: Recipe,
    dated: DatedProject,
    resources: Resources,
    environment: Environment,
    *,
    log_folder: Path,
    only: Sequence[str] | None = None,
    changed_limits: ChangedRunLimits | None = None,
    witness: bool = False,
    clock: MovedClock | None = None,
    progress: Reporter = NO_PROGRESS,
    subject: str = ONLY,
) -> SuiteRun:
    """Every test command of ``recipe`` in ``environment``, which was built for it on ``dated``.

    ``only``: the node ids of the tests to run; None for all. ``changed_limits``: those of a run of changed
    tests, where they are less than the usual ones. ``witness``, ``clock``: as in ``RunOptions``.
    """
    from backdate.testing.several import run_plans

    limits = resources.limits
    if changed_limits is not None:
        limits = replace(limits, wall_s=min(changed_limits.wall_s, limits.wall_s))
    StageReporter(progress, subject).enter("testing")
    rights = given_rights(resources.settings)
    return run_plans(
        resources.builder.sandbox,
        environment,
        dated.tree,
        (recipe.test, *recipe.further_tests),
        limits=limits,
        log_folder=log_folder,
        only=only,
        case_wall_s=LONGEST_CASE * limits.wall_s if changed_limits is None else changed_limits.case_wall_s,
        at=request_for(recipe, dated, environment.choice).at,
        witness=witness,
        clock=clock,
        progress=progress,
        subject=subject,
        services=service_plan(recipe, environment.base, resources),
        network=rights.network,
        host_variables=rights.variables,
    )


def service_plan(recipe: Recipe, base: BaseSystem | None, resources: Resources) -> ServicePlan:
    """What of the services that ``recipe`` wants is started for its tests in ``base``."""
    return plan_services(
        recipe.services,
        resources.sandbox,
        base,
        templates=resources.cache.services,
        allowed=services_allowed(resources.settings),
        locales=recipe.locales,
    )


def startable_services(recipe: Recipe, resources: Resources) -> tuple[object, ...]:
    """What of the services that ``recipe`` wants would be started for its tests, wherever these run."""
    if not resources.apt or not services_allowed(resources.settings):
        return service_plan(recipe, None, resources).key
    from backdate.sandboxes.services.kinds import row_of

    services = (service.effect for service in recipe.services if row_of(service.kind).packages)
    return (*services, *recipe.locales)


def wanted_packages(recipe: Recipe, resources: Resources) -> tuple[str, ...]:
    """The Debian packages that ``recipe`` asks for, with the servers of the services that it wants."""
    from backdate.sandboxes.services.kinds import row_of

    names = set(apt_packages(recipe)[0])
    if services_allowed(resources.settings):
        names.update(*(row_of(service.kind).packages for service in recipe.services))
    if recipe.locales:
        names.add("locales")
    return tuple(sorted(names))


def base_with(packages: tuple[str, ...], resources: Resources) -> BaseSystem | BaseFailure | None:
    """A base system with these Debian packages; None for the sandbox's own, when there are none.

    Packages that the archive does not have (files name those of other releases) are left out.
    """
    cache, sandbox = resources.builder.cache, resources.builder.sandbox
    base = base_for(cache, sandbox, packages, settings=resources.bases)
    if base is not None and not isinstance(base, BaseSystem) and base.missing:
        available = tuple(package for package in packages if package not in base.missing)
        base = base_for(cache, sandbox, available, settings=resources.bases)
    return base


def notes_of(
    recipe: Recipe, choice: InterpreterChoice, environment: Environment | None, run: SuiteRun | None
) -> tuple[str, ...]:
    """Substitutes, cutoff overrides, weaker protections and suspicions, each in a sentence."""
    return tuple(_notes(recipe, choice, environment, run))


def _notes(
    recipe: Recipe, choice: InterpreterChoice, environment: Environment | None, run: SuiteRun | None
) -> Iterator[str]:
    if choice.note:
        yield choice.note
    base = environment.base if environment is not None else None
    yield from system_notes(recipe, base.packages if base is not None else ())
    if environment is not None:
        if environment.installer:
            yield f"installed by {environment.installer}"
        yield from filter(
            None, (environment.network_note, environment.replacement_note, environment.lock_note)
        )
        yield from environment.incident_notes
        for override in environment.lock.cutoff_overrides:
            yield f"{override.name} was cut at {override.until:%Y-%m-%d} instead: {override.reason}"
    if run is not None:
        yield from service_notes(run)
        yield from run.suspicions
        yield from optional_notes(run, environment)
        if run.attempts > 1:
            yield f"it took {run.attempts} processes, as tests crashed them"
        if run.enforced.network == "on" and run.enforced.files != "none":
            yield "the tests could reach this machine's network (allow-network)"
        if run.enforced.files == "none":
            yield f"ran without isolation ({run.enforced.sandbox})"
        elif run.enforced.memory != "tree":
            yield "the memory limit held for each process, not for all together"


def system_notes(recipe: Recipe, applied: Collection[str]) -> Iterator[str]:
    """The packages that the recipe asks for from the system and from conda; ``applied`` are there."""
    if applied:
        yield f"from apt, as they are today: {', '.join(applied)}"
    for manager in ("apt", "conda"):
        names = dict.fromkeys(
            name for system in recipe.system if system.manager == manager for name in system.packages
        )
        missing = [name for name in names if name not in applied]
        if missing:
            yield f"asked for from {manager}, not installed: {', '.join(missing)}"


def with_own_frames(run: SuiteRun, tree: Path) -> SuiteRun:
    """The run, with frames in installed copies of the tree's files named by the files of the tree.

    A project with a ``src`` folder is tested as it was installed: tracebacks name files of ``site-packages``.
    Readers want the file that they can edit.
    """
    seen: dict[str, str] = {}

    def own(frame: Frame) -> Frame:
        if _SITE_PACKAGES not in frame.file:
            return frame
        if frame.file not in seen:
            seen[frame.file] = _original(Path(frame.file), tree) or frame.file
        return replace(frame, file=seen[frame.file])

    def rename(chain: tuple[Raised, ...]) -> tuple[Raised, ...]:
        return tuple(replace(error, frames=tuple(map(own, error.frames))) for error in chain)

    def rewrite(result: CaseResult) -> CaseResult:
        return replace(result, raised=rename(result.raised)) if result.raised else result

    return replace(run, raised=rename(run.raised), results=tuple(map(rewrite, run.results)))


def _original(installed: Path, tree: Path) -> str | None:
    """The tree's file (relative) that ``installed`` is a copy of, or None.

    It has the same path below the root or below one folder of the root that is no package, and as many bytes.
    """
    relative = str(installed).rpartition(_SITE_PACKAGES)[2]
    try:
        size = installed.stat().st_size
        tops = [entry.name for entry in os.scandir(tree) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return None  # it was made in the sandbox and is gone: nobody can edit it
    for top in ("", *sorted(tops)):
        path = tree / top / relative
        if (top and (tree / top / "__init__.py").exists()) or path.is_symlink() or not path.is_file():
            continue
        if path.stat().st_size == size:
            return path.relative_to(tree).as_posix()
    return None
