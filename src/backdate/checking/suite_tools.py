"""Today's test tools that break before they reach the project's code.

Who asks whether a project works for its users does not ask for pytest, its plugins or a test command of
setuptools: no user gets them with the project. Where they alone keep the tests from running, the declared
side is run with the old side's versions of those at fault, and then without what developers pin of the
tools; where that does not help either, nothing is known of users.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from backdate.checking.compare import count_outcomes
from backdate.checking.error_identity import MISSING_MODULE, in_project, own_links
from backdate.checking.result import BrokenTools, Side
from backdate.environments.environment import Lock
from backdate.knowledge.modules import distribution_of
from backdate.progress import Activity
from backdate.recipes.recipe import InstallStep, Provenance, Recipe
from backdate.testing.outcomes import Frame, Raised, SuiteRun
from backdate.text import first_line, minor_version

if TYPE_CHECKING:
    from backdate.checking.side_runner import SideRunner

_NEVER_INSTALLED = ("setup.py", "conftest.py")
"""Files of a project that only those have who build or test it."""
_SITE_PACKAGES = "site-packages/"
_ELSEWHERE = {"_pytest": "pytest", "_distutils_hack": "setuptools"}
_MOST_TRIED = 4
"""Runs with older tools: each may show another one that is at fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolFault:
    """The tools that keep the tests of a run from running, and the error of the first in one line."""

    names: frozenset[str]
    """Normalised (PEP 503)."""
    line: str


def tools_of(lock: Lock | None, users: Lock) -> Mapping[str, str]:
    """The distributions of an environment that no user gets with the project, and their versions."""
    theirs = {one.name for one in users.distributions}
    distributions = () if lock is None else lock.distributions
    return {one.name: one.version for one in distributions if one.name not in theirs and one.source != "."}


def fault_of_tools(run: SuiteRun | None, tools: Collection[str]) -> ToolFault | None:
    """Those of ``tools`` because of which ``run`` did not reach the project's code; None where it did.

    Every error has to be of a tool, with no place in the project but setup.py and conftest.py.
    """
    if run is None or count_outcomes(run).passed:
        return None
    chains = [run.raised] if run.raised else []
    chains += [result.raised for result in run.results if result.outcome.bad]
    blamed = [_blamed(chain, tools) for chain in chains]
    names = frozenset(name for name in blamed if name is not None)
    if not names or None in blamed:
        return None
    last = own_links(chains[0])[-1]
    return ToolFault(names=names, line=first_line(f"{last.type}: {last.message}"))


def reaches_code(run: SuiteRun | None) -> bool:
    """Whether a test of ``run`` is good, or an error has a place in the code of the project or its tests."""
    if run is None:
        return False
    chains = [run.raised, *(result.raised for result in run.results)]
    return count_outcomes(run).passed > 0 or any(map(_has_place, chains))


def _has_place(chain: Sequence[Raised]) -> bool:
    return any(
        in_project(frame) and posixpath.basename(frame.file) not in _NEVER_INSTALLED
        for raised in own_links(chain)
        for frame in raised.frames
    )


def _blamed(chain: Sequence[Raised], tools: Collection[str]) -> str | None:
    """The tool that an error is of; None where it is of something else, or has a place in the project."""
    if _has_place(chain):
        return None
    links = reversed(own_links(chain))
    return next((name for raised in links for name in _tools_in(raised, tools)), None)


def _tools_in(raised: Raised, tools: Collection[str]) -> Iterator[str]:
    """The tools in an error, the one that is at fault first: what is missing, then who raised it."""
    missing = MISSING_MODULE.match(raised.message)
    if missing is not None and (name := _distribution(missing[1])) in tools:
        yield name
    for frame in reversed(raised.frames):
        if in_project(frame):  # what was called before is not at fault for what this file asks
            return
        name = _distribution_of_file(frame)
        if name in tools:
            yield name


def _distribution_of_file(frame: Frame) -> str:
    if _SITE_PACKAGES not in frame.file:
        return ""
    path = frame.file.rpartition(_SITE_PACKAGES)[2].removesuffix(".py").removesuffix("/__init__")
    return _distribution(path.replace("/", "."))


