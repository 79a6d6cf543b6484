"""Choosing the instant of the old side where nobody states it.

A commit of yesterday says nothing of the past: nothing that broke the project since can be seen. So an active
project is compared with the day of its newest tag or release that is old enough. The tree stays the present
one, and what it requires may be younger than that day; then the first day is taken on which it resolves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from backdate.checking.dated_project import DatedProject, choose, dated_project
from backdate.checking.recipe_run import request_for
from backdate.checking.resources import Resources
from backdate.checking.start_instant import DAYS_BACK, YOUNG_DAYS, StartInstant, StartReason
from backdate.checking.starting_recipes import StartingRecipe, StartingRecipes, starting_recipes
from backdate.environments.environment import BuildFailure
from backdate.errors import InstantError, SourceError, SourceProblem
from backdate.progress import Activity, Reporter
from backdate.projects.project import Project
from backdate.recipes.declared import read_declared
from backdate.timeline.instants import FIRST_UPLOAD, Instant, format_day, format_instant

if TYPE_CHECKING:
    from backdate.index.provided_modules import ProvidedModules

_DAY = timedelta(days=1)
_LEAST_MODULES = 4
"""Modules inside packages that a release and a tree have to share: projects of one name may share some."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRelease:
    """A release that the package index has under a project's name, of whichever project."""

    name: str
    version: str
    uploaded: Instant
    shared: str
    """What says that it is of the same project; empty where nothing does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedStart:
    """The old side before anything is built for it."""

    start: StartInstant
    project: DatedProject
    starting: StartingRecipes


def date_start(
    project: Project,
    stated: Instant | None,
    new: Instant,
    resources: Resources,
    *,
    python: str | None = None,
    progress: Reporter,
) -> DatedStart:
    """The old side of ``project``: at ``stated``, or where nobody states it as this module says.

    Raises InstantError where that is not before ``new``, StoredDataError for a damaged store of recipes, and
    what a machine lacks.
    """
    start = choose_start(
        project, stated, new, lambda project, latest: newest_release(project, latest, resources)
    )
    if start.instant >= new:
        raise InstantError(
            f"the old instant {format_instant(start.instant)} is not before the new one "
            f"{format_instant(new)}; set them with --from and --to"
        )
    old = dated_project(project, start.instant, python=python)
    starting = starting_recipes(project, old, resources)
    if starting.starts:
        # One from the store may be without the project, whose requirements it had to give up.
        installs = (one for one in starting.starts if _project_alone(one).recipe.install)
        recipe = next(installs, starting.starts[0])
        start = resolvable_start(start, new, old, recipe, resources, progress)
    return DatedStart(start=start, project=replace(old, instant=start.instant), starting=starting)


def choose_start(
    project: Project,
    stated: Instant | None,
    new: Instant,
    released: Callable[[Project, Instant], FoundRelease | None],
) -> StartInstant:
    """The instant of the old side of ``project``, whose new side is at ``new``.

    ``released``: as ``newest_release``; only asked where no tag does.
    """
    if stated is not None:
        return StartInstant(instant=stated, reason=StartReason.STATED)
    origin, history = project.origin, project.history
    if origin.kind == "sdist" and origin.dated is not None:
        return StartInstant(instant=origin.dated, reason=StartReason.UPLOAD)
    latest = new - timedelta(days=YOUNG_DAYS)
    dated = origin.dated is not None and origin.dated >= FIRST_UPLOAD
    if dated and origin.dated is not None and origin.dated <= latest:
        return StartInstant(instant=origin.dated, reason=StartReason.COMMIT, modified=origin.modified)
    tags = [] if history is None else [tag for tag in history.tags if FIRST_UPLOAD <= tag.made <= latest]
    if tags:
        newest = max(tags, key=lambda tag: tag.made)
        found = StartInstant(instant=newest.made, reason=StartReason.TAG, name=newest.name)
    else:
        back = (new - timedelta(days=DAYS_BACK)).replace(hour=0, minute=0, second=0, microsecond=0)
        found = StartInstant(instant=back, reason=StartReason.DAYS_BACK)
        release = released(project, latest)
        if release is not None and release.shared:
            instant, reason = release.uploaded, StartReason.RELEASE
            found = replace(
                found, instant=instant, reason=reason, name=release.version, shared=release.shared
            )
        elif release is not None:
            found = replace(found, unrelated=f"{release.name} {release.version}")
    shallow, problem = (history.shallow, history.problem) if history is not None else (False, "")
    return replace(found, shallow=shallow, tracked=dated, modified=origin.modified, problem=problem)


def newest_release(project: Project, latest: Instant, resources: Resources) -> FoundRelease | None:
    """The newest final release under the project's name that the package index had at ``latest``, if any.

    Raises IndexUnavailable when the index does not answer.
    """
    from backdate.projects.sources.listing import fetch_listing

    name = read_declared(project.root).name
    if name is None:
        return None
    try:
        files = fetch_listing(resources.index, name)
    except SourceError as error:
        if error.problem is not SourceProblem.NOT_ON_INDEX:
            raise
        return None
    first: dict[str, Instant] = {}
    for file in files:
        if not file.version.is_prerelease and not file.yanked:
            version = str(file.version)
            first[version] = min(file.uploaded, first.get(version, file.uploaded))
    old = {version: uploaded for version, uploaded in first.items() if uploaded <= latest}
    if not old:
        return None
    version = max(old, key=lambda version: old[version])
    shared = what_is_shared(project, name, latest, resources.index_facts)
    return FoundRelease(name=name, version=version, uploaded=old[version], shared=shared)


def what_is_shared(project: Project, name: str, at: Instant, facts: ProvidedModules) -> str:
    """What says that the release of ``name`` that was newest at ``at`` is of ``project``; empty for nothing.

    Its metadata, or, where these say nothing, that most of its modules are files of the project.
    """
    from backdate.projects.identity import identity_of_release, identity_of_tree

    repositories = () if project.history is None else project.history.remotes
    own = identity_of_tree(project.root, (*repositories, project.origin.location))
    metadata = facts.metadata(name, at)
    shared = "" if metadata is None else own.shared_with(identity_of_release(metadata))
    if shared:
        return shared
    modules = [module for module in facts.modules(name, at) if "." in module]
    held = sum(_holds(project.root, module) for module in modules)
    if held >= _LEAST_MODULES and held > len(modules) / 2:
        return f"{held} of {len(modules)} modules"
    return ""


def _holds(root: Path, module: str) -> bool:
    """Whether a module of a package is a file of the tree, at its root or in ``src``."""
    path = module.replace(".", "/")
    return any(
        (root / folder / each).is_file()
        for folder in ("", "src", "lib")
        for each in (f"{path}.py", f"{path}/__init__.py")
    )


def may_be_too_early(start: StartInstant) -> bool:
    """Whether the files are younger than the instant, so that what they require may not have been there."""
    return start.modified or start.reason in (StartReason.TAG, StartReason.RELEASE, StartReason.DAYS_BACK)


def resolvable_start(
    start: StartInstant,
    new: Instant,
    old: DatedProject,
    recipe: StartingRecipe,
    resources: Resources,
    progress: Reporter,
) -> StartInstant:
    """``start``, moved to the first day on which ``recipe`` resolves for ``old``, which is the project then.

    As it is where it resolves then, and, with the conflict, where it resolves on no day before ``new``.
    Raises InterpreterMissing and what else the machine lacks.
    """
    if not may_be_too_early(start):
        return start
    failure = _failure_at(start.instant, recipe, old, resources)
    if failure is None:
        return start
    from backdate.recipes.repair.telling import telling_line

    text = f"the present files do not resolve as of {format_day(start.instant)}: looking for the first day"
    progress.report(Activity(text=f"{text} on which they do"))
    day, made = None, 1
    for tried in (recipe, _project_alone(recipe)):  # pins of test requirements may never fit
        if day is None and tried.recipe.install:
            day, asked = first_day(start.instant, new, _Resolving(tried, old, resources))
            made += asked
    return replace(
        start,
        instant=day or start.instant,
        at_first=start.instant,
        conflict=telling_line(failure.message),
        resolutions=made,
    )


def _project_alone(recipe: StartingRecipe) -> StartingRecipe:
    steps = tuple(step for step in recipe.recipe.install if step.kind == "project")
    return replace(recipe, recipe=replace(recipe.recipe, install=steps))


@dataclass(frozen=True, slots=True)
class _Resolving:
    """Whether what a recipe installs resolves at an instant."""

    recipe: StartingRecipe
    old: DatedProject
    resources: Resources

    def __call__(self, instant: Instant) -> bool:
        return _failure_at(instant, self.recipe, self.old, self.resources) is None


def _failure_at(
    instant: Instant, recipe: StartingRecipe, old: DatedProject, resources: Resources
) -> BuildFailure | None:
    """Why what ``recipe`` installs does not resolve at ``instant``; None where it does."""
    dated = replace(old, instant=instant)
    choice = choose(recipe.recipe, dated, resources.interpreters, recipe.python)
    resolved = resources.builder.resolve(request_for(recipe.recipe, dated, choice))
    return resolved if isinstance(resolved, BuildFailure) else None


def first_day(
    after: Instant, before: Instant, holds: Callable[[Instant], bool]
) -> tuple[Instant | None, int]:
    """The first midnight (UTC) between two instants at which ``holds``, and how often that was asked.

    Found by halving: at most one question more than the logarithm of the days. Where it changes several times
    it is one of the days on which it begins to hold; None where it does not hold at the last one.
    """
    start = after.replace(hour=0, minute=0, second=0, microsecond=0)
    failing, holding = 0, (before - start) // _DAY
    if start + holding * _DAY >= before:
        holding -= 1
    if holding < 1:
        return None, 0
    asked = 1
    if not holds(start + holding * _DAY):
        return None, asked
    while holding - failing > 1:
        middle = (failing + holding) // 2
        asked += 1
        if holds(start + middle * _DAY):
            holding = middle
        else:
            failing = middle
    return start + holding * _DAY, asked
