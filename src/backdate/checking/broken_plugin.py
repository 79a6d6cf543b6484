"""A plugin of pytest that does not work, and so hides what the tests of a side say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.checking.compare import count_outcomes
from backdate.checking.error_identity import own_links
from backdate.environments.environment import Environment
from backdate.errors import ConfigurationError
from backdate.projects.read import read_text
from backdate.recipes.recipe import Recipe, SuitePlan
from backdate.testing.outcomes import Raised, SuiteRun
from backdate.text import first_line

_SITE_PACKAGES = "site-packages/"
_NAMED = re.compile(r"[Pp]lugin ['\"]?(?:<module ['\"])?([A-Za-z_][\w.-]{0,100})")
_SECTION = re.compile(r"\[([^\]\n]{1,100})\]\s*\Z")
_ENTRY = re.compile(r"([^=\s]{1,100})\s*=\s*([A-Za-z_][\w.]{0,200})")
_LARGEST = 100_000
_OF_PYTEST = ("_pytest", "pytest", "pluggy")


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledPlugin:
    """A plugin of pytest that an environment holds."""

    name: str
    """That of its entry point, which ``-p no:NAME`` takes."""
    module: str
    distribution: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginFault:
    """The plugin that keeps tests from running, and its error in one line."""

    plugin: InstalledPlugin
    line: str


def plugin_at_fault(run: SuiteRun, environment: Environment) -> PluginFault | None:
    """The plugin because of which no test of ``run`` is good; None where one is, or it is something else."""
    if count_outcomes(run).passed:
        return None
    chain = run.raised or next((result.raised for result in run.results if result.raised), ())
    blamed = tuple(_blamed(chain))
    plugins = tuple(installed_plugins(environment)) if blamed else ()
    found = next((plugin for name in blamed if (plugin := _of(name, plugins)) is not None), None)
    if found is None:
        return None
    last = own_links(chain)[-1]
    return PluginFault(plugin=found, line=first_line(f"{last.type}: {last.message}"))


def installed_plugins(environment: Environment) -> Iterator[InstalledPlugin]:
    """The plugins of pytest whose distributions lie in ``environment``. Their files are read, never run."""
    for root in environment.roots:
        for file in sorted(root.glob("lib/python*/site-packages/*-info/entry_points.txt")):
            yield from _plugins_of(file.parent)


def without_plugin(recipe: Recipe, name: str, *, options: bool) -> Recipe:
    """``recipe`` without the plugin ``name``. ``options``: with those that the project's files give."""

    def changed(plan: SuitePlan) -> SuitePlan:
        if plan.runner != "pytest":
            return plan
        more = ("-p", f"no:{name}") if options else ("-p", f"no:{name}", "-o", "addopts=")
        return replace(plan, arguments=(*plan.arguments, *more))

    plans = tuple(map(changed, recipe.further_tests))
    return replace(recipe, test=changed(recipe.test), further_tests=plans)


def _plugins_of(folder: Path) -> Iterator[InstalledPlugin]:
    try:
        text = read_text(folder, "entry_points.txt", limit=_LARGEST) or ""
    except ConfigurationError:  # it leads elsewhere: to the layer below, which is looked through as well
        return
    section = ""
    for line in text.splitlines():
        if match := _SECTION.match(line.strip()):
            section = match[1].strip()
        elif section == "pytest11" and (match := _ENTRY.match(line.strip())):
            distribution = folder.name.partition("-")[0].replace("_", "-")
            yield InstalledPlugin(name=match[1], module=match[2], distribution=distribution)


def _blamed(chain: tuple[Raised, ...]) -> Iterator[str]:
    """The modules and names that an error is about: those that it names, then those that raised it."""
    for raised in reversed(chain):
        if match := _NAMED.search(raised.message[:4000]):
            yield match[1]
        for frame in reversed(raised.frames):
            if _SITE_PACKAGES in frame.file:
                path = frame.file.rpartition(_SITE_PACKAGES)[2].removesuffix(".py").removesuffix("/__init__")
                yield path.replace("/", ".")


def _of(name: str, plugins: tuple[InstalledPlugin, ...]) -> InstalledPlugin | None:
    """The plugin that ``name`` means: its name, its module, or a module beside that."""
    if name.partition(".")[0] in _OF_PYTEST:
        return None
    for plugin in plugins:
        if name in (plugin.name, plugin.module, plugin.distribution):
            return plugin
    top = name.partition(".")[0]
    return next((plugin for plugin in plugins if plugin.module.partition(".")[0] == top), None)
