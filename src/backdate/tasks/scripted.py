"""The environment of a published task: its set-up script, on this machine's system or in a base one.

The images that published tasks name (``python:3.12.11``) hold the Debian packages of ``buildpack-deps``
besides those that a script installs. Where they are applied (``--apt``) a script that names packages runs in
a base system with them; one that fails for want of a header, library or program of the system runs once
more in one that holds what the log misses. Bases always hold ``buildpack-deps``' packages
(``sandboxes/bases.py``).
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from backdate.checking.dated_project import DatedProject
from backdate.checking.recipe_run import base_with
from backdate.checking.resources import Resources
from backdate.checking.setup_failures import end_of_log
from backdate.environments.environment import BuildFailure, Environment
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.script_installer import prepare_by_script
from backdate.environments.system import apt_packages
from backdate.errors import SandboxUnavailable
from backdate.recipes.commands import read_commands
from backdate.recipes.files import Files
from backdate.recipes.recipe import Provenance, Recipe, SuitePlan, SystemPackages
from backdate.recipes.repair.builds import system_names
from backdate.recipes.repair.setup_failure import bounded
from backdate.sandboxes.bases import BUILD_PACKAGES
from backdate.sandboxes.debian import BaseFailure
from backdate.tasks.notes import NoteKind, RunNote
from backdate.tasks.task import ScriptSetup
from backdate.timeline.instants import format_day

_A_DAY = timedelta(days=1)
_ROUNDS = 3
"""Base systems that are tried for one build: a log names one thing that is missing at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripted:
    """What came of a set-up script."""

    answer: Environment | BuildFailure
    notes: tuple[RunNote, ...] = ()
    """Which system packages were applied, and why; or which would have been."""


def script_recipe(scripts: ScriptSetup, dated: DatedProject) -> Recipe:
    """The two scripts as a recipe: the tests that one runs, and the system packages that the other names."""
    files = Files(dated.tree)
    text = files.text(scripts.setup) or ""
    actions = read_commands(text, files=files, file=scripts.setup, rule="published set-up script")
    provenance = Provenance(rule="published test script", file=scripts.test)
    return Recipe(
        install=(),
        test=SuitePlan(runner="script", targets=(scripts.test,), provenance=provenance),
        system=tuple(action for action in actions if isinstance(action, SystemPackages)),
    )


def build_by_script(
    resources: Resources, request: EnvironmentRequest, recipe: Recipe, script: str, *, or_a_day_later: bool
) -> Scripted:
    """The environment that ``script`` sets up; ``recipe`` names the system packages that it asks for.

    ``or_a_day_later``: where nothing can be installed as of the request's instant, the start of a day, the
    end of that day is tried: some repositories pin what was uploaded hours before their commit. Raises as
    ``Builder.prepare`` and ``Bases.prepare`` do.
    """
    first = _build(resources, request, recipe, script)
    if not or_a_day_later or not _did_not_install(first.answer):
        return first
    later = _build(resources, replace(request, instant=request.instant + _A_DAY), recipe, script)
    if isinstance(later.answer, BuildFailure):
        return first
    day = format_day(request.instant)
    note = RunNote(
        kind=NoteKind.LATER_DAY,
        text=f"what was uploaded on {day} itself is visible: nothing could be installed without",
    )
    return replace(later, notes=(note, *later.notes))


def _build(resources: Resources, request: EnvironmentRequest, recipe: Recipe, script: str) -> Scripted:
    named = set(apt_packages(recipe)[0])
    if not resources.apt:
        answer = prepare_by_script(resources.builder, request, script)
        return Scripted(
            answer=answer, notes=() if isinstance(answer, Environment) else not_tried(answer, named)
        )
    packages, why = named, "the set-up script asks for them"
    answer = (
        _run(resources, request, script, named)
        if named
        else prepare_by_script(resources.builder, request, script)
    )
    for _ in range(_ROUNDS):
        missing = _missing(answer)
        there = {*packages, *BUILD_PACKAGES} if packages else set()
        asked = {package for packages in missing.values() for package in packages}
        if asked <= there:
            break
        packages, why = packages | asked, f"the build lacks {', '.join(missing)} on this machine"
        answer = _run(resources, request, script, packages)
    if isinstance(answer, Environment) and answer.base is not None:
        applied = ", ".join(answer.base.packages)
        text = f"from apt, as they are today: {applied}; {why}"
        return Scripted(answer=answer, notes=(RunNote(kind=NoteKind.SYSTEM_PACKAGES, text=text),))
    return Scripted(answer=answer)


def not_tried(answer: BuildFailure, named: Collection[str]) -> tuple[RunNote, ...]:
    """Which system packages a build without any would have been tried with: what its log misses, and what the
    task asks for (``named``).
    """
    reasons = [
        f"{missing}: Debian's {', '.join(packages)}"
        for missing, packages in _missing(answer).items()
        if packages
    ]
    reasons += [f"the task asks for {', '.join(sorted(named))}"] if named else []
    return tuple(
        RunNote(kind=NoteKind.UNTRIED_PACKAGES, text=f"not tried without --apt: {each}") for each in reasons
    )


def _run(
    resources: Resources, request: EnvironmentRequest, script: str, packages: set[str]
) -> Environment | BuildFailure:
    """The script in a base system with ``packages``."""
    base = base_with(tuple(sorted(packages)), resources)
    if isinstance(base, BaseFailure):
        return BuildFailure(phase="install", message=base.message, choice=request.choice, log=base.log)
    try:
        return prepare_by_script(resources.builder, replace(request, base=base), script)
    except SandboxUnavailable as error:  # of this one task: its interpreter is part of this machine's system
        return BuildFailure(
            phase="install",
            message=f"not built in a base system: {error}",
            choice=request.choice,
            log=Path(os.devnull),
        )


def _missing(answer: Environment | BuildFailure) -> dict[str, tuple[str, ...]]:
    """What of the system a failed build says it lacks, and the packages that hold it."""
    if isinstance(answer, Environment) or not _did_not_install(answer):
        return {}
    return system_names(bounded(f"{answer.message}\n{end_of_log(answer.log)}"))


def _did_not_install(answer: Environment | BuildFailure) -> bool:
    return isinstance(answer, BuildFailure) and answer.phase in ("resolve", "install")