def _distribution(module: str) -> str:
    top = module.partition(".")[0]
    return canonicalize_name(_ELSEWHERE.get(top) or distribution_of(module))


def run_without_broken_tools(
    old: Side, new: Side, side: SideRunner
) -> tuple[Side, BrokenTools | None, SideRunner]:
    """``new``, or the run with other tools in its place, what is at fault (None where no tool is), and whose
    side it is.

    ``side``: the one of the declared question that ``new`` is of. The old side has to have tests that pass.
    """
    if side.users is None or new.environment is None or not count_outcomes(old.run).passed:
        return new, None, side
    before = tools_of(old.environment.lock if old.environment is not None else None, side.users)
    now = tools_of(new.environment.lock, side.users)
    fault = fault_of_tools(new.run, {*before, *now})
    if fault is None:
        return new, None, side
    python = minor_version(new.choice.interpreter.version)
    told = ", ".join(f"{name} {now[name]}" if name in now else f"no {name}" for name in sorted(fault.names))
    broken = BrokenTools(tools=f"{told} on Python {python}", line=fault.line)
    held: dict[str, str] = {}
    for number in range(1, _MOST_TRIED + 1):
        moved = {name: before[name] for name in fault.names & before.keys() if before[name] != now.get(name)}
        if not moved.keys() - held.keys():
            break
        held |= moved
        pins = tuple(f"{name}=={held[name]}" for name in sorted(held))
        text = f"today's test tools break ({broken.tools}): trying with {', '.join(pins)}"
        side.progress.report(Activity(text=text))
        recipe = with_tools(new.recipe, pins)
        everything = [package for step in recipe.install for package in step.packages]
        folder = side.folder / f"older-tools-{number}"
        tried = side.finished(side.run_new(recipe, folder, new.choice, kept=everything))
        if reaches_code(tried.run):
            return tried, replace(broken, instead=pins), side
        again = fault_of_tools(tried.run, {*before, *now})
        if again is None:
            break
        fault = again
    return _with_newer_tools(new, broken, side, now)


def _with_newer_tools(
    new: Side, broken: BrokenTools, side: SideRunner, tools: Mapping[str, str]
) -> tuple[Side, BrokenTools, SideRunner]:
    """The same without what the project's files pin of ``tools``, where that reaches the project's code."""
    from backdate.checking.newer_tools import with_newer_tools

    newer = with_newer_tools(side, new.recipe, tools, new.choice.interpreter.version)
    if newer is None:
        return new, broken, side
    loose_side, recipe = newer
    text = f"test tools that are pinned break ({broken.tools}): trying without their pins"
    side.progress.report(Activity(text=text))
    everything = [package for step in recipe.install for package in step.packages]
    folder = side.folder / "newer-tools"
    tried = loose_side.finished(loose_side.run_new(recipe, folder, new.choice, kept=everything))
    if tried.environment is None or not reaches_code(tried.run):
        return new, broken, side
    assert side.users is not None
    taken = tools_of(tried.environment.lock, side.users)
    moved = (name for name in sorted(tools) if taken.get(name, tools[name]) != tools[name])
    instead = tuple(f"{name}=={taken[name]}" for name in moved)
    if not instead:
        return new, broken, side
    return tried, replace(broken, instead=instead, newer=True), loose_side


def with_tools(recipe: Recipe, pins: Sequence[str]) -> Recipe:
    """``recipe`` with test tools held to the versions that ``pins`` name."""
    provenance = Provenance(rule="test tools as the old side has them")
    step = InstallStep(kind="packages", packages=tuple(pins), provenance=provenance)
    return replace(recipe, install=(*recipe.install, step))


def note_of_tools(broken: BrokenTools) -> str:
    """For people: that a side was run with other tools."""
    if broken.newer:
        return (
            f"declared side: pinned test tools break ({broken.tools}: {broken.line}), which users do not "
            f"get; run without their pins, with {', '.join(broken.instead)}"
        )
    return (
        f"declared side: today's test tools break ({broken.tools}: {broken.line}), which users do not get; "
        f"run with {', '.join(broken.instead)}, as on the old side"
    )
