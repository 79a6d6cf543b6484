"""The recipes that a set-up starts with: those proven at other commits, then what the files say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from backdate.checking.compare import count_outcomes
from backdate.checking.dated_project import DatedProject
from backdate.checking.kept_extractions import extraction_of
from backdate.checking.recipe_run import RecipeRun
from backdate.checking.recipe_store import FILE, ProvenRecipe, RecipeStore, identity_of
from backdate.checking.resources import Resources
from backdate.checking.settings import Settings, SetupOptions
from backdate.configuration.trust import EffectiveConfiguration, effective_configuration
from backdate.projects.project import Project
from backdate.recipes.extraction import Extraction
from backdate.recipes.files import Files
from backdate.recipes.recipe import Provenance, Recipe
from backdate.serial import digest
from backdate.timeline.instants import Instant, format_day, now

StartingOrigin = Literal["files", "store", "adviser"]
"""The project's files, the store of proven recipes, or an adviser."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartingRecipe:
    """A recipe to begin with."""

    recipe: Recipe
    source: str
    """For people: where it comes from."""
    origin: StartingOrigin = "files"
    python: str | None = None
    """The interpreter ("3.7") that it was proven with against what the project says; None as a rule."""


def extracted(recipes: Iterable[Recipe], origin: StartingOrigin = "files") -> tuple[StartingRecipe, ...]:
    """``recipes`` as they are."""
    prefix = "" if origin == "files" else f"{origin}: "
    return tuple(
        StartingRecipe(
            recipe=recipe,
            origin=origin,
            source=f"{prefix}{recipe.provenance.rule if recipe.provenance else 'a recipe'}",
        )
        for recipe in recipes
    )


def usable(start: StartingRecipe, root: Path) -> bool:
    """Whether all that the recipe names is in the tree at ``root``: it may come from another one."""
    files = Files(root)
    recipe = start.recipe
    named = [step.file for step in recipe.install if step.file]
    named += [plan.cwd for plan in (recipe.test, *recipe.further_tests)]
    named += [
        f"{plan.cwd}/{target.partition('::')[0]}"
        for plan in (recipe.test, *recipe.further_tests)
        if plan.runner in ("pytest", "program")
        for target in plan.targets
        if not any(mark in target for mark in "*?[")
    ]
    return all(files.has(name) for name in named)


def effect_key(recipe: Recipe, python: str, *, apt: bool, services: tuple[object, ...] = ()) -> str:
    """Equal for two recipes that would do the same with that interpreter, wherever their parts come from.

    ``apt``: whether the Debian packages that they ask for are applied. ``services``: what would be started.
    """
    blank = Provenance(rule="")
    parts = (
        [replace(step, provenance=blank) for step in recipe.install],
        [replace(plan, provenance=blank) for plan in (recipe.test, *recipe.further_tests)],
        sorted((variable.name, variable.value) for variable in recipe.variables),
        sorted(limit.requirement for limit in recipe.build_constraints),
        sorted((need.distribution, need.requirement) for need in recipe.build_requirements),
        sorted((later.name, later.until) for later in recipe.extra_cutoff_overrides),
        sorted(system.packages for system in recipe.system if system.manager == "apt") if apt else (),
        services,
    )
    return digest(*parts, python)


@dataclass(frozen=True, slots=True, kw_only=True)
class StartingRecipes:
    """The recipes that a set-up begins with."""

    starts: tuple[StartingRecipe, ...]
    """In the order in which they are tried; empty when the project has no tests."""
    extraction: Extraction
    notes: tuple[str, ...] = ()

    def with_notes(self, notes: tuple[str, ...]) -> StartingRecipes:
        """The same, with further notes before its own."""
        return replace(self, notes=(*notes, *self.notes)) if notes else self


def starting_recipes(
    project: Project,
    dated: DatedProject,
    resources: Resources,
    options: SetupOptions | None = None,
) -> StartingRecipes:
    """What the store knows of the project, then what its files tell.

    The one place where it is decided which recipe is tried first. Raises StoredDataError for a damaged store.
    """
    options = options or SetupOptions()
    extraction = extraction_of(dated, options.sources, resources.cache)
    configured = configuration_of(project, resources.settings)
    candidates = extraction.candidates
    if configured.configuration.effect:
        from backdate.recipes.configured import configured_recipes  # with all that reads commands

        candidates = configured_recipes(candidates, configured.configuration, Files(dated.tree))
    starts: list[StartingRecipe] = []
    notes = [*configured.notes]
    if resources.settings.store:
        stored = RecipeStore(resources.cache.folder / FILE).nearest(
            _store_identity(project, configured), dated.instant
        )
        if stored is not None:
            start = _stored(stored)
            if usable(start, dated.tree):
                starts.append(start)
            else:
                notes.append(f"{start.source} names files that are not here; it was not tried")
    starts += extracted(candidates)
    return StartingRecipes(starts=tuple(starts), extraction=extraction, notes=tuple(notes))


def _stored(stored: ProvenRecipe) -> StartingRecipe:
    where = f"{stored.revision[:12]} as of " if stored.revision else ""
    source = f"store: proven at {where}{format_day(stored.instant)} ({stored.passed} of {stored.ran} tests)"
    return StartingRecipe(recipe=stored.recipe, source=source, origin="store", python=stored.python)


def configured_candidates(folder: Path, candidates: tuple[Recipe, ...]) -> tuple[Recipe, ...]:
    """``candidates``, read in a folder of the user's, with what the settings there and the user's own say.

    Raises ConfigurationError for what is wrong with them.
    """
    from backdate.configuration.documents import read_user_configuration
    from backdate.recipes.configured import configured_recipes

    counts = effective_configuration(folder, local=True, given=read_user_configuration())
    return configured_recipes(candidates, counts.configuration, Files(folder))


def configuration_of(project: Project, settings: Settings) -> EffectiveConfiguration:
    """What counts of all that was written about ``project``.

    Raises ConfigurationError for what is wrong in a folder of the user's.
    """
    local = project.origin.kind != "sdist" and Path(project.origin.location).is_dir()
    return effective_configuration(project.root, local=local, given=settings.configuration)


def _store_identity(project: Project, configured: EffectiveConfiguration) -> str:
    """What proven recipes are kept under: those that a configuration had a part in by themselves."""
    identity, effect = identity_of(project.origin), configured.configuration.effect
    return f"{identity}#{digest(*effect)}" if effect else identity


def keep_proven(project: Project, recipe_run: RecipeRun, instant: Instant, resources: Resources) -> None:
    """Keep a recipe that was proven at ``instant`` for other commits of the repository."""
    counts = count_outcomes(recipe_run.run)
    configured = configuration_of(project, resources.settings)
    RecipeStore(resources.cache.folder / FILE).keep(
        ProvenRecipe(
            repository=_store_identity(project, configured),
            revision=project.origin.revision or "",
            instant=instant,
            python=recipe_run.python,
            recipe=recipe_run.recipe,
            passed=counts.passed,
            ran=counts.ran,
        ),
        now(),
    )
