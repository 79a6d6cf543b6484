"""Every recipe that a project's files declare, the most trusted first. Nothing is executed.

The order follows what published systems found (SetupAgent, arXiv 2503.07701: CI files alone set up 33
repositories of a sample where texts alone set up 15): CI jobs, tox, nox, what the metadata and requirements
files declare, conda's environment.yml, the Makefile, texts, and the imports of the files.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from backdate.errors import ConfigurationError
from backdate.extensions import Extension, ExtensionGroup, call_extension, extensions
from backdate.recipes.actions import DeclaredJob
from backdate.recipes.basic import basic_recipe
from backdate.recipes.compose import compose
from backdate.recipes.extraction import Extraction
from backdate.recipes.files import Files
from backdate.recipes.recipe import Provenance, Recipe, SkipKind, SkippedInstruction, unread_metadata
from backdate.recipes.services import with_further
from backdate.recipes.sources.appveyor import read_appveyor
from backdate.recipes.sources.azure import read_azure
from backdate.recipes.sources.circleci import read_circleci
from backdate.recipes.sources.conda import read_conda
from backdate.recipes.sources.github import read_github
from backdate.recipes.sources.gitlab import read_gitlab
from backdate.recipes.sources.imports import read_imports
from backdate.recipes.sources.interface import DeclaredJobs, RecipeSource
from backdate.recipes.sources.kinds import ALL_SOURCES, SourceKind
from backdate.recipes.sources.makefile import read_makefile
from backdate.recipes.sources.nox import read_nox
from backdate.recipes.sources.readme import read_texts
from backdate.recipes.sources.services import compose_services
from backdate.recipes.sources.tox import read_tox
from backdate.recipes.sources.travis import read_travis
from backdate.sandboxes.services.kinds import merged

_RANKS: Mapping[SourceKind, int] = MappingProxyType(
    {"ci": 0, "tox": 1, "nox": 2, "metadata": 3, "conda": 5, "makefile": 6, "texts": 7, "imports": 8}
)
"""Lower is more trusted; 4 is a doubtful CI job."""
_SOURCES = (
    RecipeSource(kind="ci", read=read_github),
    RecipeSource(kind="ci", read=read_gitlab),
    RecipeSource(kind="ci", read=read_travis),
    RecipeSource(kind="ci", read=read_circleci),
    RecipeSource(kind="ci", read=read_azure),
    RecipeSource(kind="ci", read=read_appveyor),
    RecipeSource(kind="tox", read=read_tox),
    RecipeSource(kind="nox", read=read_nox),
    RecipeSource(kind="conda", read=read_conda),
    RecipeSource(kind="makefile", read=read_makefile),
    RecipeSource(kind="texts", read=read_texts),
)
"""Within one kind, earlier sources are preferred."""
_DOUBTFUL = 5
"""A CI job with this many doubts is ranked behind what the metadata declares."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ranked:
    rank: tuple[int, int]
    """Lower is better: the kind of source, then the doubts about this candidate."""
    recipe: Recipe
    of_ci: bool = False


def extract_recipes(root: Path, sources: Collection[SourceKind] = ALL_SOURCES) -> Extraction:
    """The recipes of the project at ``root``. Never raises because of what its files hold.

    ``sources``: the kinds of files that are read for them (for an ablation). A file that another one calls
    is read whatever its kind; where the metadata are not read, tests that are found in files may still be
    run, but nothing more is installed for them.
    """
    files = Files(root)
    skipped: list[SkippedInstruction] = []
    basic = _basic(root, skipped)
    ranked: list[_Ranked] = []
    if "metadata" in sources and (nested := _nested(files)) is not None:
        # of several a job of CI tests one
        ranked.append(_Ranked(rank=(0, -1) if nested.further_tests else (3, -1), recipe=nested))
    if basic is not None and "metadata" in sources:
        ranked.append(_Ranked(rank=(3, 0), recipe=basic))
    elif basic is not None:
        basic = replace(basic, install=tuple(step for step in basic.install if step.packages == ("pytest",)))
    for position, candidate in _candidates(files, basic, skipped, sources):
        composition = compose(candidate, files, basic=basic)
        skipped += composition.skipped
        if composition.recipe is None:
            continue
        doubts = candidate.doubts + _against(composition.recipe, composition.skipped)
        rank_of_source = position + 4 if position == 0 and doubts >= _DOUBTFUL else position
        ranked.append(_Ranked(rank=(rank_of_source, doubts), recipe=composition.recipe, of_ci=position == 0))
    ranked = sorted(_with_services(ranked, files), key=lambda ranking: ranking.rank)
    files.declared()  # read even if no recipe asked for it, so that a broken file is reported
    skipped += files.unread
    return Extraction(candidates=tuple(_folded(ranked)), skipped=tuple(dict.fromkeys(skipped)))


