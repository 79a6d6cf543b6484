"""Plugins of pytest that are not installed: fixtures, options, markers, keys of its configuration."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from backdate.index.names import requirement_name
from backdate.knowledge import load
from backdate.recipes.recipe import SuitePlan
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import (
    RepairContext,
    all_matches,
    failure_text,
    marked,
    with_packages,
    with_plans,
)
from backdate.recipes.repair.requirements import all_lines

_FIXTURE = re.compile(r"fixture '(\w{1,80})' not found", re.ASCII)
_UNRECOGNISED = re.compile(r"error: (?:unrecognized arguments|no such option|ambiguous option): (.{1,1000})")
_MARKER = re.compile(
    r"'(\w{1,80})' (?:is )?not (?:found in `?markers|a registered marker)|Unknown pytest\.mark\.(\w{1,80})"
)
_KEY = re.compile(r"[Uu]nknown config (?:option|ini-key)s?:? '?([\w-]{1,80})")
_COROUTINE = re.compile(
    r"async def functions are not natively supported|coroutine '\w{1,200}' was never awaited"
)
_REQUIRED = re.compile(r"Missing required plugins: (.{1,500})")
_OF_TRIO = re.compile(r"Trio fixtures can only be used by Trio tests")


def missing_plugins(context: RepairContext) -> Iterator[Repair]:
    """Installs all plugins that the tests need and that are missing."""
    if context.failure.phase != "tests":
        return
    plugins = _plugins(context)
    if not plugins:
        return
    reason = ", ".join(f"{sign} needs {plugin}" for plugin, sign in plugins.items())
    changed = with_packages(context.recipe, map(_as_named(context), plugins), "missing test plugin", reason)
    if changed != context.recipe:
        yield context.repaired(ErrorClass.MISSING_TEST_PLUGIN, "missing test plugin", reason, changed)


def unmarked_async_tests(context: RepairContext) -> Iterator[Repair]:
    """The mode in which a plugin takes every async test for its own, which a configuration says that is not
    in an sdist."""
    if context.failure.phase != "tests":
        return
    text = failure_text(context.failure)
    if all_matches(_OF_TRIO, text, 1):
        mode, reason = "trio_mode=true", "async tests that are not marked, with fixtures of Trio"
    elif all_matches(_COROUTINE, text, 1) and "pytest-asyncio" in _named_packages(context):
        mode, reason = "asyncio_mode=auto", "async tests that are not marked, though pytest-asyncio is there"
    else:
        return
    setting = mode.partition("=")[0]

    def with_mode(plan: SuitePlan) -> SuitePlan:
        known = any(argument.startswith(f"{setting}=") for argument in plan.arguments)
        if plan.runner != "pytest" or known:
            return plan
        return marked(replace(plan, arguments=(*plan.arguments, "-o", mode)), "async mode")

    changed = with_plans(context.recipe, with_mode)
    if changed != context.recipe:
        yield context.repaired(ErrorClass.MISSING_TEST_PLUGIN, "async mode", reason, changed)


def _named_packages(context: RepairContext) -> frozenset[str]:
    """The distributions (normalised) that the recipe names, or a requirements file that it installs."""
    steps = context.recipe.install
    files = {step.file for step in steps}
    named = [requirement_name(one) for step in steps for one in step.packages]
    named += [line.name for line in all_lines(context.files) if line.file in files]
    return frozenset(filter(None, named))


def without_options(context: RepairContext) -> Iterator[Repair]:
    """Options that no plugin at hand understands: left out, those of the project's configuration as well."""
    text = failure_text(context.failure)
    unknown = [word for match in all_matches(_UNRECOGNISED, text) for word in match[1].split()]
    if not unknown:
        return
    options = {word.partition("=")[0] for word in unknown if word.startswith("-")}

    def without(plan: SuitePlan) -> SuitePlan:
        kept = tuple(argument for argument in plan.arguments if argument.partition("=")[0] not in options)
        if kept == plan.arguments and plan.runner == "pytest" and "addopts=" not in kept:
            kept = (*kept, "-o", "addopts=")
        return plan if kept == plan.arguments else marked(replace(plan, arguments=kept), "unknown option")

    changed = with_plans(context.recipe, without)
    if changed != context.recipe:
        reason = f"without {' '.join(sorted(options))}"
        yield context.repaired(ErrorClass.MISSING_TEST_PLUGIN, "unknown option", reason, changed)


def _plugins(context: RepairContext) -> dict[str, str]:
    """Distributions of plugins, each with the sign that it is needed."""
    text = failure_text(context.failure)
    signs: dict[str, str] = {}
    rows = load.pytest_plugins()
    by_fixture = {fixture: row.install for row in rows for fixture in row.fixtures}
    by_marker = {marker: row.install for row in rows for marker in row.markers}
    by_setting = {setting: row.install for row in rows for setting in row.settings}
    for match in all_matches(_FIXTURE, text):
        if match[1] in by_fixture:
            signs.setdefault(by_fixture[match[1]], f"the fixture {match[1]}")
    for match in all_matches(_UNRECOGNISED, text):
        for option, plugin in options_of(match[1]):
            signs.setdefault(plugin, f"the option {option}")
    for match in all_matches(_MARKER, text):
        marker = match[1] or match[2]
        if marker in by_marker:
            signs.setdefault(by_marker[marker], f"the marker {marker}")
    for match in all_matches(_KEY, text):
        if match[1] in by_setting:
            signs.setdefault(by_setting[match[1]], f"the configuration's {match[1]}")
    for match in all_matches(_REQUIRED, text):
        for requirement in match[1].split(","):
            if requirement_name(requirement.strip()):
                signs.setdefault(requirement.strip(), "required_plugins")
    handled = "pytest-asyncio" in _named_packages(context) or all_matches(_OF_TRIO, text, 1)
    if not signs and not handled and all_matches(_COROUTINE, text, 1):
        signs["pytest-asyncio"] = "an async test"
    return signs


def options_of(text: str) -> Iterator[tuple[str, str]]:
    """The options among ``text``'s words that a known plugin gives, and that plugin."""
    for word in text.split():
        option = word.partition("=")[0]
        fitting = [
            (start, row.install)
            for row in load.pytest_plugins()
            for start in row.options
            if option == start
            or (start.startswith("--") and option.startswith(start))
            or (len(start) == 2 and word[:2] == start and word[2:].isdigit())
        ]
        if fitting:
            yield option, max(fitting, key=lambda option_and_plugin: len(option_and_plugin[0]))[1]


def _as_named(context: RepairContext) -> Callable[[str], str]:
    """As the project's own requirements files ask for it, where they do."""
    named = {line.name: line.text for line in all_lines(context.files) if line.requirement is not None}
    return lambda plugin: named.get(requirement_name(plugin), plugin)
