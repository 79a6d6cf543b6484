"""All repair rules, and what they propose."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from backdate.extensions import Extension, ExtensionGroup, call_extension, extensions
from backdate.recipes.files import Files
from backdate.recipes.recipe import Recipe, SuitePlan
from backdate.recipes.repair import (
    builds,
    classified_interpreter,
    django,
    django_settings,
    extras,
    failing_setuptools,
    generated_sources,
    incompatible,
    initial_conftests,
    installed_tests,
    locales,
    missing_modules,
    misspelt,
    optional,
    own_build,
    own_program,
    own_suites,
    plugins,
    running,
    services,
    shadowed,
    unsatisfiable,
    variables,
    written_packages,
)
from backdate.recipes.repair.repair import IndexFacts, Repair, RepairKind
from backdate.recipes.repair.repair_context import RepairContext, RepairRule, Rule
from backdate.recipes.repair.setup_failure import SetupFailure

ADDITIVE_RULES: tuple[Rule, ...] = (
    builds.build_tools,
    builds.build_requirements,
    generated_sources.generated_by_cython,
    builds.unknown_version,
    unsatisfiable.extra_cutoff_overrides,
    missing_modules.missing_distributions,
    missing_modules.own_modules,
    plugins.missing_plugins,
    plugins.unmarked_async_tests,
    incompatible.dropped_features,
    running.missing_folder,
    running.missing_targets,
    installed_tests.installed_test_modules,
    running.import_mode,
    running.display,
    variables.example_variables,
    services.wanted_services,
    locales.wanted_locales,
    django.own_database,
    django_settings.further_applications,
)
"""Rules that add what is missing: independent of each other, so that one round can take them all."""

ALTERNATIVE_RULES: tuple[Rule, ...] = (
    incompatible.another_interpreter,
    written_packages.written_packages,
    shadowed.installed_modules,
    initial_conftests.named_folders,
    django.settings_module,
    own_program.own_program,
    own_suites.own_suites,
    variables.variables_without_example,
    running.working_folder,
    running.ignored_warnings,
    builds.system_packages,
    failing_setuptools.older_setuptools,
    misspelt.misspelt_requirements,
    misspelt.misnamed_requirements,
    unsatisfiable.unfetchable,
    unsatisfiable.loosened,
    plugins.without_options,
    running.other_runner,
    own_program.own_program_for_its_server,
    optional.optional_requirements,
    classified_interpreter.classified_interpreter,
    own_build.without_own_build,
    builds.older_interpreter,
    unsatisfiable.without_unbuildable,
    extras.part_of_extras,
    unsatisfiable.less,
)
"""Rules that choose or give something up: each proposal is tried alone, the most certain first."""

MOST_REPAIRS = 12


def repairs(failure: SetupFailure, recipe: Recipe, root: Path, index_facts: IndexFacts) -> tuple[Repair, ...]:
    """Changed recipes that may succeed where ``recipe`` did not, the best first; none when no rule knows.

    What the rules that add things propose comes first as one repair, then what each rule proposes alone.
    Where a person asked for tests, each of them runs these. ``root`` is the project's tree: rules read its
    files, bounded, and never run them.
    """
    context = RepairContext(failure=failure, recipe=recipe, files=Files(root), index_facts=index_facts)
    additive = (*ADDITIVE_RULES, *_of_extensions(alternative=False))
    alternative = (*ALTERNATIVE_RULES, *_of_extensions(alternative=True))
    if failure.wants_absent_files:
        additive, alternative = (), (own_build.without_own_build,)
    keeps = functools.partial(_keeps_what_was_asked, recipe)
    additions: list[Repair] = []
    for rule in additive:
        proposed = next(filter(keeps, rule(context)), None)
        if proposed is not None:
            additions.append(proposed)
            context = replace(context, recipe=proposed.recipe)
    first = [] if not additions else [_joined(additions)]
    context = replace(context, recipe=recipe)
    alternatives = list(chain.from_iterable(rule(context) for rule in alternative))
    single_additions = list(chain.from_iterable(rule(context) for rule in additive)) if additions else []
    if any(repair.kind is RepairKind.ASKED_INTERPRETER for repair in alternatives):
        ordered = [*alternatives[:1], *first, *single_additions, *alternatives[1:]]
    else:
        ordered = [*first, *alternatives[:3], *single_additions, *alternatives[3:]]
    return tuple(_distinct(list(filter(keeps, ordered)), recipe))[:MOST_REPAIRS]


def _keeps_what_was_asked(recipe: Recipe, repair: Repair) -> bool:
    """Whether ``repair`` still runs the tests that a person asked for in ``recipe``."""
    plans = (recipe.test, *recipe.further_tests)
    if not any(plan.asked or plan.asked_arguments for plan in plans):
        return True
    repaired = (repair.recipe.test, *repair.recipe.further_tests)
    return len(plans) == len(repaired) and all(map(SuitePlan.is_kept_by, plans, repaired))


def _of_extensions(*, alternative: bool) -> Iterator[Rule]:
    for extension in extensions(ExtensionGroup.REPAIR_RULES, RepairRule):
        if extension.value.alternative == alternative:
            yield functools.partial(_propose, extension)


def _propose(extension: Extension, context: RepairContext) -> Iterator[Repair]:
    rule: RepairRule = extension.value
    none: tuple[Repair, ...] = ()
    yield from call_extension(extension, lambda: tuple(rule.propose(context)), none)


def _joined(proposed: list[Repair]) -> Repair:
    if len(proposed) == 1:
        return proposed[0]
    return Repair(
        recipe=proposed[-1].recipe,
        error=proposed[0].error,
        rule=" + ".join(repair.rule for repair in proposed),
        reason="; ".join(repair.reason for repair in proposed),
    )


def _distinct(proposed: list[Repair], recipe: Recipe) -> Iterator[Repair]:
    seen: list[tuple[Recipe, str | None]] = [(recipe, None)]
    for repair in proposed:
        if (repair.recipe, repair.interpreter) not in seen:
            seen.append((repair.recipe, repair.interpreter))
            yield repair