def _with_services(ranked: Sequence[_Ranked], files: Files) -> Iterator[_Ranked]:
    """The recipes with the services of Compose files; those of no CI file with what CI starts, too."""
    composed = merged(compose_services(files))
    by_ci = merged(service for one in ranked if one.of_ci for service in one.recipe.services)
    for one in ranked:
        further = composed if one.of_ci else merged((*by_ci, *composed))
        yield replace(one, recipe=with_further(one.recipe, further))


def _basic(root: Path, skipped: list[SkippedInstruction]) -> Recipe | None:
    try:
        recipe = basic_recipe(root)
    except ConfigurationError as error:
        skipped.append(unread_metadata(str(error)))
        return None
    if recipe is None:
        return None
    return replace(recipe, provenance=Provenance(rule="what the metadata and requirements files declare"))


def _nested(files: Files) -> Recipe | None:
    """The recipe of projects in folders below the root, where the root is none itself."""
    if files.declared().installable is not None:
        return None
    from backdate.recipes.nested import nested_recipe  # few repositories are such

    return nested_recipe(files)


def _candidates(
    files: Files, basic: Recipe | None, skipped: list[SkippedInstruction], sources: Collection[SourceKind]
) -> Iterator[tuple[int, DeclaredJob]]:
    """Every candidate with the rank of its kind."""

    undeclared = basic is not None and all(step.packages == ("pytest",) for step in basic.install)
    last = (RecipeSource(kind="imports", read=lambda files: (read_imports(files), ())),) if undeclared else ()
    for source in (*_SOURCES, *_of_extensions(), *last):
        if source.kind in sources:
            jobs, problems = source.read(files)
            skipped.extend(problems)
            for job in jobs:
                yield _RANKS[source.kind], job


def _of_extensions() -> Iterator[RecipeSource]:
    for extension in extensions(ExtensionGroup.RECIPE_SOURCES, RecipeSource):

        def read(files: Files, extension: Extension = extension) -> DeclaredJobs:
            return call_extension(extension, lambda: extension.value.read(files), ((), ()))

        yield RecipeSource(kind=extension.value.kind, read=read)


def _against(recipe: Recipe, skipped: Sequence[SkippedInstruction]) -> int:
    """How much of what a candidate installs or tests could not be followed."""
    lost = {
        skip.provenance.line
        for skip in skipped
        if skip.kind is not SkipKind.AROUND_TESTS and " install " in f" {skip.provenance.text or ''} "
    }
    old = recipe.interpreter is not None and recipe.interpreter.versions[-1].startswith("2.")
    conda = any(packages.manager == "conda" for packages in recipe.system)
    return len(lost) + 3 * old + conda


def _folded(ranked: Sequence[_Ranked]) -> Iterator[Recipe]:
    """The recipes in order, each different from those before in what it would do."""
    seen: set[object] = set()
    for ranking in ranked:
        recipe = ranking.recipe
        blank = Provenance(rule="")
        key = (
            tuple(
                sorted((step.kind, step.file or "", step.extras, step.packages) for step in recipe.install)
            ),
            tuple(replace(plan, provenance=blank) for plan in (recipe.test, *recipe.further_tests)),
        )
        if key not in seen:
            seen.add(key)
            yield recipe
