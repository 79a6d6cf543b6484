"""All rules: what an error is, and what may help."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from backdate.extensions import Extension, ExtensionGroup, call_extension, extensions
from backdate.knowledge.changes import library_changes
from backdate.recipes.files import Files
from backdate.recipes.recipe import Recipe
from backdate.recipes.repair import (
    builds,
    incompatible,
    missing_modules,
    own_build,
    own_program,
    plugins,
    running,
    unsatisfiable,
)
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import IndexFacts, Repair, RepairKind
from backdate.recipes.repair.repair_context import (
    RepairContext,
    RepairRule,
    Rule,
    all_matches,
    failure_text,
    first_match,
)
from backdate.recipes.repair.setup_failure import SetupFailure
from backdate.recipes.repair.signs import SIGNS

ADDITIVE_RULES: tuple[Rule, ...] = (
    builds.build_tools,
    builds.build_requirements,
    builds.unknown_version,
    unsatisfiable.extra_cutoff_overrides,
    missing_modules.missing_distributions,
    missing_modules.own_modules,
    plugins.missing_plugins,
    incompatible.dropped_features,
    running.missing_folder,
    running.missing_targets,
    running.import_mode,
    running.display,
    running.example_variables,
)
"""Rules that add what is missing: independent of each other, so that one round can take them all."""

ALTERNATIVE_RULES: tuple[Rule, ...] = (
    incompatible.another_interpreter,
    running.django_settings,
    own_program.own_program,
    running.working_folder,
    running.ignored_warnings,
    builds.system_packages,
    unsatisfiable.unfetchable,
    unsatisfiable.loosened,
    plugins.without_options,
    running.other_runner,
    builds.older_interpreter,
    own_build.without_own_build,
    unsatisfiable.without_unbuildable,
    unsatisfiable.less,
)
"""Rules that choose or give something up: each proposal stands for itself, the surest first."""

MOST_REPAIRS = 12

_BY_STATUS = {
    "timeout": ErrorClass.TIMEOUT,
    "oom": ErrorClass.MEMORY,
    "disk": ErrorClass.DISK,
    "disk-limit": ErrorClass.DISK,
}


def classify(trouble: SetupFailure) -> ErrorClass:
    """The class of the error that matters most. Never raises, whatever the log holds."""
    if trouble.status in _BY_STATUS:
        return _BY_STATUS[trouble.status]
    text = failure_text(trouble)
    if trouble.phase == "tests":
        return _class_of_tests(trouble, text)
    return _class_of_build(trouble, text)


def _class_of_tests(trouble: SetupFailure, text: str) -> ErrorClass:
    stopped = sum(
        one.count for one in trouble.problems if one.type.endswith(("ImportError", "NotFoundError"))
    )
    few = trouble.ran == 0 or 2 * stopped >= trouble.ran - trouble.passed
    if trouble.missing_modules and few and not _wants_python(trouble):
        return ErrorClass.MISSING_MODULE
    if _wants_python(trouble):
        return ErrorClass.WRONG_INTERPRETER
    signed = _signed("tests", text)
    dropped = any(all_matches(change.pattern, text, 1) for change in library_changes())
    if dropped and signed in (None, ErrorClass.WRONG_FOLDER):
        return ErrorClass.INCOMPATIBLE_RELEASE
    if signed is not None:
        return signed
    if trouble.missing_modules:
        return ErrorClass.MISSING_MODULE
    if not trouble.ran and builds.system_names(text):
        return ErrorClass.MISSING_HEADER
    if trouble.status == "no-tests":
        return ErrorClass.NO_TESTS
    return ErrorClass.TESTS_FAIL if trouble.ran else ErrorClass.UNKNOWN


def _class_of_build(trouble: SetupFailure, text: str) -> ErrorClass:
    signed = _signed("build", text)
    if signed is not None:
        return signed
    if builds.tool_limits(text)[0]:
        return ErrorClass.BUILD_TOOL
    if _wants_python(trouble):
        return ErrorClass.WRONG_INTERPRETER
    if builds.system_names(text):
        return ErrorClass.MISSING_HEADER
    if trouble.missing_modules:
        return ErrorClass.MISSING_BUILD_DEPENDENCY
    if unsatisfiable.says_unfetchable(text):
        return ErrorClass.UNAVAILABLE_SOURCE
    if unsatisfiable.says_unsatisfiable(text):
        return ErrorClass.UNSATISFIABLE
    return ErrorClass.UNKNOWN


def _signed(phase: str, text: str) -> ErrorClass | None:
    for where, error, sign in SIGNS:
        if where == phase and first_match(sign, text):
            return error
    return None


def _wants_python(trouble: SetupFailure) -> bool:
    return incompatible.wanted_minor(trouble) is not None


def repairs(trouble: SetupFailure, recipe: Recipe, root: Path, names: IndexFacts) -> tuple[Repair, ...]:
    """Changed recipes that may succeed where ``recipe`` did not, the best first; none when no rule knows.

    What the rules that add things propose comes first as one repair, then whatever rules propose alone.
    ``root`` is the project's tree: rules read its files, bounded, and never run them.
    """
    situation = RepairContext(trouble=trouble, recipe=recipe, files=Files(root), names=names)
    additive = (*ADDITIVE_RULES, *_of_extensions(alternative=False))
    alternative = (*ALTERNATIVE_RULES, *_of_extensions(alternative=True))
    together: list[Repair] = []
    for rule in additive:
        found = next(rule(situation), None)
        if found is not None:
            together.append(found)
            situation = replace(situation, recipe=found.recipe)
    first = [] if not together else [_joined(together)]
    situation = replace(situation, recipe=recipe)
    apart = list(chain.from_iterable(rule(situation) for rule in alternative))
    alone = list(chain.from_iterable(rule(situation) for rule in additive)) if together else []
    if any(repair.kind is RepairKind.ASKED_INTERPRETER for repair in apart):
        ordered = [*apart[:1], *first, *alone, *apart[1:]]
    else:
        ordered = [*first, *apart[:3], *alone, *apart[3:]]
    return tuple(_distinct(ordered, recipe))[:MOST_REPAIRS]


def _of_extensions(*, alternative: bool) -> Iterator[Rule]:
    for extension in extensions(ExtensionGroup.REPAIR_RULES, RepairRule):
        if extension.value.alternative == alternative:
            yield functools.partial(_propose, extension)


def _propose(extension: Extension, context: RepairContext) -> Iterator[Repair]:
    rule: RepairRule = extension.value
    none: tuple[Repair, ...] = ()
    yield from call_extension(extension, lambda: tuple(rule.propose(context)), none)


def _joined(found: list[Repair]) -> Repair:
    if len(found) == 1:
        return found[0]
    return Repair(
        recipe=found[-1].recipe,
        error=found[0].error,
        rule=" + ".join(one.rule for one in found),
        reason="; ".join(one.reason for one in found),
    )


def _distinct(found: list[Repair], recipe: Recipe) -> Iterator[Repair]:
    seen: list[tuple[Recipe, str | None]] = [(recipe, None)]
    for one in found:
        if (one.recipe, one.interpreter) not in seen:
            seen.append((one.recipe, one.interpreter))
            yield one
